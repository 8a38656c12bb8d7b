import type { SeededRandom } from '../../../src/base/random.js';

/** Bytes and words of 16 and 32 bits at which code often decides otherwise. */
const BYTES = [0, 1, 2, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 254, 255];
const WORDS = [0, 1, 255, 256, 511, 512, 1_023, 1_472, 4_095, 4_096, 32_767, 32_768, 65_534, 65_535];
const DOUBLES = [0, 1, 65_535, 65_536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff];
/** Changes to one input at most (AFL's havoc makes 2 to 128; ours are small). */
const MOST_CHANGES = 8;

type Change = (bytes: Uint8Array) => Uint8Array;

/** Makes inputs out of others. The same seed makes the same ones. */
export class Mutator {
  private readonly random: SeededRandom;
  private readonly words: readonly Uint8Array[];
  private readonly maxBytes: number;
  private readonly changes: readonly Change[];

  constructor(random: SeededRandom, words: readonly Uint8Array[], maxBytes: number) {
    this.random = random;
    this.words = words;
    this.maxBytes = maxBytes;
    const kinds: Change[] = [
      (bytes) => this.overwrite(bytes, [this.byteAt(bytes) ^ (1 << this.below(8))]),
      (bytes) => this.overwrite(bytes, [this.pick(BYTES)]),
      (bytes) => this.overwrite(bytes, [this.below(256)]),
      (bytes) => this.overwrite(bytes, [this.byteAt(bytes) + this.below(33) - 16]),
      (bytes) => this.overwrite(bytes, bigEndian(this.pick(WORDS), 2)),
      (bytes) => this.overwrite(bytes, bigEndian(this.pick(DOUBLES), 4)),
      (bytes) => this.remove(bytes),
      (bytes) => this.insert(bytes, this.noise()),
      (bytes) => this.insert(bytes, this.part(bytes)),
      (bytes) => this.overwrite(bytes, this.part(bytes)),
      (bytes) => bytes.subarray(0, this.below(bytes.length + 1)),
    ];
    const said: Change[] = [
      (bytes) => this.insert(bytes, this.pick(this.words)),
      (bytes) => this.overwrite(bytes, this.pick(this.words)),
    ];
    this.changes = words.length > 0 ? [...kinds, ...said, ...said] : kinds;
  }

  /** A changed copy of `input`, sometimes with a piece of `other` in it. */
  mutate(input: Uint8Array, other: Uint8Array): Uint8Array {
    let bytes: Uint8Array = input.slice();
    if (this.below(8) === 0) bytes = this.insert(bytes, this.part(other));
    if (this.below(16) === 0) bytes = joined(bytes.subarray(0, this.below(bytes.length + 1)), this.part(other));
    for (let count = 1 + this.below(this.below(MOST_CHANGES) + 1); count > 0; count--)
      bytes = this.pick(this.changes)(bytes);
    return bytes.slice(0, this.maxBytes);
  }

  below(limit: number): number {
    return Math.floor(this.random.next() * limit);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  private at = 0;

  /** The byte that the next `overwrite` of one byte meets. */
  private byteAt(bytes: Uint8Array): number {
    this.at = this.below(bytes.length);
    return bytes[this.at] ?? 0;
  }

  private overwrite(bytes: Uint8Array, by: ArrayLike<number>): Uint8Array {
    if (bytes.length === 0) return Uint8Array.from(by);
    const at = by.length === 1 && this.at < bytes.length ? this.at : this.below(bytes.length);
    for (let index = 0; index < by.length && at + index < bytes.length; index++) bytes[at + index] = by[index]!;
    this.at = this.below(bytes.length);
    return bytes;
  }

  private insert(bytes: Uint8Array, piece: Uint8Array): Uint8Array {
    const at = this.below(bytes.length + 1);
    return joined(bytes.subarray(0, at), piece, bytes.subarray(at));
  }

  private remove(bytes: Uint8Array): Uint8Array {
    const at = this.below(bytes.length);
    return joined(bytes.subarray(0, at), bytes.subarray(at + 1 + this.below(this.below(64) + 1)));
  }

  private part(bytes: Uint8Array): Uint8Array {
    const at = this.below(bytes.length);
    return bytes.slice(at, at + 1 + this.below(this.below(256) + 1));
  }

  private noise(): Uint8Array {
    return Uint8Array.from({ length: 1 + this.below(8) }, () => this.below(256));
  }
}

function bigEndian(value: number, bytes: number): number[] {
  return Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** (bytes - 1 - index)) % 256);
}

function joined(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
