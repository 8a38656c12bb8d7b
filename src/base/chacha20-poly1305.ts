const TAG_BYTES = 16;
/** RFC 8439 section 2.4 */
const BLOCK_BYTES = 64;
/** Poly1305 counts in six limbs of 22 bits: a sum of six products, with one factor times 20, is below 2^53, so doubles hold it exactly. */
const LIMBS = 6;
const LIMB = 2 ** 22;
const PER_LIMB = 2 ** -22;
const LIMB_MASK = LIMB - 1;
/** Six limbs are 132 bits, and 2^132 is 20 modulo 2^130 - 5. */
const FOLD = 20;
/** 2^130 - 5 ends in the sixth limb, with its 20th bit. */
const TOP = 2 ** 20;
/** Bit 128 of a block, which stands above its 16 bytes, in the sixth limb. RFC 8439 section 2.5 */
const BLOCK_BIT = 2 ** 18;
/** Bits of r that are zero. RFC 8439 section 2.5 */
const CLAMP_FIRST = 0x0fffffff;
const CLAMP = 0x0ffffffc;

/** The words of ChaCha20's state, from which each block starts; the first four are "expand 32-byte k". RFC 8439 section 2.3 */
class Words {
  a = 0x61707865;
  b = 0x3320646e;
  c = 0x79622d32;
  d = 0x6b206574;
  e = 0;
  f = 0;
  g = 0;
  h = 0;
  i = 0;
  j = 0;
  k = 0;
  l = 0;
  /** The counter of blocks. */
  m = 0;
  n = 0;
  o = 0;
  p = 0;
}

/**
 * ChaCha20-Poly1305 of RFC 8439 for short texts, in place and without garbage: a call of node:crypto takes five times as long for the four bytes of a credit
 * (docs/decisions/0025-sealed-frames.md). Secrets choose neither branches nor addresses.
 */
export class ChaCha20Poly1305 {
  /** What `seal` and `authenticate` leave. */
  readonly tag = new Uint8Array(TAG_BYTES);
  private readonly start = new Words();
  private readonly stream = new Int32Array(BLOCK_BYTES / 4);
  /** r of Poly1305, and 20 r. */
  private readonly r = new Float64Array(LIMBS);
  private readonly folded = new Float64Array(LIMBS);
  private readonly sum = new Float64Array(LIMBS);
  /** Words of a block. */
  private readonly block = new Int32Array(4);

  /** A key of 32 bytes. */
  constructor(key: Uint8Array) {
    const { start } = this;
    start.e = readWord(key, 0);
    start.f = readWord(key, 4);
    start.g = readWord(key, 8);
    start.h = readWord(key, 12);
    start.i = readWord(key, 16);
    start.j = readWord(key, 20);
    start.k = readWord(key, 24);
    start.l = readWord(key, 28);
  }

  /** For the text that follows: 12 bytes that no other text of this key has. */
  setNonce(nonce: Uint8Array): void {
    this.start.n = readWord(nonce, 0);
    this.start.o = readWord(nonce, 4);
    this.start.p = readWord(nonce, 8);
  }

  /** Encrypts `bytes[textAt .. end)` in place; the tag covers `bytes[dataAt .. textAt)` too. */
  seal(bytes: Uint8Array, dataAt: number, textAt: number, end: number): void {
    this.crypt(bytes, textAt, end);
    this.authenticate(bytes, dataAt, textAt, end);
  }

  /** Encrypts; decrypts a text whose tag has been compared. */
  crypt(bytes: Uint8Array, textAt: number, end: number): void {
    const { start, stream } = this;
    let counter = 1;
    for (let at = textAt; at < end; counter++) {
      start.m = counter;
      writeStream(start, stream);
      const stop = Math.min(end, at + BLOCK_BYTES);
      for (let index = 0; at < stop; at++, index++) bytes[at] ^= stream[index >>> 2] >>> ((index & 3) << 3);
    }
  }

