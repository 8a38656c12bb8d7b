import { describe, expect, it } from 'vitest';
import { type Random, SeededRandom } from '../../src/base/random.js';
import { NEVER } from '../../src/base/time.js';
import { DEFAULT_PORT, Port, type PortConfig } from '../../src/switch/port.js';
import { PortDrop } from '../../src/switch/port-statistics.js';
import { creditSequence, dataCreditSequence, ecn, frameType } from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import {
  Credit,
  creditShare,
  Ecn,
  FrameType,
  SEALED_CREDIT_EXTRA_BYTES,
  WIRE_OVERHEAD_BYTES,
} from '../../src/wire/layout.js';
import { TEST_SEED } from '../harness/seeds.js';
import { CREDIT_WIRE_BYTES, creditFrame, dataFrame, FULL_WIRE_BYTES, speculativeFrame, stopFrame } from './frames.js';

/** One gigabit a second: 8 ns a byte. */
const GIGABIT: Partial<PortConfig> = { rateBps: 1e9 };
const FULL_NS = FULL_WIRE_BYTES * 8;
const CREDIT_NS = CREDIT_WIRE_BYTES * 8;

function makePort(changes: Partial<PortConfig> = GIGABIT): Port {
  return new Port({ ...DEFAULT_PORT, ...changes });
}

function drain(port: Port): Frame[] {
  const frames: Frame[] = [];
  for (let frame = port.dequeue(); frame !== null; frame = port.dequeue()) frames.push(frame);
  return frames;
}

function labels(frames: readonly Frame[]): string[] {
  return frames.map(({ bytes }) =>
    frameType(bytes) === FrameType.credit ? `credit ${creditSequence(bytes)}` : `data ${dataCreditSequence(bytes)}`,
  );
}

describe('the serialiser', () => {
  it('hands a frame over when its transmission starts, stamped with the arrival of its last bit', () => {
    const port = makePort({ rateBps: 1e9, delayNs: 5000 });
    expect(port.enqueue(dataFrame(), 1000)).toBe(0);
    expect(drain(port).map(({ atNs }) => atNs)).toEqual([1000 + FULL_NS + 5000]);
    expect(port.nextTimeout()).toBe(NEVER);
  });

  it('starts each frame when the one before it is out', () => {
    const port = makePort();
    for (let label = 1; label <= 3; label++) port.enqueue(dataFrame({ label }), 0);
    expect(drain(port)).toHaveLength(1);
    expect(port.nextTimeout()).toBe(FULL_NS);
    port.advance(FULL_NS - 1);
    expect(drain(port)).toHaveLength(0);
    port.advance(FULL_NS);
    expect(labels(drain(port))).toEqual(['data 2']);
    port.advance(1e9);
    expect(drain(port).map(({ atNs }) => atNs)).toEqual([3 * FULL_NS]);
  });

  it('takes a stamp that goes back as the latest one', () => {
    const port = makePort();
    port.advance(5000);
    port.enqueue(dataFrame(), 1000);
    expect(drain(port)[0].atNs).toBe(5000 + FULL_NS);
  });

  it('passes everything at once where the rate is unlimited, and meters nothing', () => {
    const port = makePort({ delayNs: 300 });
    for (let label = 1; label <= 50; label++) {
      expect(port.enqueue(creditFrame({ label }), 10)).toBe(0);
      expect(port.enqueue(dataFrame({ label }), 10)).toBe(0);
    }
    const frames = drain(port);
    expect(frames).toHaveLength(100);
    expect(frames.every(({ atNs }) => atNs === 310)).toBe(true);
    expect(port.statistics.snapshot(20)).toMatchObject({ dataQueueBytesMax: 0, creditQueueFramesMax: 0, drops: {} });
  });

  it('drops a frame that is longer than the link carries', () => {
    const port = makePort({ rateBps: 1e9, maxFrameBytes: 1000 });
    expect(port.enqueue(dataFrame({ wireBytes: 1066 }), 0)).toBe(0);
    expect(port.enqueue(dataFrame({ wireBytes: 1067 }), 0)).toBe(PortDrop.frameTooLong);
  });
});

