import { describe, expect, it } from 'vitest';
import { SECOND_NS } from '../../../src/base/time.js';
import { FrameType } from '../../../src/wire/layout.js';
import { addFaults, spoil, TERRIBLE } from '../../harness/faults.js';
import { KINDS, Pair } from '../../harness/pair.js';
import { allowLongRuns, TEST_SEED } from '../../harness/seeds.js';

allowLongRuns();

const BYTES = 400_000;
const TYPES = ['creditRequest', 'credit', 'data', 'ack', 'windowAck', 'speculativeData', 'creditStop', 'fin'] as const;

/** Sends one stream, checks that all of it arrived once and in order, and returns how long that took, in seconds. */
function transfer(pair: Pair, bytes = BYTES): number {
  const sources = pair.start(bytes);
  const tookNs = pair.runUntilClosed(sources, 60);
  const [reader] = pair.sinks[1].readers;
  expect(sources[0].closed).toBeNull();
  expect([reader.received, reader.wrong, reader.ended, reader.closed]).toEqual([bytes, 0, true, null]);
  expect([sources[0].closings, reader.closings]).toEqual([1, 1]);
  return tookNs / SECOND_NS;
}

describe.each(KINDS)('a $kind transfer', ({ kind, changes }) => {
  it.each(TYPES)('survives the loss of every twentieth %s', (type) => {
    for (let run = 0; run < 3; run++) {
      const pair = new Pair(TEST_SEED + run, changes);
      addFaults(pair, { loss: 0.05, types: [FrameType[type]] });
      // Undisturbed it takes 0.1 s; a lost request costs 0.1 s, and each credit lost slows the flow down.
      expect(transfer(pair)).toBeLessThan(5);
    }
  });

  it.each(TYPES)('survives the loss of every third %s', (type) => {
    const pair = new Pair(TEST_SEED, changes);
    addFaults(pair, { loss: 1 / 3, types: [FrameType[type]] });
    expect(transfer(pair, BYTES / 4)).toBeLessThan(60);
  });

  it.each([0, 1, 2, 3, 4])('survives loss, duplication, reordering and corruption together (run %i)', (run) => {
    const pair = new Pair(TEST_SEED + run, { ...changes, rateBps: run % 2 === 0 ? 100e6 : 1e9 });
    addFaults(pair, TERRIBLE);
    expect(transfer(pair, 2 * BYTES)).toBeLessThan(10);
  });

  it('survives them in both directions with many flows', () => {
    const pair = new Pair(TEST_SEED, { ...changes, rateBps: 1e9 });
    addFaults(pair, TERRIBLE);
    const sources = [...pair.start(BYTES / 4, 8, 0), ...pair.start(BYTES / 4, 8, 1)];
    pair.runUntilClosed(sources, 30);
    expect(sources.map((source) => source.closed)).toEqual(new Array(16).fill(null));
    expect(pair.closings).toEqual(new Array(16).fill('in order'));
    for (const sink of pair.sinks) expect(sink.readers.map((reader) => reader.wrong)).toEqual(new Array(8).fill(0));
  });

  it('survives copies of every frame', () => {
    const pair = new Pair(TEST_SEED, changes);
    pair.network = () => [0, 200_000];
    expect(transfer(pair)).toBeLessThan(1);
    const { dataFrames, repairedFrames } = pair.sinks[1].readers[0].flow.statistics;
    expect(repairedFrames).toBe(0);
    // Each copy of a reactive flow's frame is answered, and counts.
    if (kind === 'credited') expect(dataFrames).toBe(Math.ceil(BYTES / 1_446));
  });

  it('survives a piece of garbage after each of its frames', () => {
    const pair = new Pair(TEST_SEED, changes);
    const random = pair.random.fork();
    let copies = 0;
    pair.network = () => [0, 0];
    pair.tamper = (copy) => {
      if (copies++ % 2 === 1) spoil(copy, random);
    };
    expect(transfer(pair)).toBeLessThan(1);
    for (const { endpoint } of pair.hosts) {
      const { short, version, type, check, length } = endpoint.counters;
      expect(short + version + type + check + length).toBeGreaterThan(10);
    }
  });

  it('survives frames that are held back for longer than a round trip', () => {
    const pair = new Pair(TEST_SEED, changes);
    addFaults(pair, { reordering: 0.5 });
    expect(transfer(pair)).toBeLessThan(2);
  });

  it('does not let a corrupted byte through, however many there are', () => {
    const pair = new Pair(TEST_SEED, changes);
    addFaults(pair, { corruption: 0.2 });
    transfer(pair, BYTES / 2);
    const { check } = pair.hosts[1].endpoint.counters;
    expect(check).toBeGreaterThan(10);
  });
});
