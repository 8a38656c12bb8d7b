import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/sim/simulate.js';
import { Data, DEFAULT_FRAME_BYTES } from '../../src/wire/layout.js';
import { allowLongRuns, scaledRuns, TEST_SEED } from '../harness/seeds.js';
import { type Changes, dumbbell, flow, linkFault, scenarioWith } from '../harness/simulations.js';

allowLongRuns();

type Impairment = Parameters<typeof linkFault>[2];

const PAYLOAD_BYTES = DEFAULT_FRAME_BYTES - Data.overheadBytes;
/** The opening of the flows is left alone: a request that is lost waits for its timeout. */
const LOSS_SINCE_NS = 0.5e6;
/** Ten round trips: the last bytes in order are behind those that have arrived by some repairs, one after the other. */
const BEHIND_NS = 1e6;

/** What the slowest of `flows` flows from host to host has in order, as a part of the data that its credits brought, repeated or not. */
function leastInOrder(flows: number, rateBps: number, changes: Changes, impairment: Impairment): number {
  const topology = dumbbell(flows, { rateBps });
  const traffic = Array.from({ length: flows }, (_, index) => flow(index + 1, flows + index + 1));
  const faults = [linkFault(LOSS_SINCE_NS, 'left-right', impairment)];
  const { result } = simulate(scenarioWith({ ...changes, topology, traffic, faults }), { slowdowns: false });
  return Math.min(
    ...result.flows.map(({ deliveredBytes, credits }) => deliveredBytes / (credits.used * PAYLOAD_BYTES)),
  );
}

describe.each([
  ['10 % of all frames', { lossRate: 0.1 }],
  ['10 % in bursts of 8', { burstEnterRate: 0.1 / (8 * 0.9), burstLeaveRate: 1 / 8, burstLossRate: 1 }],
])('on a link that loses %s both ways', (_, impairment) => {
  it.each([1, 6])('each of %d flows has nearly all in order that arrived', (flows) => {
    const durationNs = 8e6;
    for (let run = 0; run < scaledRuns(2); run++) {
      // As in a process: no timeout may be waited for.
      const changes = {
        seed: (TEST_SEED + run) % 2 ** 32,
        durationNs,
        host: { endpoint: { retransmitMarginNs: 10e6 } },
      };
      const part = leastInOrder(flows, 10e9, changes, impairment);
      expect(part).toBeGreaterThan(0.97 - BEHIND_NS / durationNs);
    }
  });
});

describe('a flow whose ACKs have no room for all of its ranges', () => {
  it('has nearly all in order that arrived', () => {
    const durationNs = 3e6;
    const changes = { durationNs, host: { endpoint: { receiveWindowBytes: 2 ** 30 } } };
    const part = leastInOrder(1, 100e9, changes, { lossRate: 0.1 });
    expect(part).toBeGreaterThan(0.97 - BEHIND_NS / durationNs);
  });
});
