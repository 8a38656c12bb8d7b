import { describe, expect, it } from 'vitest';
import { newCounters } from '../../src/core/counters.js';
import { ReceivedStream } from '../../src/core/received-stream.js';
import { encodeData, seal } from '../../src/wire/encode.js';
import { DataFlag } from '../../src/wire/layout.js';
import { incoming } from '../harness/flow-context.js';

const WINDOW = 100_000;

/** Takes `length` bytes from `offset` on, with END or without. */
function take(stream: ReceivedStream, offset: number, length: number, isEnd = false): boolean {
  const header = { destination: 1, source: 2, flowId: 3 };
  const fields = { creditSequence: 0, explicitRate: 0, offset, unused: 0, flags: isEnd ? DataFlag.end : 0, pathId: 0 };
  const frame = incoming((bytes) => seal(bytes, encodeData(bytes, header, fields) + length, null));
  return stream.take(frame, offset);
}

function streamOf(bytes: number): ReceivedStream {
  const stream = new ReceivedStream(WINDOW, newCounters());
  if (bytes > 0) take(stream, 0, bytes);
  return stream;
}

describe('the end of a stream', () => {
  it('is unknown at first: everything may come, and no offset is the end', () => {
    const stream = streamOf(0);
    expect([stream.hasEverything, stream.isComplete]).toEqual([false, false]);
    expect(take(stream, WINDOW - 100, 100)).toBe(true);
  });

  it('is not accepted before what has arrived, holes or not', () => {
    const stream = streamOf(0);
    take(stream, 50, 50);
    expect(stream.finish(99)).toBe(false);
    expect(take(stream, 0, 99, true)).toBe(false);
    expect(stream.reassembly.nextOffset).toBe(0);
    expect(stream.finish(100)).toBe(true);
  });

  it('stays where it was told', () => {
    const stream = streamOf(50);
    expect(take(stream, 50, 20, true)).toBe(true);
    expect([stream.finish(71), stream.finish(69), take(stream, 60, 11), take(stream, 60, 9, true)]).toEqual(
      Array(4).fill(false),
    );
    expect([take(stream, 60, 10), take(stream, 60, 10, true)]).toEqual([true, true]);
    expect([stream.hasEverything, stream.isComplete]).toEqual([true, false]);
    expect(stream.finish(70)).toBe(true);
    expect(stream.isComplete).toBe(true);
  });

  it('is not reached while bytes before it are missing', () => {
    const stream = streamOf(50);
    stream.finish(100);
    expect([stream.hasEverything, stream.isComplete]).toEqual([false, false]);
    take(stream, 50, 50);
    expect([stream.hasEverything, stream.isComplete]).toEqual([true, true]);
  });

  it('can be at once, and the reader is told of it once', () => {
    const stream = streamOf(0);
    let ends = 0;
    stream.reader = { onData: () => undefined, onEnd: () => ends++, onClosed: () => undefined };
    stream.tellEnd();
    expect(ends).toBe(0);
    expect(stream.finish(0)).toBe(true);
    for (let again = 0; again < 2; again++) stream.tellEnd();
    expect([ends, stream.isComplete]).toEqual([1, true]);
  });
});