  /** Leaves the tag of an encrypted text. */
  authenticate(bytes: Uint8Array, dataAt: number, textAt: number, end: number): void {
    this.start.m = 0;
    writeStream(this.start, this.stream);
    this.clampKey();
    for (let limb = 0; limb < LIMBS; limb++) this.sum[limb] = 0;
    this.addBytes(bytes, dataAt, textAt);
    this.addBytes(bytes, textAt, end);
    // Lengths below 2^32: their upper words are zero.
    const { block } = this;
    block[0] = textAt - dataAt;
    block[1] = 0;
    block[2] = end - textAt;
    block[3] = 0;
    this.addBlock();
    this.writeTag();
  }

  /** The first 16 bytes of block 0 are r. */
  private clampKey(): void {
    const { stream, block, r, folded } = this;
    block[0] = stream[0] & CLAMP_FIRST;
    for (let word = 1; word < 4; word++) block[word] = stream[word] & CLAMP;
    for (let limb = 0; limb < LIMBS; limb++) r[limb] = 0;
    addLimbs(r, block);
    for (let limb = 0; limb < LIMBS; limb++) folded[limb] = FOLD * r[limb];
  }

  /** All of a text; its last block is filled up with zeros. RFC 8439 section 2.8 */
  private addBytes(bytes: Uint8Array, from: number, end: number): void {
    const { block } = this;
    for (let at = from; at < end; at += TAG_BYTES) {
      // A loop over four is faster than a call of fill.
      for (let word = 0; word < 4; word++) block[word] = 0;
      const count = Math.min(end - at, TAG_BYTES);
      for (let index = 0; index < count; index++) block[index >>> 2] |= bytes[at + index] << ((index & 3) << 3);
      this.addBlock();
    }
  }

  /** sum = (sum + block) * r, modulo 2^130 - 5 up to multiples of it. */
  private addBlock(): void {
    const { sum, r, folded } = this;
    addLimbs(sum, this.block);
    const a = sum[0];
    const b = sum[1];
    const c = sum[2];
    const d = sum[3];
    const e = sum[4];
    const f = sum[5] + BLOCK_BIT;
    sum[0] = a * r[0] + b * folded[5] + c * folded[4] + d * folded[3] + e * folded[2] + f * folded[1];
    sum[1] = a * r[1] + b * r[0] + c * folded[5] + d * folded[4] + e * folded[3] + f * folded[2];
    sum[2] = a * r[2] + b * r[1] + c * r[0] + d * folded[5] + e * folded[4] + f * folded[3];
    sum[3] = a * r[3] + b * r[2] + c * r[1] + d * r[0] + e * folded[5] + f * folded[4];
    sum[4] = a * r[4] + b * r[3] + c * r[2] + d * r[1] + e * r[0] + f * folded[5];
    sum[5] = a * r[5] + b * r[4] + c * r[3] + d * r[2] + e * r[1] + f * r[0];
    carry(sum);
    // What left the sixth limb came back to the first; the second has room for what that has too much.
    const over = Math.floor(sum[0] * PER_LIMB);
    sum[0] -= over * LIMB;
    sum[1] += over;
  }

  /** The sum modulo 2^130 - 5, plus s, which follows r in block 0, modulo 2^128. */
  private writeTag(): void {
    const { sum, stream, block, tag } = this;
    reduce(sum);
    block[0] = sum[0] | (sum[1] << 22);
    block[1] = (sum[1] >>> 10) | (sum[2] << 12);
    block[2] = (sum[2] >>> 20) | (sum[3] << 2) | (sum[4] << 24);
    block[3] = (sum[4] >>> 8) | (sum[5] << 14);
    let over = 0;
    for (let word = 0; word < 4; word++) {
      const total = (block[word] >>> 0) + (stream[4 + word] >>> 0) + over;
      over = Math.floor(total * 2 ** -32);
      for (let byte = 0; byte < 4; byte++) tag[4 * word + byte] = (total | 0) >>> (8 * byte);
    }
  }
}

/** Adds 16 bytes, as four little-endian words. */
function addLimbs(sum: Float64Array, words: Int32Array): void {
  const a = words[0];
  const b = words[1];
  const c = words[2];
  const d = words[3];
  sum[0] += a & LIMB_MASK;
  sum[1] += ((a >>> 22) | (b << 10)) & LIMB_MASK;
  sum[2] += ((b >>> 12) | (c << 20)) & LIMB_MASK;
  sum[3] += (c >>> 2) & LIMB_MASK;
  sum[4] += ((c >>> 24) | (d << 8)) & LIMB_MASK;
  sum[5] += d >>> 14;
}

