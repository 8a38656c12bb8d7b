// Tested by test/loopback/playground.test.ts
/** A scenario in the address of the page, behind the `#`: no server sees it. */

/** What an address carries. */
export interface Shared {
  /** Of the file. */
  readonly path: string;
  readonly source: string;
}

/** As long as a scenario file may be (ours): more in an address is not from us. */
const MAX_BYTES = 1_048_576;
const FORMAT = 'deflate-raw';

/** `#x.yaml=BASE64URL`, of the deflated text. */
export async function addressOf({ path, source }: Shared): Promise<string> {
  const bytes = await collected(new Blob([source]).stream().pipeThrough(new CompressionStream(FORMAT)));
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const base64 = btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return `#${encodeURIComponent(path)}=${base64}`;
}

/** null for an address without a scenario. Throws an Error for one that is broken. */
export async function sharedIn(hash: string): Promise<Shared | null> {
  const match = /^#([^=]+)=([\w-]+)$/.exec(hash);
  if (match === null) return null;
  try {
    const text = atob(match[2].replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    const bytes = await collected(new Blob([packed]).stream().pipeThrough(new DecompressionStream(FORMAT)));
    return { path: decodeURIComponent(match[1]), source: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    throw new Error('the address has no whole scenario: it was cut off, or changed', { cause: error });
  }
}

/** At most `MAX_BYTES`: a few bytes may unpack to gigabytes. */
async function collected(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    length += value.length;
    if (length > MAX_BYTES) {
      await reader.cancel();
      throw new Error(`a scenario has at most ${MAX_BYTES} bytes`);
    }
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
