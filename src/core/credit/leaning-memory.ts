// Tested by test/core/credit/leaning.test.ts
import type { NumberRecord } from '../../base/record-arena.js';

/** Where what is remembered of a flow stands in its record. As fields ten fractions were ten objects more on V8's heap, 160 bytes of the 290 that the law took of an idle flow. */
const RATE = 0;
const W = 1;
const SHARE = 2;
const RECENT = 3;
const DELIVERED_PART = 4;
const LONG_CREDITS = 5;
const LONG_LINK_CREDITS = 6;
const LOWEST_W = 7;
const QUIET_CREDITS = 8;
const STEPPED = 9;

/** What our rate law remembers of one flow. */
export abstract class LeaningMemory {
  private readonly numbers: Float64Array;
  private readonly at: number;

  /** The first ALGORITHM_NUMBERS of the record are its own. */
  constructor({ numbers, at }: NumberRecord) {
    this.numbers = numbers;
    this.at = at;
  }

  get rateBps(): number {
    return this.numbers[this.at + RATE];
  }

  protected set rateBps(rateBps: number) {
    this.numbers[this.at + RATE] = rateBps;
  }

  protected get w(): number {
    return this.numbers[this.at + W];
  }

  protected set w(w: number) {
    this.numbers[this.at + W] = w;
  }

  /** What the path gives the flow, by the credits that it delivered, bit/s; 0 before the first sample. */
  protected get shareBps(): number {
    return this.numbers[this.at + SHARE];
  }

  protected set shareBps(shareBps: number) {
    this.numbers[this.at + SHARE] = shareBps;
  }

  /** The same over fewer credits. */
  protected get recentBps(): number {
    return this.numbers[this.at + RECENT];
  }

  protected set recentBps(recentBps: number) {
    this.numbers[this.at + RECENT] = recentBps;
  }

  /** Of the credits of the last sample, remembered like the share. */
  protected get deliveredPart(): number {
    return this.numbers[this.at + DELIVERED_PART];
  }

  protected set deliveredPart(part: number) {
    this.numbers[this.at + DELIVERED_PART] = part;
  }

  /** Credits delivered while the flow was settled, and the time in which they were, in credits of a link; both are scaled down at long_memory. */
  protected get longCredits(): number {
    return this.numbers[this.at + LONG_CREDITS];
  }

  protected set longCredits(credits: number) {
    this.numbers[this.at + LONG_CREDITS] = credits;
  }

  protected get longLinkCredits(): number {
    return this.numbers[this.at + LONG_LINK_CREDITS];
  }

  protected set longLinkCredits(credits: number) {
    this.numbers[this.at + LONG_LINK_CREDITS] = credits;
  }

  protected get lowestW(): number {
    return this.numbers[this.at + LOWEST_W];
  }

  protected set lowestW(w: number) {
    this.numbers[this.at + LOWEST_W] = w;
  }

  /** Credits delivered since the last one that was lost. */
  protected get quietCredits(): number {
    return this.numbers[this.at + QUIET_CREDITS];
  }

  protected set quietCredits(credits: number) {
    this.numbers[this.at + QUIET_CREDITS] = credits;
  }

  /** When w last rose or a credit was last lost. */
  protected get steppedNs(): number {
    return this.numbers[this.at + STEPPED];
  }

  protected set steppedNs(nowNs: number) {
    this.numbers[this.at + STEPPED] = nowNs;
  }
}
