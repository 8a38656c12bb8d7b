import { describe, expect, it } from 'vitest';
import { HostSampler, LinkSampler } from '../../../src/apps/lab/host-sampler.js';
import { DEFAULT_PORT, Port } from '../../../src/switch/port.js';
import { FrameType } from '../../../src/wire/layout.js';

describe('LinkSampler', () => {
  it('has what was sent between two samples, also when the count starts anew', () => {
    const sampler = new LinkSampler();
    const add = (index: number, sentBytes: number) => {
      sampler.add(index, { queueBytes: 0, creditQueueFrames: 0, sentBytes });
    };
    add(3, 100);
    add(4, 250);
    add(5, 40);
    expect([sampler.first, sampler.dataWireBytes]).toEqual([3, [100, 150, 40]]);
  });

  it('has nothing where nobody could be asked', () => {
    const sampler = new LinkSampler();
    sampler.add(0, { queueBytes: 9, creditQueueFrames: 1, sentBytes: 100 });
    sampler.add(3, { queueBytes: 8, creditQueueFrames: 2, sentBytes: 110 });
    expect(sampler.dataQueueBytes).toEqual([9, 0, 0, 8]);
    expect(sampler.creditQueueFrames).toEqual([1, 0, 0, 2]);
    expect(sampler.dataWireBytes).toEqual([100, 0, 0, 10]);
  });
});

describe('HostSampler', () => {
  it('samples the first flows from when they are there, and the NIC', () => {
    const nic = new Port(DEFAULT_PORT);
    const sampler = new HostSampler(2, nic, 7);
    const flow = (flowId: number, deliveredBytes: number) => ({ from: 1, flowId, deliveredBytes, creditRateBps: 5 });
    sampler.add(flow(70, 10));
    nic.statistics.setDataQueue(3_076, 0);
    nic.statistics.countFrame(FrameType.data, 1_538);
    sampler.sample();
    nic.statistics.setDataQueue(0, 1);
    sampler.add(flow(71, 20));
    sampler.add(flow(72, 30));
    sampler.sample();
    sampler.sample();
    expect(sampler.samples()).toEqual({
      flows: [
        { from: 1, flowId: 70, first: 7, deliveredBytes: [10, 10, 10], creditRateBps: [5, 5, 5] },
        { from: 1, flowId: 71, first: 8, deliveredBytes: [20, 20], creditRateBps: [5, 5] },
      ],
      nic: {
        first: 7,
        dataQueueBytes: [3_076, 3_076, 0],
        creditQueueFrames: [0, 0, 0],
        dataWireBytes: [1_538, 0, 0],
      },
    });
  });
});
