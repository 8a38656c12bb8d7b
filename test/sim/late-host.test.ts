import { describe, expect, it } from 'vitest';
import { usualQueueBoundNs } from '../../src/net/assemble.js';
import { readScenarioFile } from '../../src/scenario/scenario-file.js';
import type { SimulationResult } from '../../src/sim/result.js';
import { simulate } from '../../src/sim/simulate.js';
import { NO_HOST } from '../../src/wire/layout.js';
import { sharedLinkFile } from '../harness/shared-link.js';

/** Flows of 50 kB from one host to another, both of which take up to `lateMs` over each frame. */
async function play(flows: number, rate: string, lateMs: number, more: string[] = []): Promise<SimulationResult> {
  const file = await readScenarioFile(sharedLinkFile('shared-link'));
  const scenario = await file.scenario({
    sets: [
      'algorithm=steady',
      'topology.hosts=2',
      `topology.rate=${rate}`,
      'topology.frameSize=1472',
      'hosts.0.endpoint.queueBound=1.3ms',
      `hosts.0.processing={ delay: 30us, jitter: ${lateMs}ms }`,
      `flows=[{ kind: flow, from: 2, to: 1, count: ${flows}, bytes: 50000, startJitter: 100ms }]`,
      'duration=15s',
      'warmUp=0s',
      ...more,
    ],
  });
  const { result } = simulate(scenario, { slowdowns: false });
  expect(result.flows.map(({ error }) => error).filter((error) => error !== null)).toEqual([]);
  expect(result.flows.filter(({ fctNs }) => fctNs !== null)).toHaveLength(flows);
  return result;
}

describe('many flows of a host that is late', () => {
  it('are not woken by what came together for credits that its NIC drops', async () => {
    const { flows, links } = await play(100, '100mbit', 4);
    const sent = flows.reduce((sum, { credits }) => sum + credits.sent, 0);
    const droppedAtHome = links.find(({ name }) => name === 'h1->s1')?.creditDrops ?? Number.NaN;
    // A quarter of them where turns are not spaced.
    expect(droppedAtHome / sent).toBeLessThan(0.01);
  });

  it('go by the RTT that others have measured', async () => {
    const { flows } = await play(150, '20mbit', 50);
    // 3 s are the link's own. Without the others' RTT none of them is done within the 15 s.
    expect(Math.max(...flows.map(({ fctNs }) => fctNs ?? Number.NaN))).toBeLessThan(9e9);
  });

  it('do not wait for credits that are lost on the way', async () => {
    const lost = 'faults=[{ at: 0s, link: h2, loss: 20%, frameTypes: [credit] }]';
    const { flows } = await play(300, '200mbit', 0.3, [lost]);
    // 0.62 s without losses. Where only a flow's own next credit tells of a lost one, most of the host's credits are lost ones that wait for that,
    // and it takes 8.8 s.
    expect(Math.max(...flows.map(({ fctNs }) => fctNs ?? Number.NaN))).toBeLessThan(1e9);
  });
});

/** What credits leave for data, as far as one flow uses it whose receiver takes up to 2 ms more over each frame. */
async function utilisation(processing: string, sets: readonly string[]): Promise<number> {
  const file = await readScenarioFile(sharedLinkFile('shared-link'));
  const scenario = await file.scenario({
    sets: [
      'algorithm=steady',
      'topology.hosts=2',
      'topology.frameSize=1472',
      'bottlenecks=[h2->s1]',
      'hosts.0.endpoint.hostCredits=320',
      `hosts.0.processing={ delay: ${processing}, jitter: 2ms }`,
      'flows=[{ kind: flow, from: 2, to: 1 }]',
      'warmUp=0s',
      ...sets,
    ],
  });
  return simulate(scenario, { slowdowns: false }).result.utilisation;
}

describe('one flow over 20 ms whose hosts are up to 2 ms late', () => {
  const onLongPath = (queueBoundRtts: number): Promise<number> =>
    utilisation('30us', [
      'topology.rate=100mbit',
      'topology.delay=5ms',
      'hosts.0.endpoint.queueBound=1.3ms',
      `hosts.0.endpoint.queueBoundRtts=${queueBoundRtts}`,
      'duration=10s',
    ]);

  it('fills its link where a quarter of the RTT may queue, and not where 1.3 ms may', async () => {
    // The first three round trips are 0.006 of the time.
    expect(await onLongPath(1 / 4)).toBeGreaterThan(0.99);
    // 0.90 to 0.94 by the seed
    expect(await onLongPath(0)).toBeLessThan(0.96);
  });
});

describe('one flow of 1 Gbit/s whose hosts are up to 2 ms late', () => {
  /** With the usual queue bound of a host of this id. */
  const onFastLink = (hostId: number): Promise<number> =>
    utilisation('10us', [
      'topology.rate=1gbit',
      'topology.delay=20us',
      `hosts.0.endpoint.queueBound=${usualQueueBoundNs({ hostId, rateBps: 1e9 })}ns`,
      'duration=1s',
    ]);

  it('fills its link with the bound of direct mode, and not with that of a host behind a switch', async () => {
    expect(await onFastLink(NO_HOST)).toBeGreaterThan(0.98);
    // 0.87 with this seed
    expect(await onFastLink(1)).toBeLessThan(0.9);
  });

  it('allows 1.5 ms behind a switch, and little more than 1.3 ms on a slow link without one', () => {
    expect(usualQueueBoundNs({ hostId: 3, rateBps: 10e9 })).toBe(1.5e6);
    expect(usualQueueBoundNs({ hostId: NO_HOST, rateBps: 20e6 })).toBeCloseTo(1.354e6);
    expect(usualQueueBoundNs({ hostId: NO_HOST, rateBps: Number.POSITIVE_INFINITY })).toBe(4e6);
  });
});
