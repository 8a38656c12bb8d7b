import { describe, expect, it } from 'vitest';
import { checkFeasible, takingPart } from '../../../src/apps/lab/feasibility.js';
import { Failure } from '../../../src/base/failure.js';
import { parseScenarioFile } from '../../../src/scenario/scenario-file.js';
import type { Scenario } from '../../../src/sim/scenario.js';
import type { FlowPlan } from '../../../src/sim/traffic/plan-flows.js';
import { planFlows } from '../../../src/sim/traffic/plan-flows.js';
import { chancesOf } from '../../../src/sim/world.js';

const STAR = 'topology: { name: star, hosts: 80, rate: 100mbit }\nflows: [{ from: 3, to: 2 }]\n';

async function read(source: string): Promise<{ scenario: Scenario; flows: FlowPlan[] }> {
  const scenario = await (await parseScenarioFile('test.yaml', source)).scenario();
  return { scenario, flows: planFlows(scenario.traffic, chancesOf(scenario.seed).traffic) };
}

async function warnings(source: string): Promise<string[]> {
  const { scenario, flows } = await read(source);
  return checkFeasible(scenario, flows);
}

describe('what processes can play', () => {
  it('is a scenario of hosts that send or receive, at rates that the machine carries', async () => {
    const { scenario, flows } = await read(STAR);
    expect(takingPart(scenario, flows)).toEqual([2, 3]);
    expect(checkFeasible(scenario, flows)).toEqual([]);
  });

  it.each([
    ['hosts: [{ hosts: 2, clockDrift: 100ppm }]', 'clockDrift of host 2 is 100 ppm; allowed: 0'],
    ['faults: [{ at: 1ms, clock: 3, drift: 50ppm }]', 'a fault changes the clock of host 3'],
  ])('is not one with %j', async (line, sentence) => {
    await expect(warnings(`${STAR}${line}\n`)).rejects.toThrow(sentence);
    await expect(warnings(`${STAR}${line}\n`)).rejects.toBeInstanceOf(Failure);
  });

  it('is not one with more hosts than processes should be', async () => {
    const source = 'topology: { name: star, hosts: 80, rate: 100mbit }\nflows: [{ kind: incast, to: 1 }]\n';
    await expect(warnings(source)).rejects.toThrow('the traffic has 80 hosts, each a process; allowed: at most 64');
  });

  it('is not one with rounds, which a process cannot tell the end of', async () => {
    const source = 'topology: { name: star, hosts: 2, rate: 100mbit }\nflows: [{ kind: shuffle, rounds: 2 }]\n';
    await expect(warnings(source)).rejects.toThrow('a shuffle has rounds; allowed: 1');
  });

  it('leaves the time that hosts take to the processes, and says so', async () => {
    expect(await warnings(`${STAR}hosts: [{ processing: { delay: 10us } }]\n`)).toEqual([
      'processing of hosts is not played: processes take their own time over a frame',
    ]);
  });

  it('warns of links that are faster than processes', async () => {
    expect(await warnings('topology: { name: star, hosts: 2, rate: 10gbit }\nflows: [{ from: 1, to: 2 }]\n')).toEqual([
      '2 links have up to 10gbit: above 500mbit the processes limit the flows, not the links',
    ]);
    const slow = 'topology: { name: dumbbell, pairs: 1, rate: 100mbit, core: { rate: unlimited } }';
    expect(await warnings(`${slow}\nflows: [{ from: 1, to: 2 }]\n`)).toEqual([
      "link 'left-right' has unlimited: above 500mbit the processes limit the flows, not the links",
    ]);
  });
});
