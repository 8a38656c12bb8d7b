import { assert } from './assert.js';

/** A source of chance. The pure world gets one as an argument, so that a run can be repeated from its seed. */
export interface Random {
  /** Uniform in [0, 1), in steps of 2^-32. */
  next(): number;
  /** Uniform in 0 .. 2^32 - 1. */
  uint32(): number;
}

/** Outputs that are thrown away after seeding, so that near seeds part: 12 in the author's reference, PractRand's sfc.h. */
const WARM_UP_STEPS = 12;

/**
 * sfc32 by Chris Doty-Humphrey (PractRand): 128 bits of state, no cycle shorter than 2^32. It is predictable: drivers of real sockets inject another source
 * where PROTOCOL §7 asks for one.
 */
export class SeededRandom implements Random {
  private a: number;
  private b: number;
  private c: number;
  private counter: number;

  /** `seed` is any safe integer; all of its 53 bits count. */
  constructor(seed: number) {
    assert(Number.isSafeInteger(seed), 'a seed is a safe integer');
    this.a = 0;
    this.b = seed | 0;
    this.c = Math.floor(seed / 2 ** 32) | 0;
    this.counter = 1;
    for (let step = 0; step < WARM_UP_STEPS; step++) this.uint32();
  }

  uint32(): number {
    return this.step() >>> 0;
  }

  next(): number {
    return (this.step() >>> 0) / 2 ** 32;
  }

  /** A generator for one part of a run, seeded by the next 53 bits: its draws do not shift those of other parts. */
  fork(): SeededRandom {
    const upper = this.uint32() >>> 11;
    return new SeededRandom(upper * 2 ** 32 + this.uint32());
  }

  /** The next 32 bits, signed: half of the unsigned ones would go from here to their caller as numbers on the heap. */
  private step(): number {
    const result = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + result) | 0;
    return result;
  }
}
