import { describe, expect, it } from 'vitest';
import { DeadlineHeap } from '../../src/base/deadline-heap.js';
import { SeededRandom } from '../../src/base/random.js';
import { transmissionNs } from '../../src/base/time.js';
import { ExplicitRate } from '../../src/switch/explicit-rate.js';
import { LowClass } from '../../src/switch/low-class.js';
import { DEFAULT_PORT, Port, type PortConfig } from '../../src/switch/port.js';
import { PortDrop } from '../../src/switch/port-statistics.js';
import { creditSequence, ecn, flags } from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import { CreditFlag, creditShare, Ecn } from '../../src/wire/layout.js';
import { codeOfRate, rateOfCode } from '../../src/wire/rate-code.js';
import { creditFrame } from './frames.js';

const LOW = CreditFlag.lowClass;
const RATE_BPS = 10e9;
const CREDIT_BYTES = 84;
/** Time in which the meter lets one credit of 84 bytes through. */
const CREDIT_NS = (CREDIT_BYTES * 8e9) / (RATE_BPS * creditShare(1472));

const makePort = (changes: Partial<PortConfig> = {}) =>
  new Port({ ...DEFAULT_PORT, rateBps: RATE_BPS, ...changes }, undefined, new SeededRandom(3));

function taken(port: Port): Frame[] {
  const frames: Frame[] = [];
  for (let frame = port.dequeue(); frame !== null; frame = port.dequeue()) frames.push(frame);
  return frames;
}

interface Offer {
  /** Credits of each class in the time in which the meter lets one through. */
  high: number;
  low: number;
}

/** Offers both classes evenly for the time of `credits` credits; returns what came out of each, and the port. */
function offer(port: Port, { high, low }: Offer, credits = 4_000) {
  const arrivals = [
    ...Array.from({ length: high * credits }, (_, at) => ({ atNs: (at * CREDIT_NS) / high, flags: 0 })),
    ...Array.from({ length: low * credits }, (_, at) => ({ atNs: ((at + 0.5) * CREDIT_NS) / low, flags: LOW })),
  ].sort((one, other) => one.atNs - other.atNs);
  const out = { high: 0, low: 0, highMarked: 0, lowMarked: 0 };
  for (const { atNs, flags: bits } of arrivals) {
    port.enqueue(creditFrame({ wireBytes: CREDIT_BYTES, flags: bits }), atNs);
    for (const { bytes } of taken(port)) {
      const name = flags(bytes) === LOW ? 'low' : 'high';
      out[name]++;
      if (ecn(bytes) === Ecn.congestionExperienced) out[`${name}Marked`]++;
    }
  }
  return out;
}

