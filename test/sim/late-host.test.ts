import { expect, it } from 'vitest';
import { ScenarioFile } from '../../src/apps/shared/scenario/scenario-file.js';
import { simulate } from '../../src/sim/simulate.js';
import { sharedLinkFile } from '../harness/shared-link.js';

const FLOWS = 100;

it('many flows of a host that is late: what came together does not wake them for credits that its NIC drops', async () => {
  const file = await ScenarioFile.read(sharedLinkFile('shared-link'));
  const scenario = await file.scenario({
    sets: [
      'algorithm=steady',
      'topology.hosts=2',
      'topology.frameSize=1472',
      'hosts.0.endpoint.queueBound=1.3ms',
      'hosts.0.processing={ delay: 30us, jitter: 4ms }',
      `flows=[{ kind: flow, from: 2, to: 1, count: ${FLOWS}, bytes: 50000, startJitter: 100ms }]`,
      'duration=4s',
      'warmUp=0s',
    ],
  });
  const { flows, links } = simulate(scenario, { slowdowns: false }).result;
  expect(flows.filter(({ fctNs }) => fctNs !== null)).toHaveLength(FLOWS);
  const sent = flows.reduce((sum, { credits }) => sum + credits.sent, 0);
  const droppedAtHome = links.find(({ name }) => name === 'h1->s1')?.creditDrops ?? Number.NaN;
  // An eighth of them where turns are not spaced.
  expect(droppedAtHome / sent).toBeLessThan(0.01);
});
