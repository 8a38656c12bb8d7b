import { describe, expect, it } from 'vitest';
import { liveDirections, liveNodes, livePorts, sendingHosts } from '../../../../src/apps/shared/web/live-switch.js';
import { initialValues } from '../../../../src/base/metric.js';
import { PORT_NUMBERS } from '../../../../src/report/live-data.js';
import { DIRECTION_METRICS } from '../../../../src/switch/link-direction.js';

const port = {
  ...initialValues(DIRECTION_METRICS),
  ...{ name: 'h1->s1', link: 'l1', from: 'h1', to: 's1', rateBps: 1e8, markThresholdBytes: 3000, dataQueueBytes: 1538 },
  data: { frames: 10, wireBytes: 15_380 },
  drops: { creditQueueFull: 2, lowCreditQueueFull: 1, dataQueueFull: 4, speculative: 5, lost: 6, down: 7 },
};
const hosts = [{ id: 1, name: 'h1', attached: true }];

describe('a switch as its live page has it', () => {
  it('has nodes, directions with their settings, and numbers in the order of their names', () => {
    expect(liveNodes({ ports: [port], hosts })).toEqual([
      { name: 'h1', isHost: true, isThere: true },
      { name: 's1', isHost: false, isThere: true },
    ]);
    expect(liveDirections([port])[0]).toMatchObject({ name: 'h1->s1', rateBps: 1e8, markBytes: 3000, isDown: false });
    const numbers = Object.fromEntries(PORT_NUMBERS.map((name, at) => [name, livePorts([port])[0][at]]));
    expect(numbers).toMatchObject({
      dataFrames: 10,
      dataBytes: 15_380,
      creditDrops: 3,
      dataDrops: 9,
      lost: 13,
      queueBytes: 1538,
    });
  });

  it('knows the hosts that send', () => {
    expect(sendingHosts({ ports: [port], hosts })).toMatchObject([{ name: 'h1', bytes: 15_380 }]);
    expect(sendingHosts({ ports: [{ ...port, from: 's1' }], hosts })).toEqual([]);
  });
});
