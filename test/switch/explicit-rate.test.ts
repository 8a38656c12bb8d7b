import { describe, expect, it } from 'vitest';
import { ExplicitRate } from '../../src/switch/explicit-rate.js';
import { creditExplicitRate } from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import { MAX_HOP_LIMIT } from '../../src/wire/layout.js';
import { codeOfRate, MAX_RATE_CODE, rateOfCode } from '../../src/wire/rate-code.js';
import { creditFrame } from './frames.js';

/** A mean credit and a full frame, at a rate of one of them in 1,000 ns: a slot. */
const CREDIT_BITS = (88 + 1_538) * 8;
const SLOT_NS = 1_000;
const LINK_BPS = (CREDIT_BITS * 1e9) / SLOT_NS;
/** Of the shortest measurement. */
const SLOTS = 16;
/** The number of the port that the credits of `creditFrame` are in, and of another one of their path. */
const HERE = 0;
const ELSEWHERE = 3;
/** Of a rate: half a step of the codes. */
const ROUNDING = 0.0028;
const NOTHING = null;

/** A credit of a flow that takes this part of the link. */
function credit(part: number, hop = HERE): Frame {
  return coded(codeOfRate(part * LINK_BPS), hop);
}

function coded(rateCode: number, hop: number): Frame {
  const frame = creditFrame({ rateCode, hop });
  frame.hopLimit = MAX_HOP_LIMIT - HERE;
  return frame;
}

/** A port's offers, and credits that come one in a slot. */
class Bench {
  readonly offers = new ExplicitRate(LINK_BPS, CREDIT_BITS, 8);
  private slot = 0;

  /** What is offered, as a part of the link. */
  get part(): number {
    return this.offers.rateBps / LINK_BPS;
  }

  /** The credits of `turn` come in turns for so many measurements of 16 slots. */
  pass(turn: readonly (Frame | null)[], measurements: number): this {
    const until = this.slot + measurements * SLOTS;
    for (; this.slot < until; this.slot++) {
      const frame = turn[this.slot % turn.length];
      if (frame !== NOTHING) this.offers.count(frame, this.slot * SLOT_NS);
    }
    return this;
  }

  /** Now, in no slot. */
  forge(frame: Frame): void {
    this.offers.count(frame, this.slot * SLOT_NS);
  }
}

/** So many credits in 16 slots of a flow, or of flows, that take this part each. */
function slots(count: number, part: number, hop = HERE): Frame[] {
  return new Array(count).fill(credit(part, hop));
}

function expectNear(value: number, expected: number, tolerance = ROUNDING): void {
  expect(Math.abs(value / expected - 1), `${value} should be ${expected}`).toBeLessThan(tolerance);
}

