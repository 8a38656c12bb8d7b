import { describe, expect, it } from 'vitest';
import { BlockTimes } from '../../../src/services/perf/block-times.js';
import { DurationHistogram } from '../../../src/services/perf/histogram.js';

function bed(lengthBytes = 100) {
  const histogram = new DurationHistogram();
  return { times: new BlockTimes(lengthBytes, histogram), of: () => histogram.percentiles() };
}

describe('times of blocks', () => {
  it('last from the writing of the first byte to the acknowledgement of the last', () => {
    const { times, of } = bed();
    times.write(150, 1e3);
    times.write(200, 2e3);
    times.acknowledge(99, 3e3, 0);
    expect(of().count).toBe(0);
    // The second block began with the first write.
    times.acknowledge(200, 11e3, 0);
    expect(of()).toMatchObject({ count: 2, min: 10, max: 10 });
  });

  it('begin once, even where a write was refused', () => {
    const { times, of } = bed();
    times.write(100, 1e3);
    times.write(100, 5e3);
    times.acknowledge(100, 6e3, 0);
    expect(of()).toMatchObject({ count: 1, min: 5 });
  });

  it('leave out what began before the measurement', () => {
    const { times, of } = bed();
    times.write(100, 1e3);
    times.write(200, 3e3);
    times.acknowledge(200, 4e3, 2e3);
    expect(of()).toMatchObject({ count: 1, min: 1 });
  });

  it.each([
    [true, 2],
    [false, 1],
  ])('count a shorter block at the end where the flow was to end there: %s', (isWhole, count) => {
    const { times, of } = bed();
    times.write(130, 0);
    times.end(isWhole, 1e3, 0);
    expect(of().count).toBe(count);
  });

  it('go on after more blocks were open than are kept', () => {
    const { times, of } = bed(1);
    times.write(5_000, 0);
    times.acknowledge(5_000, 1e3, 0);
    times.write(5_001, 2e3);
    times.acknowledge(5_001, 3e3, 0);
    expect(of().count).toBe(4_097);
  });
});
