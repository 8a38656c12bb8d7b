import { expect, it } from 'vitest';
import { isPlain, UncommonFrames } from '../../src/core/receiver-statistics.js';
import { encodeData } from '../../src/wire/encode.js';
import { DataFlag } from '../../src/wire/layout.js';
import { markCe } from '../../src/wire/rewrite.js';
import { ReceiverBench } from '../harness/receiver-bench.js';

const PLAIN_FLAGS = DataFlag.end | DataFlag.more;

function frameWith(flags: number): Uint8Array {
  const bytes = new Uint8Array(64);
  encodeData(
    bytes,
    { destination: 1, source: 2, flowId: 3 },
    { creditSequence: 0, explicitRate: 0, offset: 0, unused: 0, flags, pathId: 0 },
  );
  return bytes;
}

it('counts data frames that were sent before, and those that arrive marked', () => {
  const frames = new UncommonFrames();
  expect(frames.count(frameWith(DataFlag.repair))).toBe(false);
  const bytes = frameWith(DataFlag.repair | DataFlag.end | DataFlag.chunks);
  markCe(bytes);
  expect(frames.count(bytes)).toBe(true);
  const none = { speculative: 0, chunks: 0, disordered: 0, disorderMax: 0 };
  expect({ ...frames }).toEqual({ repaired: 2, filled: 1, marked: 1, ...none });
});

it('takes a frame for plain that none of these counts changes', () => {
  for (const flags of [...Object.values(DataFlag), 0, PLAIN_FLAGS]) {
    for (const isMarked of [false, true]) {
      const bytes = frameWith(flags);
      if (isMarked) markCe(bytes);
      const frames = new UncommonFrames();
      frames.count(bytes);
      expect(isPlain(bytes)).toBe(Object.values(frames).every((count) => count === 0));
    }
  }
});

it('tells of a flow with plain frames alone, and of all others, how many there were', () => {
  const bench = new ReceiverBench().proved();
  const { statistics: first } = bench.flow;
  expect(first).toMatchObject({
    dataFrames: 1,
    markedFrames: 0,
    repairedFrames: 0,
    disorderedFrames: 0,
    disorderMax: 0,
  });
  bench.wait(1e6);
  bench.data(1_546, 1, { length: 1_446, ce: true });
  bench.data(100, 2, { length: 1_446, repair: true, creditCe: true });
  const counts = { dataFrames: 3, markedFrames: 1, creditMarkedFrames: 1, repairedFrames: 1, filledFrames: 0 };
  expect(bench.flow.statistics).toMatchObject({ ...counts, disorderedFrames: 1, disorderMax: 1 });
  expect(new ReceiverBench().proved().flow.statistics).toEqual(first);
});