describe('the rate that a port offers', () => {
  it.each([1, 2, 3, 7, 16, 32])('to each of %s flows that it limits is an equal part', (flows) => {
    expectNear(new Bench().pass([credit(1 / flows)], 100).part, 1 / flows);
  });

  it.each([
    [64, 1.1],
    [128, 1.2],
    [512, 1.4],
  ])('overloads the link of %s flows to %s, as some of their credits meet a full queue', (flows, load) => {
    expectNear(new Bench().pass([credit(1 / flows)], 10 * flows).part, load / flows);
  });

  it('follows from how long the gaps between credits are, not from how many credits come', () => {
    // Four flows of a twentieth each: a fifth of the slots.
    expectNear(new Bench().pass([credit(1 / 20), NOTHING, NOTHING, NOTHING, NOTHING], 1_000).part, 1 / 4, 0.05);
  });

  it('leaves flows that are limited elsewhere what they take, and shares the rest', () => {
    const bench = new Bench().pass([...slots(2, 1 / 8, ELSEWHERE), ...slots(14, 7 / 16)], 100);
    expectNear(bench.part, 7 / 16, 2 * ROUNDING);
  });

  it('offers what is left besides to the fastest of flows that are all limited elsewhere', () => {
    const bench = new Bench().pass([...slots(4, 1 / 4, ELSEWHERE), ...new Array(12).fill(NOTHING)], 100);
    expectNear(bench.part, 1);
    const two = new Bench().pass([...slots(8, 1 / 4, ELSEWHERE), ...new Array(8).fill(NOTHING)], 100);
    expectNear(two.part, 3 / 4);
  });

  it('holds flows to an equal part that say another hop limits them and take more', () => {
    // Three that take 0.3 each, and one that is limited here.
    const bench = new Bench().pass([...slots(15, 0.3125, ELSEWHERE), credit(1 / 16)], 200);
    expectNear(bench.part, 1 / 4, 2 * ROUNDING);
  });

  it('goes a quarter beyond the link, and no further, where credits of its flow are lost before it', () => {
    expectNear(new Bench().pass([credit(1), NOTHING], 100).part, 1.25);
    expectNear(new Bench().pass([credit(1), NOTHING, NOTHING, NOTHING], 100).part, 1.25);
  });

  it('is another at once when twice as many flows come, and when half of them go', () => {
    const bench = new Bench().pass([credit(1 / 4)], 20);
    // One measurement is under way when they come, and the credit after the next one ends that.
    expectNear(bench.pass([credit(1 / 8)], 3).part, 1 / 8);
    expectNear(bench.pass([credit(1 / 4)], 3).part, 1 / 4);
  });

  it('moves a quarter of the way for less than a quarter of difference', () => {
    const bench = new Bench().pass([credit(1 / 10)], 20);
    const distances = Array.from({ length: 6 }, () => bench.pass([credit(1 / 11)], 1).part - 1 / 11);
    for (let step = 1; step < distances.length; step++)
      expect(distances[step] / distances[step - 1]).toBeCloseTo(0.75, 1);
  });

  it('falls by no more than two flows for a credit that names the lowest rate, and is as before after it', () => {
    for (const hop of [HERE, ELSEWHERE]) {
      const bench = new Bench().pass([credit(1 / 2)], 20);
      bench.forge(coded(1, hop));
      const parts = Array.from({ length: 8 }, () => bench.pass([credit(1 / 2)], 1).part);
      // Limited elsewhere, it takes one slot of 16 from the two: noise, of which a quarter counts.
      expectNear(Math.min(...parts), hop === HERE ? 1 / 4 : (1 / 2) * (1 - 1 / 64), 2 * ROUNDING);
      expectNear(parts[7], 1 / 2, 4 * ROUNDING);
    }
  });

  it('counts no credit without a rate code', () => {
    const bench = new Bench().pass([credit(1 / 4)], 20);
    expect(bench.pass([creditFrame()], 20).part).toBeCloseTo(1 / 4, 2);
  });
});

describe('the rate of a link', () => {
  it('is what the port offers from the moment that it changes, and nothing changes where it does not', () => {
    const bench = new Bench().pass([credit(1 / 4)], 20);
    bench.offers.configure(LINK_BPS, CREDIT_BITS, 8);
    expectNear(bench.part, 1 / 4);
    bench.offers.configure(LINK_BPS / 2, CREDIT_BITS, 8);
    expect(bench.part).toBe(1 / 2);
    expectNear(bench.pass([credit(1 / 8), NOTHING], 20).part, 1 / 8);
  });

  it('that is unlimited offers nothing, however many flows pass', () => {
    const offers = new ExplicitRate(Number.POSITIVE_INFINITY, CREDIT_BITS, 8);
    for (let count = 0; count < 100; count++) offers.count(credit(1 / 4), count * SLOT_NS);
    const frame = credit(1 / 4);
    offers.stamp(frame);
    expect(explicitRate(frame)).toEqual({ code: MAX_RATE_CODE, hop: 15 });
  });
});

function explicitRate({ bytes }: Frame): { code: number; hop: number } {
  const field = creditExplicitRate(bytes);
  return { code: field >>> 4, hop: field & 15 };
}

