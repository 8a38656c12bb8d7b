import { expect, it } from 'vitest';
import type { FlowRun } from '../../src/sim/flow-run.js';
import type { Network } from '../../src/sim/network.js';
import { settleCredits } from '../../src/sim/settlement.js';
import type { TrafficPlayer } from '../../src/sim/traffic-player.js';

/** More than V8's stack takes as the arguments of one call. */
const FLOWS = 200_000;

it('a run plays on for the longest life of a credit, however many flows have credits out', () => {
  const run = (rttNs: number) => ({
    isOver: true,
    credits: { sent: 1, used: 0, wasted: 0, dropped: 0 },
    toPort: 0,
    receiver: { statistics: { rttNs } },
  });
  const runs = Array.from({ length: FLOWS }, (_, index) => run(index === 7 ? 50 : 0));
  const played: number[] = [];
  const network = {
    nowNs: 1_000,
    hosts: [{ host: { endpoint: { config: { creditLifeNs: 100 } } } }],
    run: (untilNs: number) => played.push(untilNs),
    stop: () => {},
  };
  const found = settleCredits(network as unknown as Network, { runs } as unknown as TrafficPlayer);
  expect(found).toHaveLength(FLOWS);
  expect(found[0]).toBe(runs[0] as unknown as FlowRun);
  expect(played).toEqual([1_200]);
});