describe('the credit queue', () => {
  it('drops a CREDIT longer than any with a seal: a long one would hold all others up for the time of its bytes', () => {
    const port = makePort();
    const long = creditFrame();
    long.length = CREDIT_WIRE_BYTES - WIRE_OVERHEAD_BYTES + Credit.maxPaddingBytes + SEALED_CREDIT_EXTRA_BYTES;
    expect(port.enqueue(long, 0)).toBe(0);
    long.length++;
    expect(port.enqueue(long, 0)).toBe(PortDrop.frameTooLong);
    expect(port.enqueue(creditFrame(), 0)).toBe(0);
  });

  it('lets two credits burst and spaces the rest by the share of the link', () => {
    const port = makePort();
    for (let label = 1; label <= 5; label++) port.enqueue(creditFrame({ label }), 0);
    port.advance(1e9);
    const startsNs = drain(port).map(({ atNs }) => atNs - CREDIT_NS);
    const bytesPerNs = (creditShare(1472) * 1e9) / 8e9;
    // The n-th credit needs n * 84 bytes, of which the bucket held 184 at first.
    expect(startsNs[0]).toBe(0);
    expect(startsNs[1]).toBe(CREDIT_NS);
    expect(startsNs[2]).toBeCloseTo((3 * 84 - 184) / bytesPerNs, 6);
    expect(startsNs[3]).toBeCloseTo((4 * 84 - 184) / bytesPerNs, 6);
    expect(startsNs[4]).toBeCloseTo((5 * 84 - 184) / bytesPerNs, 6);
    expect(creditShare(1472)).toBeCloseTo(0.0541, 4);
  });

  it('holds eight credits and drops the ninth', () => {
    const port = makePort();
    const codes = Array.from({ length: 11 }, (_, label) => port.enqueue(creditFrame({ label }), 0));
    // One starts at once, one more has tokens but waits for the serialiser among the eight.
    expect(codes).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, PortDrop.creditQueueFull, PortDrop.creditQueueFull]);
    expect(port.statistics.snapshot(0)).toMatchObject({ creditQueueFramesMax: 8, drops: { creditQueueFull: 2 } });
  });

  it('counts credits, not their bytes', () => {
    const port = makePort({ rateBps: 1e9, creditQueueFrames: 1 });
    expect(port.enqueue(creditFrame({ wireBytes: 92 }), 0)).toBe(0);
    expect(port.enqueue(creditFrame({ wireBytes: 92 }), 0)).toBe(0);
    expect(port.enqueue(creditFrame({ wireBytes: 84 }), 0)).toBe(PortDrop.creditQueueFull);
  });

  it('shares a full link as 88 to 1538 when both queues are full', () => {
    const seed = TEST_SEED;
    const random = new SeededRandom(seed);
    const port = makePort();
    const sent = flood(port, 3e7, (nowNs) => {
      port.enqueue(creditFrame({ wireBytes: 84 + Math.floor(random.next() * 9) }), nowNs);
      return port.enqueue(dataFrame({ unchecked: true }), nowNs);
    });
    const linkBytes = 3e7 / 8;
    const message = `seed ${seed}`;
    expect(Math.abs(sent.creditBytes - creditShare(1472) * linkBytes), message).toBeLessThanOrEqual(184 + 92);
    expect(Math.abs(sent.creditBytes + sent.dataBytes - linkBytes), message).toBeLessThanOrEqual(FULL_WIRE_BYTES);
  });
});

describe('priority', () => {
  it('sends a credit with tokens before data that waited longer', () => {
    const port = makePort();
    port.enqueue(dataFrame({ label: 1 }), 0);
    port.enqueue(dataFrame({ label: 2 }), 10);
    port.enqueue(creditFrame({ label: 3 }), 20);
    port.advance(1e9);
    expect(labels(drain(port))).toEqual(['data 1', 'credit 3', 'data 2']);
  });

  it('lets data pass while the credit waits for tokens', () => {
    const port = makePort();
    for (let label = 1; label <= 3; label++) port.enqueue(creditFrame({ label }), 0);
    port.enqueue(dataFrame({ label: 4 }), 10);
    port.advance(1e9);
    expect(labels(drain(port))).toEqual(['credit 1', 'credit 2', 'data 4', 'credit 3']);
  });

  it('starts data at once on an idle link where a credit waits for tokens', () => {
    const port = makePort();
    for (let label = 1; label <= 3; label++) port.enqueue(creditFrame({ label }), 0);
    port.advance(5000);
    drain(port);
    port.enqueue(dataFrame({ label: 4 }), 6000);
    expect(drain(port).map(({ atNs }) => atNs)).toEqual([6000 + FULL_NS]);
    // The third credit has its tokens at about 10,052 ns, and waits for the data that is on the link by then.
    expect(port.nextTimeout()).toBe(6000 + FULL_NS);
  });

  it('puts every type but credits into the data queue, in order', () => {
    const port = makePort();
    port.enqueue(dataFrame(), 0);
    port.enqueue(stopFrame(), 0);
    port.enqueue(dataFrame(), 0);
    port.advance(1e9);
    const types = drain(port).map(({ bytes }) => frameType(bytes));
    expect(types).toEqual([FrameType.data, FrameType.creditStop, FrameType.data]);
    expect(port.statistics.snapshot(1e9).control).toEqual({ frames: 1, wireBytes: 90 });
  });
});