describe('two classes of credits at a port', () => {
  it('that both want more than there is: strict gives all to the high class', () => {
    const port = makePort();
    const { high, low } = offer(port, { high: 2, low: 2 });
    // The two that the bucket holds at first may be of either.
    expect(low).toBeLessThanOrEqual(2);
    expect(high).toBeGreaterThan(3_990);
  });

  it('the low class gets what the high one leaves', () => {
    const { high, low } = offer(makePort(), { high: 0.5, low: 2 });
    expect(high).toBeGreaterThanOrEqual(1_999);
    expect(high + low).toBeGreaterThan(3_990);
  });

  it.each([
    [3, 3],
    [1, 1],
    [0.25, 0.25],
    [10, 10],
  ])('by weight %s: the high class gets %s times the credits of the low one', (creditClassWeight, ratio) => {
    const { high, low } = offer(makePort({ creditClassWeight }), { high: 2, low: 2 });
    expect(Math.abs(high / low / ratio - 1)).toBeLessThan(0.01);
    expect(high + low).toBeGreaterThan(3_990);
  });

  it.each([
    ['high', { high: 2, low: 0 }],
    ['low', { high: 0, low: 2 }],
  ] as const)('by weight: the %s class alone gets all', (name, classes) => {
    expect(offer(makePort({ creditClassWeight: 3 }), classes)[name]).toBeGreaterThan(3_990);
  });

  it('by weight: a class that wants less than its share gets it, the other the rest', () => {
    const { high, low } = offer(makePort({ creditClassWeight: 3 }), { high: 0.5, low: 2 });
    expect(high).toBeGreaterThanOrEqual(1_999);
    expect(high + low).toBeGreaterThan(3_990);
  });

  it('a class that was idle has saved up a credit, and no more', () => {
    const port = makePort({ creditClassWeight: 1 });
    port.enqueue(creditFrame({ flags: LOW }), 0);
    offer(port, { high: 2, low: 0 });
    const startNs = 4_001 * CREDIT_NS;
    for (let label = 0; label < 8; label++) port.enqueue(creditFrame({ label, flags: LOW }), startNs);
    port.advance(startNs + 8.5 * CREDIT_NS);
    const order = taken(port).map(({ bytes }) => flags(bytes) === LOW);
    const firstLow = order.indexOf(true);
    // Two in a row, then turn by turn.
    expect(order.slice(firstLow, firstLow + 6)).toEqual([true, true, false, true, false, true]);
  });

  it('never start a credit before it came, even where the bucket held its bytes and not those of the one before', () => {
    const port = makePort();
    for (let credit = 0; credit < 2; credit++) port.enqueue(creditFrame({ wireBytes: 92 }), 0);
    port.enqueue(creditFrame({ wireBytes: 92, flags: LOW }), 0);
    port.advance(0.95 * CREDIT_NS);
    taken(port);
    port.enqueue(creditFrame({ wireBytes: 84 }), 1.05 * CREDIT_NS);
    port.advance(1e9);
    const [first] = taken(port);
    expect(flags(first.bytes)).toBe(0);
    expect(first.atNs - (84 * 8e9) / RATE_BPS).toBeGreaterThanOrEqual(1.05 * CREDIT_NS - 1e-6);
  });

  it('keep their order each', () => {
    const port = makePort({ creditClassWeight: 2 });
    for (let label = 1; label <= 6; label++) {
      port.enqueue(creditFrame({ label }), 0);
      port.enqueue(creditFrame({ label: 100 + label, flags: LOW }), 0);
    }
    port.advance(1e9);
    const sequences = taken(port).map(({ bytes }) => creditSequence(bytes));
    expect(sequences.filter((each) => each < 100)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(sequences.filter((each) => each > 100)).toEqual([101, 102, 103, 104, 105, 106]);
  });

  it('have a queue each, and drops and credits are counted for each', () => {
    const port = makePort();
    const codes = [0, LOW].map((bits) =>
      Array.from({ length: 11 }, () => port.enqueue(creditFrame({ wireBytes: CREDIT_BYTES, flags: bits }), 0)),
    );
    expect(codes[0].filter((code) => code === PortDrop.creditQueueFull)).toHaveLength(2);
    expect(codes[1].filter((code) => code === PortDrop.lowCreditQueueFull)).toHaveLength(3);
    expect(port.creditQueueFrames).toBe(16);
    expect(port.heldFrames).toBe(17);
    port.advance(1e9);
    expect(taken(port)).toHaveLength(17);
    expect(port.statistics.snapshot(1e9)).toMatchObject({
      credit: { frames: 17, wireBytes: 17 * CREDIT_BYTES },
      lowCredit: { frames: 8, wireBytes: 8 * CREDIT_BYTES },
      drops: { creditQueueFull: 2, lowCreditQueueFull: 3 },
      creditQueueFramesMax: 16,
    });
    port.statistics.reset(1e9);
    expect(port.statistics.snapshot(1e9).lowCredit).toEqual({ frames: 0, wireBytes: 0 });
  });

  it('have the marks of their own drops', () => {
    const { highMarked, low, lowMarked } = offer(makePort(), { high: 0.5, low: 2 });
    expect(highMarked).toBe(0);
    expect(lowMarked / low).toBeCloseTo(0.75, 1);
  });

  it('follow a setting that changes', () => {
    const port = makePort();
    for (let label = 0; label < 8; label++) {
      port.enqueue(creditFrame(), 0);
      port.enqueue(creditFrame({ flags: LOW }), 0);
    }
    port.configure({ creditClassWeight: 1 }, 0);
    port.advance(7 * CREDIT_NS);
    const lows = taken(port).filter(({ bytes }) => flags(bytes) === LOW).length;
    expect(lows).toBeGreaterThanOrEqual(3);
  });

  it('are emptied together', () => {
    const port = makePort();
    for (let label = 0; label < 5; label++) {
      port.enqueue(creditFrame(), 0);
      port.enqueue(creditFrame({ flags: LOW }), 0);
    }
    let lost = 0;
    port.flush(() => lost++, 0);
    expect([lost, port.creditQueueFrames, port.heldFrames]).toEqual([9, 0, 1]);
    expect(port.nextTimeout()).toBe(Number.POSITIVE_INFINITY);
  });
});

const LINK_BPS = 10e9;
const CREDIT_BITS = 13_008;
const HOP = 0;

interface Flows {
  offers: ExplicitRate;
  count: number;
}

/**
 * Flows that take the offer of their class at each credit, for 40 ms; returns the mean of all credits of each class over the last half, as a part of
 * the link.
 */
function partsOfLink(classes: readonly Flows[]): number[] {
  const random = new SeededRandom(7);
  const flows = classes.flatMap(({ offers, count }, index) =>
    Array.from({ length: count }, () => ({ offers, index, code: codeOfRate(LINK_BPS) })),
  );
  const due = new DeadlineHeap();
  flows.forEach((_, slot) => {
    due.set(slot, random.next() * 1e5);
  });
  const credits = classes.map(() => 0);
  const frame = creditFrame({ rateCode: 1 });
  for (let nowNs = 0; nowNs < 40e6; nowNs = due.peekDeadline()) {
    const slot = due.peekSlot();
    const flow = flows[slot];
    const credit = creditFrame({ rateCode: flow.code, hop: HOP, into: frame });
    credit.hopLimit = 63;
    flow.offers.count(credit, nowNs);
    flow.code = codeOfRate(Math.min(LINK_BPS, flow.offers.rateBps));
    if (nowNs >= 20e6) credits[flow.index]++;
    const gapNs = transmissionNs(CREDIT_BITS / 8, rateOfCode(flow.code));
    due.set(slot, nowNs + gapNs * (1 + 0.04 * (random.next() - 0.5)));
  }
  return credits.map((each) => (each * CREDIT_BITS) / (LINK_BPS * 20e-3));
}

/** The offers of both classes of a port. */
function offersOf(weight: number): { high: ExplicitRate; low: ExplicitRate } {
  const high = new ExplicitRate(LINK_BPS, CREDIT_BITS, 8);
  const lowClass = new LowClass(weight, 0, new SeededRandom(1));
  lowClass.shareOffers(high);
  return { high, low: lowClass.explicitRate };
}

describe('offers of two classes at a port', () => {
  it.each([
    [3, 16],
    [3, 64],
    [10, 4],
    [10, 24],
    [1, 24],
  ])('by weight %s: %i flows of the low class are offered its part', (weight, count) => {
    const { high, low } = offersOf(weight);
    const [highPart, lowPart] = partsOfLink([
      { offers: high, count: 4 },
      { offers: low, count },
    ]);
    expect(highPart).toBeCloseTo(weight / (weight + 1), 1);
    expect(lowPart * (weight + 1)).toBeGreaterThan(0.85);
    expect(lowPart * (weight + 1)).toBeLessThan(1.15);
  });

  it('strict: flows of the low class are offered a hundredth, however many', () => {
    const { high, low } = offersOf(Number.POSITIVE_INFINITY);
    const [highPart, lowPart] = partsOfLink([
      { offers: high, count: 4 },
      { offers: low, count: 10 },
    ]);
    expect(highPart).toBeGreaterThan(0.97);
    expect(lowPart).toBeLessThan(0.02);
  });
});
