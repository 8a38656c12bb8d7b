// Tested by test/sim/parts/parts.test.ts
import { assert } from '../../base/assert.js';
import { creditDropShare, sumCredits } from '../../core/credit-totals.js';
import { Disorder } from '../../core/disorder.js';
import { completionTimes } from '../measure/completion-times.js';
import { MeanJain, type WindowSums } from '../measure/fairness.js';
import { overallUtilisation } from '../measure/utilisation.js';
import type { FlowResult, LinkResult, SimulationResult } from '../result.js';
import type { Scenario } from '../scenario.js';
import { disorderFigures, type PartRun } from '../simulate.js';
import type { Partition } from './partition.js';

/** The result of the whole: of each flow what its receiver's part says, of each link what the sending part says. */
export function merge(scenario: Scenario, partition: Partition, runs: readonly PartRun[]): SimulationResult {
  const results = runs.map(({ result }) => result);
  const flows = flowsOf(scenario, partition, results);
  const links = linksOf(partition, results);
  const jainByWindow = results[0].jainByWindow.map(({ windowNs }, index) => {
    const mean = new MeanJain();
    for (const window of sumsOf(runs.map(({ fairness }) => fairness[index]))) mean.add(window);
    return { windowNs, jain: mean.value };
  });
  const before = sumCredits(runs.map(({ creditsBefore }) => creditsBefore));
  const disorder = new Disorder();
  for (const run of runs) disorder.addCounts(run.disorder);
  return {
    ...results[0],
    flows,
    links,
    jain: jainByWindow[0]?.jain ?? null,
    jainByWindow,
    utilisation: overallUtilisation(links, scenario.bottlenecks),
    creditDropShare: creditDropShare(before, sumCredits(flows.map(({ credits }) => credits))),
    ...disorderFigures(disorder),
    fct: completionTimes(flows),
    events: eventsOf(runs),
  };
}

function flowsOf({ topology }: Scenario, { ofPort }: Partition, results: readonly SimulationResult[]): FlowResult[] {
  const partOf = new Map(topology.hosts.map(({ name }, port) => [name, ofPort[port]]));
  return results[0].flows.map(({ src, dst }, index) => {
    const { id, group, ...received } = results[partOf.get(dst) as number].flows[index];
    const { wireId } = results[partOf.get(src) as number].flows[index];
    // In the order of a result of one thread.
    return { id, group, ...(wireId !== undefined && { wireId }), ...received };
  });
}

/** What a switch drops of what comes along a link is counted where it comes to. */
function linksOf({ fromOf }: Partition, results: readonly SimulationResult[]): LinkResult[] {
  return results[0].links.map((_, index) => {
    const lost = results.reduce((sum, { links }) => sum + links[index].lost, 0);
    return { ...results[fromOf[index]].links[index], lost };
  });
}

function sumsOf(parts: readonly (readonly WindowSums[])[]): WindowSums[] {
  return parts[0].map((_, index) =>
    parts.reduce(
      (sum, windows) => ({
        flows: sum.flows + windows[index].flows,
        bytes: sum.bytes + windows[index].bytes,
        squares: sum.squares + windows[index].squares,
      }),
      { flows: 0, bytes: 0, squares: 0n },
    ),
  );
}

/** Each part goes through the whole agenda. */
function eventsOf(runs: readonly PartRun[]): number {
  const [{ agendaSteps }] = runs;
  assert(
    runs.every((run) => run.agendaSteps === agendaSteps),
    'parts have one agenda',
  );
  return runs.reduce((sum, { result }) => sum + result.events, 0) - (runs.length - 1) * agendaSteps;
}