describe('the data queue', () => {
  it('does not count a frame that finds the link idle', () => {
    const port = makePort();
    port.enqueue(dataFrame(), 0);
    port.advance(1e6);
    port.enqueue(dataFrame(), 1e6);
    expect(port.statistics.snapshot(2e6)).toMatchObject({ dataQueueBytesMax: 0, dataQueueBytesMean: 0 });
  });

  it('takes frames up to its limit in wire bytes and drops what does not fit', () => {
    const port = makePort({ rateBps: 1e9, dataQueueBytes: 2 * FULL_WIRE_BYTES + 90 });
    port.enqueue(dataFrame(), 0);
    const queued = [dataFrame(), dataFrame(), dataFrame(), stopFrame(), stopFrame()];
    const codes = queued.map((frame) => port.enqueue(frame, 0));
    expect(codes).toEqual([0, 0, PortDrop.dataQueueFull, 0, PortDrop.dataQueueFull]);
    expect(port.dataQueueBytes).toBe(2 * FULL_WIRE_BYTES + 90);
  });

  it('marks an ECN-capable frame that finds more than K bytes, and no other', () => {
    const port = makePort({ rateBps: 1e9, ecnThresholdBytes: 2 * FULL_WIRE_BYTES });
    // The first starts at once; the others find 0, 1, 2, 3 and 4 frames in the queue.
    const frames = [dataFrame(), dataFrame(), dataFrame(), dataFrame(), dataFrame(), stopFrame(), dataFrame()];
    for (const frame of frames) port.enqueue(frame, 0);
    const marks = frames.map(({ bytes }) => ecn(bytes) === Ecn.congestionExperienced);
    expect(marks).toEqual([false, false, false, false, true, false, true]);
    expect(ecn(frames[5].bytes)).toBe(Ecn.notCapable);
    expect(port.statistics.snapshot(0).ecnMarks).toBe(2);
  });

  it('does not mark credits, which wait in another queue', () => {
    const port = makePort({ rateBps: 1e9, ecnThresholdBytes: 0 });
    for (let frame = 0; frame < 5; frame++) port.enqueue(dataFrame(), 0);
    const credit = creditFrame();
    port.enqueue(credit, 0);
    expect(ecn(credit.bytes)).toBe(Ecn.capable0);
  });

  it('has the mean over time that a hand computes', () => {
    const port = makePort();
    for (let frame = 0; frame < 3; frame++) port.enqueue(dataFrame(), 0);
    // Two frames wait for one transmission, one for another, none for two more: (2 + 1) * 1538 / 4.
    port.advance(4 * FULL_NS);
    expect(port.statistics.snapshot(4 * FULL_NS)).toMatchObject({
      dataQueueBytesMax: 2 * FULL_WIRE_BYTES,
      dataQueueBytesMean: (3 * FULL_WIRE_BYTES) / 4,
    });
  });
});

