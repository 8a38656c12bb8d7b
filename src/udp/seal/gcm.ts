import { type CipherGCMTypes, createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import { assert } from '../../base/assert.js';
import { Header } from '../../wire/layout.js';
import { AUTHENTICATED_FROM, Sealed } from '../../wire/sealed.js';
import { Evp, loadOpenSsl, NULL, type OpenSsl } from './openssl.js';

const AES: CipherGCMTypes = 'aes-128-gcm';
export const GCM_KEY_BYTES = 16;
const NONCE_BYTES = 12;
const GCM_OPTIONS = { authTagLength: Sealed.tagBytes } as const;
const DATA_BYTES = Header.bytes - AUTHENTICATED_FROM;

/**
 * AES-128-GCM for frames with one key in one direction, in place: the body is `bytes[12 .. end)`, the header before it is authenticated, the tag is
 * at `tagAt`.
 */
export interface GcmCipher {
  seal(bytes: Uint8Array, nonce: Uint8Array, end: number, tagAt: number): void;
  /** False where the tag is wrong; the body is garbage then. */
  open(bytes: Uint8Array, nonce: Uint8Array, end: number, tagAt: number): boolean;
  /** Frees the key. */
  close(): void;
}

export type MakeGcm = (key: Uint8Array, isSealing: boolean) => GcmCipher;

/** Who encrypts frames. */
export interface FrameCiphers {
  readonly make: MakeGcm;
  /** `openssl`: called directly, by koffi. `node`: by node:crypto. */
  readonly kind: 'openssl' | 'node';
  /** One sentence for people; absent where it is the faster of the two. */
  readonly warning?: string;
}

let loading: Promise<FrameCiphers> | null = null;

/** The fastest ciphers available: OpenSSL takes 0.8 us for 1,472 bytes, with node:crypto around it 4.6 (docs/decisions/0025-sealed-frames.md). */
export function loadFrameCiphers(): Promise<FrameCiphers> {
  loading ??= chooseCiphers(loadOpenSsl);
  return loading;
}

/** As `loadFrameCiphers`, by the functions that `load` brings, if they and node:crypto open each other's frames. */
export async function chooseCiphers(load: () => Promise<OpenSsl>): Promise<FrameCiphers> {
  try {
    const openSsl = await load();
    const make: MakeGcm = (key, isSealing) => new OpenSslGcm(openSsl, key, isSealing);
    if (agrees(make, makeNodeGcm) && agrees(makeNodeGcm, make)) return { make, kind: 'openssl' };
    return byNode('it computes something else');
  } catch (error) {
    return byNode(String(error instanceof Error ? error.message : error).split('\n', 1)[0] ?? '');
  }
}

function byNode(reason: string): FrameCiphers {
  const warning = `frames are sealed by node:crypto, which takes five times as long: OpenSSL cannot be called by the optional package koffi (${reason})`;
  return { make: makeNodeGcm, kind: 'node', warning };
}

/** Whether frames of one cipher are opened by the other, and damaged ones are not. */
function agrees(makeSealing: MakeGcm, makeOpening: MakeGcm): boolean {
  const key = Uint8Array.from({ length: GCM_KEY_BYTES }, (_, index) => index);
  const nonce = key.subarray(0, 12);
  const [sealing, opening] = [makeSealing(key, true), makeOpening(key, false)];
  const results = [0, 1, 100].map((bodyBytes) => {
    const end = Header.bytes + bodyBytes;
    const bytes = new Uint8Array(end + Sealed.tagBytes).fill(7);
    sealing.seal(bytes, nonce, end, end);
    const damaged = bytes.slice();
    damaged[end] ^= 1;
    const isOpened = opening.open(bytes, nonce, end, end) && bytes.subarray(0, end).every((byte) => byte === 7);
    return isOpened && !opening.open(damaged, nonce, end, end);
  });
  sealing.close();
  opening.close();
  return results.every(Boolean);
}

/** By node:crypto, which makes some objects for each frame. */
export const makeNodeGcm: MakeGcm = (key) => new NodeGcm(createSecretKey(key));

class NodeGcm implements GcmCipher {
  private readonly key: KeyObject;

  constructor(key: KeyObject) {
    this.key = key;
  }

  seal(bytes: Uint8Array, nonce: Uint8Array, end: number, tagAt: number): void {
    const cipher = createCipheriv(AES, this.key, nonce, GCM_OPTIONS);
    cipher.setAAD(bytes.subarray(AUTHENTICATED_FROM, Header.bytes));
    if (end > Header.bytes) bytes.set(cipher.update(bytes.subarray(Header.bytes, end)), Header.bytes);
    cipher.final();
    bytes.set(cipher.getAuthTag(), tagAt);
  }

  open(bytes: Uint8Array, nonce: Uint8Array, end: number, tagAt: number): boolean {
    const decipher = createDecipheriv(AES, this.key, nonce, GCM_OPTIONS);
    decipher.setAAD(bytes.subarray(AUTHENTICATED_FROM, Header.bytes));
    decipher.setAuthTag(bytes.subarray(tagAt, tagAt + Sealed.tagBytes));
    if (end > Header.bytes) bytes.set(decipher.update(bytes.subarray(Header.bytes, end)), Header.bytes);
    return isFinal(decipher);
  }

  close(): void {}
}

function isFinal(decipher: { final(): unknown }): boolean {
  try {
    decipher.final();
    return true;
  } catch {
    return false;
  }
}

/** By OpenSSL itself: one context, whose key schedule stays, and no object for a frame. It reads and writes the frame where it is. */
class OpenSslGcm implements GcmCipher {
  private readonly openSsl: OpenSsl;
  private readonly context: number;
  private readonly sealing: number;
  private readonly length = new Int32Array(1);
  private readonly lengthAt: number;
  private isClosed = false;

  constructor(openSsl: OpenSsl, key: Uint8Array, isSealing: boolean) {
    assert(key.length === GCM_KEY_BYTES, 'a key of AES-128 has 16 bytes');
    this.openSsl = openSsl;
    this.context = openSsl.EVP_CIPHER_CTX_new();
    assert(this.context !== NULL, 'OpenSSL has memory for a context');
    this.sealing = isSealing ? 1 : 0;
    this.lengthAt = openSsl.addressOf(this.length);
    const [cipher, keyAt] = [openSsl.EVP_aes_128_gcm(), openSsl.addressOf(key)];
    const status = openSsl.EVP_CipherInit_ex(this.context, cipher, NULL, keyAt, NULL, this.sealing);
    assert(status === 1, 'OpenSSL takes the key');
  }

  seal(bytes: Uint8Array, nonce: Uint8Array, end: number, tagAt: number): void {
    const { openSsl, context } = this;
    const start = this.crypt(bytes, nonce, end, tagAt);
    const isDone = start !== NULL && openSsl.EVP_CipherFinal_ex(context, start + tagAt, this.lengthAt) === 1;
    assert(
      isDone && openSsl.EVP_CIPHER_CTX_ctrl(context, Evp.getTag, Sealed.tagBytes, start + tagAt) === 1,
      'OpenSSL seals',
    );
  }

  open(bytes: Uint8Array, nonce: Uint8Array, end: number, tagAt: number): boolean {
    const { openSsl, context } = this;
    const start = this.crypt(bytes, nonce, end, tagAt);
    assert(
      start !== NULL && openSsl.EVP_CIPHER_CTX_ctrl(context, Evp.setTag, Sealed.tagBytes, start + tagAt) === 1,
      'OpenSSL opens',
    );
    return openSsl.EVP_CipherFinal_ex(context, start + tagAt, this.lengthAt) === 1;
  }

  /** Returns where the frame begins; NULL where OpenSSL refuses. */
  private crypt(bytes: Uint8Array, nonce: Uint8Array, end: number, tagAt: number): number {
    const { openSsl, context, lengthAt } = this;
    // A freed context is memory of somebody else, and so is what is behind the buffer.
    const isThere = end >= Header.bytes && end <= tagAt && tagAt + Sealed.tagBytes <= bytes.length;
    assert(!this.isClosed && isThere && nonce.length === NONCE_BYTES, 'what OpenSSL reads is there');
    const nonceAt = openSsl.addressOf(nonce);
    const start = openSsl.addressOf(bytes);
    if (openSsl.EVP_CipherInit_ex(context, NULL, NULL, NULL, nonceAt, this.sealing) !== 1) return NULL;
    if (openSsl.EVP_CipherUpdate(context, NULL, lengthAt, start + AUTHENTICATED_FROM, DATA_BYTES) !== 1) return NULL;
    const body = start + Header.bytes;
    const isDone =
      end === Header.bytes || openSsl.EVP_CipherUpdate(context, body, lengthAt, body, end - Header.bytes) === 1;
    return isDone ? start : NULL;
  }

  close(): void {
    if (!this.isClosed) this.openSsl.EVP_CIPHER_CTX_free(this.context);
    this.isClosed = true;
  }
}
