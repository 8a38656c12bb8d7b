import { expect, it } from 'vitest';
import { buffers } from '../../../../src/apps/figures/catalogue/buffers.js';
import { parseScenario } from '../../../../src/scenario/parse-scenario.js';
import { evaluated, madeUpLink, madeUpRun, rowOf } from '../made-up-runs.js';

const LINKS = ['tor1->agg1', 'agg1->core1', 'core1->agg1', 'agg1->tor1', 'tor1->h1', 'h1->tor1'];

function queues(...bytes: number[]) {
  const links = LINKS.map((name, at) => madeUpLink({ name, dataQueueBytesMaxEver: bytes[at] ?? 0 }));
  return evaluated(buffers, () => madeUpRun({ links }), 'quick');
}

it('adds up spreads from the senders on', () => {
  const { tables } = queues();
  const bounds = tables[0].rows
    .filter(([speed, rule]) => speed === '10-40' && rule === 'steady')
    .map((row) => Number(row[3]));
  // A credit queue of 8 is 13.0 us at 10 Gbit/s and 3.3 us at 40; a host 1 us. Two credits of the bucket are 3,076 B.
  const credits = [10, 40].map((gbps) => (8 * 88 * 8) / ((gbps * 1e9 * 88) / 1626));
  const spreads = [credits[0] + 1e-6];
  for (let at = 1; at < 5; at++) spreads.push(credits[1] + 2 * spreads[at - 1]);
  const gbps = [40, 40, 40, 40, 10];
  const wanted = spreads.map((s, at) => Math.round((s * gbps[at] * 1e9 * 1538) / 1626 / 8 + 3_076));
  for (const [at, bound] of bounds.entries()) expect(Math.abs(bound - wanted[at])).toBeLessThan(2_000);
});

it('holds the longest queue of each kind of port to the closed form, and NICs to nothing', () => {
  expect(rowOf(queues(0, 0, 0, 0, 1_000, 9e9), 'steady, 10/40').verdict).toBe('met');
  expect(rowOf(queues(9e9), 'steady, 10/40').verdict).toBe('missed');
});

it('has hosts and links as it says', () => {
  const { topology, traffic } = parseScenario(buffers.jobs('quick')[0].document);
  expect([topology.hosts.length, traffic.length]).toEqual([32, 4]);
});