describe('changing a port while it runs', () => {
  it('keeps what is queued and sends it at the new rate', () => {
    const port = makePort();
    port.enqueue(dataFrame(), 0);
    port.enqueue(dataFrame(), 0);
    drain(port);
    port.configure({ rateBps: 1e8 }, 100);
    port.advance(1e9);
    // The first was on the link already; the second follows it at a tenth of the rate.
    expect(drain(port).map(({ atNs }) => atNs)).toEqual([FULL_NS + 10 * FULL_NS]);
  });

  it('empties its queues when the rate becomes unlimited', () => {
    const port = makePort();
    for (let frame = 0; frame < 5; frame++) {
      port.enqueue(dataFrame(), 0);
      port.enqueue(creditFrame(), 0);
    }
    port.configure({ rateBps: Number.POSITIVE_INFINITY }, 100);
    expect(drain(port)).toHaveLength(1);
    port.advance(FULL_NS);
    const rest = drain(port);
    expect(rest).toHaveLength(9);
    expect(rest.every(({ atNs }) => atNs === FULL_NS)).toBe(true);
  });

  it('lets a credit that waited for tokens go at once when the rate becomes unlimited', () => {
    const port = makePort();
    for (let label = 1; label <= 3; label++) port.enqueue(creditFrame({ label }), 0);
    port.advance(5000);
    expect(drain(port)).toHaveLength(2);
    port.configure({ rateBps: Number.POSITIVE_INFINITY }, 6000);
    expect(drain(port).map(({ atNs }) => atNs)).toEqual([6000]);
    expect(port.nextTimeout()).toBe(NEVER);
  });

  it('follows another credit queue limit', () => {
    const port = makePort();
    port.configure({ creditQueueFrames: 2 }, 0);
    const codes = Array.from({ length: 4 }, () => port.enqueue(creditFrame(), 0));
    expect(codes).toEqual([0, 0, 0, PortDrop.creditQueueFull]);
  });
});

describe('a port that is flushed', () => {
  it('loses what is queued and not what has started, and then works as before', () => {
    const port = makePort();
    for (let label = 1; label <= 3; label++) port.enqueue(dataFrame({ label }), 0);
    for (let label = 1; label <= 3; label++) port.enqueue(creditFrame({ label }), 0);
    const lost: Frame[] = [];
    port.flush((frame) => lost.push(frame), FULL_NS / 2);
    expect(labels(lost)).toEqual(['credit 1', 'credit 2', 'credit 3', 'data 2', 'data 3']);
    expect(labels(drain(port))).toEqual(['data 1']);
    expect([port.dataQueueBytes, port.creditQueueFrames, port.nextTimeout()]).toEqual([0, 0, NEVER]);
    port.enqueue(dataFrame({ label: 4 }), FULL_NS / 2);
    port.advance(FULL_NS);
    expect(drain(port).map(({ atNs }) => atNs)).toEqual([2 * FULL_NS]);
  });
});

describe('virtual time', () => {
  it('gives the same departures, drops, marks and queue however late the caller comes', () => {
    for (let run = 0; run < 30; run++) {
      const seed = TEST_SEED + run;
      const arrivals = randomArrivals(new SeededRandom(seed));
      const timely = replay(arrivals, true);
      const late = replay(arrivals, false);
      expect(late, `seed ${seed}`).toEqual(timely);
    }
  });

  it('never lets two transmissions overlap, nor leaves the link idle while data waits', () => {
    const seed = TEST_SEED;
    const random = new SeededRandom(seed);
    const { departures } = replay(randomArrivals(random), true);
    let freeNs = 0;
    departures.forEach(({ startNs, endNs }, index) => {
      expect(startNs, `seed ${seed}`).toBeGreaterThanOrEqual(freeNs);
      const waiting = departures.slice(index).find(({ isCredit }) => !isCredit);
      const dueNs = Math.max(freeNs, waiting?.arrivedNs ?? startNs);
      expect(startNs, `seed ${seed}`).toBeLessThanOrEqual(dueNs);
      freeNs = endNs;
    });
    expect(departures.length).toBeGreaterThan(100);
  });
});

/** Offers frames faster than the port sends them until `endNs`, and counts the wire bytes that have started by then. */
function flood(
  port: Port,
  endNs: number,
  offer: (nowNs: number) => number,
): { creditBytes: number; dataBytes: number } {
  for (let nowNs = 0; nowNs < endNs; nowNs += 600) {
    offer(nowNs);
    drain(port);
  }
  const { credit, data } = port.statistics.snapshot(endNs);
  return { creditBytes: credit.wireBytes, dataBytes: data.wireBytes };
}

interface Arrival {
  nowNs: number;
  isCredit: boolean;
  wireBytes: number;
}

function randomArrivals(random: Random): Arrival[] {
  let nowNs = 0;
  return Array.from({ length: 400 }, () => {
    nowNs += Math.floor(random.next() ** 3 * 40_000);
    const isCredit = random.next() < 0.5;
    const wireBytes = isCredit ? 84 + Math.floor(random.next() * 9) : 100 + Math.floor(random.next() * 1400);
    return { nowNs, isCredit, wireBytes };
  });
}

