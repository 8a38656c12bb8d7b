import { crc32 as zlibCrc32 } from 'node:zlib';
import { type Crc32, crc32Before, crc32 as pureCrc32 } from '../base/crc32.js';

/** Computes a CRC-32 over all of `bytes`, going on from `crc`: as `zlib.crc32`. */
type ChainedCrc32 = (bytes: Uint8Array, crc: number) => number;

/** Zlib is faster from here on: 208 against 219 ns at 256 bytes, 413 against 309 at 512 (Node 20, lab machine; the vectors too). */
const NATIVE_FROM_BYTES = 288;
/** Views of buffers that are kept. Ours: a power of two, above the number of buffers in use. */
const PLACES = 64;

/** A part of a buffer, as zlib takes it. */
class Part {
  bytes: Uint8Array | null = null;
  view: Uint8Array = new Uint8Array(0);
  start = 0;
  end = 0;
}

const parts = Array.from({ length: PLACES }, () => new Part());

/** Extra bytes at either end that are hashed, then removed from the CRC: 3 ns a byte; a view takes 90 ns and leaves garbage. */
const LEDGE_BYTES = 8;

function checkBy(library: ChainedCrc32): Crc32 {
  return (bytes, start, end) => {
    if (end - start < NATIVE_FROM_BYTES) return pureCrc32(bytes, start, end);
    if (start > LEDGE_BYTES || bytes.length - end > LEDGE_BYTES) return library(partOf(bytes, start, end), 0);
    const before = start === 0 ? 0 : crc32Before(0, bytes, 0, start);
    const crc = library(bytes, before);
    return end === bytes.length ? crc : crc32Before(crc, bytes, end, bytes.length);
  };
}

/** CRC-32 of `bytes[start .. end)`, unsigned; a `Crc32` by whichever of zlib and the pure table is faster for the length. PROTOCOL §2.6 */
export const fastCrc32: Crc32 = checkBy(zlibCrc32);

/** Libraries take whole arrays only. The view of a buffer is kept, since buffers are reused: a new one is 100 bytes of garbage for each frame. */
function partOf(bytes: Uint8Array, start: number, end: number): Uint8Array {
  const part = parts[(bytes.byteOffset >>> 6) & (PLACES - 1)];
  if (part.bytes === bytes && part.start === start && part.end === end) return part.view;
  part.bytes = bytes;
  part.start = start;
  part.end = end;
  part.view = bytes.subarray(start, end);
  return part.view;
}

/** Who computes the check of frames that are not short; shorter ones are always the pure table's. */
export interface FrameCheck {
  readonly check: Crc32;
  /** `vector`: by `@node-rs/crc32`. */
  readonly kind: 'vector' | 'zlib';
  /** One sentence for people; absent where it is the faster of the two. */
  readonly warning?: string;
}

/** CRC-32 of these, as every list of CRCs has it. */
const SAMPLE = new TextEncoder().encode('123456789');
const SAMPLE_CRC = 0xcbf43926;

let loading: Promise<FrameCheck> | null = null;

/** The fastest check available: `@node-rs/crc32` takes 0.22 us for 1,472 bytes, zlib 0.64 (docs/decisions/0013-batched-datapath.md). */
export function loadFrameCheck(): Promise<FrameCheck> {
  loading ??= chooseCheck(() => import('@node-rs/crc32'));
  return loading;
}

/** As `loadFrameCheck`, of the package that `load` brings. */
export async function chooseCheck(load: () => Promise<{ crc32: ChainedCrc32 }>): Promise<FrameCheck> {
  try {
    const { crc32 } = await load();
    if (crc32(SAMPLE, 0) === SAMPLE_CRC) return { check: checkBy(crc32), kind: 'vector' };
    return byZlib('it computes something else');
  } catch (error) {
    return byZlib(String(error instanceof Error ? error.message : error).split('\n', 1)[0] ?? '');
  }
}

/** For a log: who checks. */
export function checkSentence({ kind, warning }: FrameCheck): string {
  return warning ?? `frames are checked by ${kind === 'vector' ? '@node-rs/crc32' : kind}`;
}

function byZlib(reason: string): FrameCheck {
  const warning = `frames are checked by zlib, which takes three times as long: the optional package @node-rs/crc32 cannot be used (${reason})`;
  return { check: fastCrc32, kind: 'zlib', warning };
}