describe('a credit that leaves a port', () => {
  it('brings what the port offers and its hop, unless a port before offered less', () => {
    const [wide, narrow] = [1, 1 / 4].map((part) => new Bench().pass([credit(part)], 20).offers);
    const frame = credit(1 / 2);
    frame.hopLimit = 62;
    wide.stamp(frame);
    expect(explicitRate(frame)).toEqual({ code: codeOfRate(LINK_BPS), hop: 1 });
    frame.hopLimit = 61;
    narrow.stamp(frame);
    const offered = { code: codeOfRate(narrow.rateBps), hop: 2 };
    expect(explicitRate(frame)).toEqual(offered);
    wide.stamp(frame);
    expect(explicitRate(frame)).toEqual(offered);
  });

  it('names hop 14 from the fifteenth port on', () => {
    const frame = credit(1);
    frame.hopLimit = 40;
    new Bench().offers.stamp(frame);
    expect(explicitRate(frame).hop).toBe(14);
  });

  it('is left alone where it asks for no explicit rate', () => {
    const frame = creditFrame({ wireBytes: 92 });
    const before = frame.bytes.slice(0, frame.length);
    new Bench().pass([credit(1 / 4)], 20).offers.stamp(frame);
    expect(frame.bytes.slice(0, frame.length)).toEqual(before);
  });
});

/** Two classes at one port, each with a flow that goes at the rate offered to it, but no faster than `most` of the link. */
class Classes {
  readonly high = { offers: new ExplicitRate(LINK_BPS, CREDIT_BITS, 8), nextNs: 0, most: 1 };
  readonly low = { offers: new ExplicitRate(LINK_BPS, CREDIT_BITS, 8), nextNs: 0, most: 1 };
  private nowNs = 0;

  constructor(lowPart: number) {
    this.low.offers.share(this.high.offers, lowPart);
    this.high.offers.share(this.low.offers, 1 - lowPart);
  }

  /** Parts of the link, after so many slots. */
  pass(slotCount: number): { high: number; low: number } {
    const untilNs = this.nowNs + slotCount * SLOT_NS;
    for (;;) {
      const next = this.high.nextNs <= this.low.nextNs ? this.high : this.low;
      if (next.nextNs > untilNs) break;
      const { offers, most } = next;
      const isLimitedHere = offers.rateBps <= most * LINK_BPS;
      const code = codeOfRate(isLimitedHere ? offers.rateBps : most * LINK_BPS);
      offers.count(coded(code, isLimitedHere ? HERE : ELSEWHERE), next.nextNs);
      next.nextNs += (CREDIT_BITS * 1e9) / rateOfCode(code);
    }
    this.nowNs = untilNs;
    return { high: this.high.offers.rateBps / LINK_BPS, low: this.low.offers.rateBps / LINK_BPS };
  }

  stopHigh(): void {
    this.high.nextNs = Number.POSITIVE_INFINITY;
  }
}

describe('two classes at a port', () => {
  it('strict: the low one is offered some hundredths beside a high one that takes all', () => {
    const { high, low } = new Classes(0).pass(5_000);
    expectNear(high, 1, 0.02);
    // Its credits are further apart than a measurement is long, so each counts for a part of a flow: a third at a hundredth of the link.
    expect(low).toBeGreaterThan(0.0099);
    expect(low).toBeLessThan(0.033);
  });

  it('strict: the low one is offered what the high one leaves', () => {
    const classes = new Classes(0);
    classes.high.most = 1 / 2;
    // A measurement of 16 slots sees seven to nine credits of the high class, of which noise counts a quarter.
    expectNear(classes.pass(5_000).low, 1 / 2, 0.1);
  });

  it.each([1, 3, 9])('by weight %s: both that want all are offered their shares', (weight) => {
    const { high, low } = new Classes(1 / (weight + 1)).pass(20_000);
    expectNear(high, weight / (weight + 1), 0.06);
    expectNear(low, 1 / (weight + 1), 0.06);
  });

  it('by weight: the high one is offered what the low one leaves', () => {
    const classes = new Classes(1 / 2);
    classes.low.most = 1 / 4;
    expectNear(classes.pass(5_000).high, 3 / 4, 0.1);
  });

  it.each([0, 1 / 4])(
    'the low one, with %s of the link for its own, is offered all soon after the high one has stopped',
    (lowPart) => {
      const classes = new Classes(lowPart);
      classes.pass(5_000);
      classes.stopHigh();
      // Two credits at a hundredth of the link.
      expect(classes.pass(210).low).toBeGreaterThanOrEqual(1);
    },
  );
});
