import { describe, expect, it } from 'vitest';
import { type DirectionCounts, idleFor, noCounts, sumCounts } from '../../../src/apps/lab/direction-counts.js';
import { PortStatistics } from '../../../src/switch/port-statistics.js';
import { FrameType } from '../../../src/wire/layout.js';

/** A direction that sent `frames` full data frames in `spanNs` and had `queued` bytes in its queue all the time. */
function counts(frames: number, queued: number, { spanNs = 100, drops = 0 } = {}): DirectionCounts {
  const statistics = new PortStatistics();
  for (let sent = 0; sent < frames; sent++) statistics.countFrame(FrameType.data, 1538);
  statistics.countFrame(FrameType.credit, 90);
  statistics.setDataQueue(queued, 0);
  statistics.drops[1] = drops;
  return { name: 'a->b', rateBps: 1e8, port: statistics.snapshot(spanNs), spanNs };
}

describe('counts of two times that follow each other', () => {
  it('are added, and of queues the largest and the mean over time are kept', () => {
    const sum = sumCounts(counts(3, 5_000, { drops: 2 }), counts(4, 1_000, { spanNs: 300 }));
    expect(sum.spanNs).toBe(400);
    expect(sum.port).toMatchObject({
      data: { frames: 7, wireBytes: 7 * 1538 },
      credit: { frames: 2, wireBytes: 180 },
      drops: { creditQueueFull: 2 },
      dataQueueBytes: 1_000,
      dataQueueBytesMax: 5_000,
      dataQueueBytesMean: 2_000,
    });
  });

  it('keep what was counted while nothing happens, but for the mean of the queue', () => {
    const idle = idleFor(counts(3, 5_000), 100);
    expect(idle.spanNs).toBe(200);
    expect(idle.port).toMatchObject({ data: { frames: 3 }, dataQueueBytesMax: 5_000, dataQueueBytesMean: 2_500 });
  });

  it('begin with nothing', () => {
    const none = noCounts(counts(3, 5_000));
    expect([none.name, none.spanNs, none.port.data.frames, none.port.dataQueueBytesMax]).toEqual(['a->b', 0, 0, 0]);
    expect(sumCounts(none, counts(3, 5_000)).port).toMatchObject({ data: { frames: 3 }, dataQueueBytesMean: 5_000 });
  });
});
