import { describe, expect, it } from 'vitest';
import { PORT_DROP_NAMES, PortDrop, PortStatistics } from '../../src/switch/port-statistics.js';
import { FrameType } from '../../src/wire/layout.js';

describe('port statistics', () => {
  it('count frames and wire bytes by class', () => {
    const statistics = new PortStatistics();
    statistics.countFrame(FrameType.data, 1538);
    statistics.countFrame(FrameType.data, 100);
    statistics.countFrame(FrameType.credit, 92);
    for (const type of [FrameType.creditRequest, FrameType.ack, FrameType.fin]) statistics.countFrame(type, 90);
    const { data, credit, control } = statistics.snapshot(0);
    expect({ data, credit, control }).toEqual({
      data: { frames: 2, wireBytes: 1638 },
      credit: { frames: 1, wireBytes: 92 },
      control: { frames: 3, wireBytes: 270 },
    });
  });

  it('start anew at a reset, from what is queued then', () => {
    const statistics = new PortStatistics();
    statistics.setDataQueue(3000, 0);
    statistics.setDataQueue(1000, 10);
    statistics.setCreditQueue(8);
    statistics.setCreditQueue(2);
    statistics.drops[PortDrop.lost] = 5;
    statistics.countFrame(FrameType.data, 1538);
    statistics.reset(20);
    const snapshot = statistics.snapshot(40);
    expect(snapshot).toMatchObject({
      data: { frames: 0, wireBytes: 0 },
      drops: {},
      dataQueueBytesMax: 1000,
      dataQueueBytesMean: 1000,
      creditQueueFrames: 2,
      creditQueueFramesMax: 2,
    });
  });

  it('name only the drops that occurred', () => {
    const statistics = new PortStatistics();
    statistics.drops[PortDrop.creditQueueFull] = 3;
    statistics.drops[PortDrop.hopLimit] = 1;
    expect(statistics.snapshot(0).drops).toEqual({ creditQueueFull: 3, hopLimit: 1 });
  });

  it('have a name for every drop code', () => {
    for (const [name, code] of Object.entries(PortDrop)) expect(PORT_DROP_NAMES[code]).toBe(name);
  });
});