function replay(arrivals: readonly Arrival[], timely: boolean) {
  const port = makePort({ rateBps: 1e9, dataQueueBytes: 8000, ecnThresholdBytes: 3000 });
  const outcomes: number[] = [];
  const frames: Frame[] = [];
  const arrivedNs = new Map<Frame, number>();
  for (const { nowNs, isCredit, wireBytes } of arrivals) {
    while (timely && port.nextTimeout() <= nowNs) {
      port.advance(port.nextTimeout());
      frames.push(...drain(port));
    }
    const frame = isCredit ? creditFrame({ wireBytes }) : dataFrame({ wireBytes, unchecked: true });
    arrivedNs.set(frame, nowNs);
    outcomes.push(port.enqueue(frame, nowNs));
    if (timely) frames.push(...drain(port));
  }
  port.advance(1e12);
  frames.push(...drain(port));
  const departures = frames.map((frame) => ({
    startNs: frame.atNs - frame.wireBytes * 8,
    endNs: frame.atNs,
    arrivedNs: arrivedNs.get(frame) ?? Number.NaN,
    isCredit: frameType(frame.bytes) === FrameType.credit,
    ecn: ecn(frame.bytes),
  }));
  return { outcomes, departures, statistics: port.statistics.snapshot(1e12) };
}

describe('speculative frames', () => {
  const limits = { ...GIGABIT, dataQueueBytes: 3 * FULL_WIRE_BYTES, speculativeQueueBytes: FULL_WIRE_BYTES };

  it('are dropped and counted where they find more than their threshold in the data queue', () => {
    const port = makePort(limits);
    port.enqueue(dataFrame(), 0);
    // The first is on the link, so the second and the third find nothing and one frame.
    const taken = [1, 2, 3].map(() => port.enqueue(speculativeFrame(), 0));
    expect(taken).toEqual([0, 0, PortDrop.speculative]);
    expect(port.speculativeQueueBytes).toBe(2 * FULL_WIRE_BYTES);
    expect(port.statistics.snapshot(0).drops).toEqual({ speculative: 1 });
  });

  it('find scheduled frames in the queue too', () => {
    const port = makePort(limits);
    for (let label = 1; label <= 3; label++) port.enqueue(dataFrame({ label }), 0);
    expect(port.enqueue(speculativeFrame(), 0)).toBe(PortDrop.speculative);
  });

  it('take no room from the others', () => {
    const port = makePort(limits);
    port.enqueue(dataFrame(), 0);
    for (let count = 0; count < 2; count++) expect(port.enqueue(speculativeFrame(), 0)).toBe(0);
    const taken = [1, 2, 3, 4].map((label) => port.enqueue(dataFrame({ label }), 0));
    expect(taken).toEqual([0, 0, 0, PortDrop.dataQueueFull]);
    expect(port.dataQueueBytes).toBe(5 * FULL_WIRE_BYTES);
    port.advance(2 * FULL_NS);
    expect(port.speculativeQueueBytes).toBe(0);
    expect(port.enqueue(dataFrame(), 2 * FULL_NS)).toBe(PortDrop.dataQueueFull);
  });

  it('never make the queue longer than its limit themselves', () => {
    const port = makePort({ ...limits, dataQueueBytes: FULL_WIRE_BYTES, speculativeQueueBytes: 1e6 });
    const taken = [1, 2, 3].map(() => port.enqueue(speculativeFrame(), 0));
    expect(taken).toEqual([0, 0, PortDrop.speculative]);
  });

  it('count as data, and are never marked', () => {
    const port = makePort({ ...limits, ecnThresholdBytes: 0 });
    for (let count = 0; count < 2; count++) port.enqueue(speculativeFrame(), 0);
    port.advance(FULL_NS);
    expect(drain(port).map(({ bytes }) => ecn(bytes))).toEqual([Ecn.notCapable, Ecn.notCapable]);
    expect(port.statistics.snapshot(FULL_NS).data.frames).toBe(2);
  });

  it('go with the rest when the port is emptied', () => {
    const port = makePort(limits);
    for (let count = 0; count < 2; count++) port.enqueue(speculativeFrame(), 0);
    port.flush(() => {}, 1);
    expect([port.dataQueueBytes, port.speculativeQueueBytes]).toEqual([0, 0]);
  });
});