function carry(sum: Float64Array): void {
  let over = 0;
  for (let limb = 0; limb < LIMBS; limb++) {
    const total = sum[limb] + over;
    over = Math.floor(total * PER_LIMB);
    sum[limb] = total - over * LIMB;
  }
  sum[0] += over * FOLD;
}

/** The sum below 2^130 - 5, without a branch: it is that or more where adding 5 reaches 2^130. */
function reduce(sum: Float64Array): void {
  for (let turn = 0; turn < 2; turn++) {
    const above = Math.floor(sum[5] / TOP);
    sum[5] -= above * TOP;
    sum[0] += 5 * above;
    carry(sum);
  }
  let over = 5;
  for (let limb = 0; limb < LIMBS - 1; limb++) over = Math.floor((sum[limb] + over) * PER_LIMB);
  sum[0] += 5 * Math.floor((sum[5] + over) / TOP);
  carry(sum);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

function readWord(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
}

/** One block of the key stream. RFC 8439 section 2.3. Sixteen variables: an array of words takes three times as long, 240 ns. */
function writeStream(start: Words, out: Int32Array): void {
  let { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p } = start;
  for (let round = 0, x = 0, y = 0; round < 10; round++) {
    x = rotate(m ^ (a + e), 16);
    y = rotate(e ^ (i + x), 12);
    a = (a + e + y) | 0;
    m = rotate(x ^ a, 8);
    i = (i + x + m) | 0;
    e = rotate(y ^ i, 7);
    x = rotate(n ^ (b + f), 16);
    y = rotate(f ^ (j + x), 12);
    b = (b + f + y) | 0;
    n = rotate(x ^ b, 8);
    j = (j + x + n) | 0;
    f = rotate(y ^ j, 7);
    x = rotate(o ^ (c + g), 16);
    y = rotate(g ^ (k + x), 12);
    c = (c + g + y) | 0;
    o = rotate(x ^ c, 8);
    k = (k + x + o) | 0;
    g = rotate(y ^ k, 7);
    x = rotate(p ^ (d + h), 16);
    y = rotate(h ^ (l + x), 12);
    d = (d + h + y) | 0;
    p = rotate(x ^ d, 8);
    l = (l + x + p) | 0;
    h = rotate(y ^ l, 7);
    x = rotate(p ^ (a + f), 16);
    y = rotate(f ^ (k + x), 12);
    a = (a + f + y) | 0;
    p = rotate(x ^ a, 8);
    k = (k + x + p) | 0;
    f = rotate(y ^ k, 7);
    x = rotate(m ^ (b + g), 16);
    y = rotate(g ^ (l + x), 12);
    b = (b + g + y) | 0;
    m = rotate(x ^ b, 8);
    l = (l + x + m) | 0;
    g = rotate(y ^ l, 7);
    x = rotate(n ^ (c + h), 16);
    y = rotate(h ^ (i + x), 12);
    c = (c + h + y) | 0;
    n = rotate(x ^ c, 8);
    i = (i + x + n) | 0;
    h = rotate(y ^ i, 7);
    x = rotate(o ^ (d + e), 16);
    y = rotate(e ^ (j + x), 12);
    d = (d + e + y) | 0;
    o = rotate(x ^ d, 8);
    j = (j + x + o) | 0;
    e = rotate(y ^ j, 7);
  }
  out[0] = a + start.a;
  out[1] = b + start.b;
  out[2] = c + start.c;
  out[3] = d + start.d;
  out[4] = e + start.e;
  out[5] = f + start.f;
  out[6] = g + start.g;
  out[7] = h + start.h;
  out[8] = i + start.i;
  out[9] = j + start.j;
  out[10] = k + start.k;
  out[11] = l + start.l;
  out[12] = m + start.m;
  out[13] = n + start.n;
  out[14] = o + start.o;
  out[15] = p + start.p;
}
