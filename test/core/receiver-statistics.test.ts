import { expect, it } from 'vitest';
import { ReceivedFrames } from '../../src/core/receiver-statistics.js';
import { encodeData } from '../../src/wire/encode.js';
import { DataFlag } from '../../src/wire/layout.js';
import { markCe } from '../../src/wire/rewrite.js';

it('counts data frames, those that were sent before, and those that arrive marked', () => {
  const frames = new ReceivedFrames();
  const header = { destination: 1, source: 2, flowId: 3 };
  const bytes = new Uint8Array(64);
  const fields = { creditSequence: 0, offset: 0, unused: 0, flags: 0, pathId: 0 };
  encodeData(bytes, header, fields);
  expect(frames.count(bytes)).toBe(false);
  encodeData(bytes, header, { ...fields, flags: DataFlag.repair | DataFlag.end | DataFlag.chunks });
  markCe(bytes);
  expect(frames.count(bytes)).toBe(true);
  const none = { speculative: 0, chunks: 0, creditMarked: 0, disordered: 0, disorderMax: 0 };
  expect({ ...frames }).toEqual({ data: 2, repaired: 1, filled: 1, marked: 1, ...none });
});
