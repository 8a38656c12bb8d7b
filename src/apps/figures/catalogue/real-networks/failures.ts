// Tested by test/apps/figures/catalogue.test.ts
import { quantile } from '../../../../sim/measure/quantile.js';
import type { SimulationRun } from '../../../../sim/result.js';
import { withLinks } from '../../blocks/dumbbell.js';
import { leafSpine } from '../../blocks/spray.js';
import type { FigureDocument } from '../../figure.js';
import { cross, figure, type Quantity, quantity, type Results, type Row, row } from '../../plan.js';
import { mean } from '../../statistics.js';

type Case = { readonly law: Law; readonly failover: '10ms' | 'never' };

const LAWS = ['spraypass', 'steady', 'expresspass', 'dctcp'] as const;
type Law = (typeof LAWS)[number];
/** Held to the goals; the others show what a law of their kind gets. */
const OURS: readonly Law[] = ['spraypass', 'steady'];

/** Of four spines. */
const DEAD = ['leaf1-spine1', 'leaf2-spine1'];
const RETURNED = 'leaf1->spine1';
const UPLINKS = [1, 2, 3, 4].map((spine) => `leaf1->spine${spine}`);
const WARM_MS = 10;
const FAILS_MS = 60;
const RETURNS_MS = 160;
const END_MS = 320;
/** After a failure, and after a return, before which nothing is held to the goals. */
const SETTLES_MS = 50;
const BACK_WITHIN_MS = 100;
const MOST_FACTOR = 2;
const SAMPLE_MS = 5;
/** Of the mean of all uplinks, over one sample: then a path is used again. */
const USED = 0.5;

/** Half of a frame to 48 of them, each below the 75 kB from which a speed board judges; a load of 0.3 of the leaf's uplinks for as long as the run. */
const FLOWS = {
  kind: 'poisson',
  points: [
    [700, 0],
    [70_000, 1],
  ],
  load: 0.3,
  loadRate: '40gbit',
  flows: 13_800,
};

const BEFORE = p99('before_p99_ms', WARM_MS, FAILS_MS);
const AT_FAILURE = p99('failing_p99_ms', FAILS_MS, FAILS_MS + SETTLES_MS);
const DEAD_P99 = p99('dead_p99_ms', FAILS_MS + SETTLES_MS, RETURNS_MS);
const AFTER = p99('after_p99_ms', RETURNS_MS + BACK_WITHIN_MS, END_MS - 20);
/** When the path is used again; null where it is not until the end. */
const BACK = quantity('back_ms', 0, backMs);

export const failures = figure<Case>('real-networks-failures', 'One of four paths fails and returns', {
  source: 'ours',
  about: () =>
    `Short flows (0.7 to 70 kB) between two leaves of four hosts over four spines, all links 10 Gbit/s, RTT 32 us, load 0.3. At ${FAILS_MS} ms the links of spine1 go down, at ${RETURNS_MS} ms they are up again. 99th percentile of the completion times of flows that began before, in the first ${SETTLES_MS} ms of the failure, in the rest of it, and from ${BACK_WITHIN_MS} ms after the return; and when the path carries half of its share again, in steps of ${SAMPLE_MS} ms. With a failover delay of 10 ms, and without failover.`,
  cases: () => cross({ law: LAWS, failover: ['10ms', 'never'] as const }),
  document: documentOf,
  rows: (results) => LAWS.flatMap((law) => rowsOf(results, law)),
  charts: (results) => ({ '': results.bars(DEAD_P99, '99th percentile with a dead path (ms)') }),
  table: [{ run: ({ law, failover }) => `${law}-${failover}` }, BEFORE, AT_FAILURE, DEAD_P99, AFTER, BACK],
});

/** 99th percentile of the completion times of the flows that began in a part of the run. One that is not complete counts as long as it has been there. */
function p99(title: string, fromMs: number, toMs: number): Quantity {
  return quantity(title, 3, ({ result }) => {
    const those = result.flows.filter(({ startNs }) => startNs >= fromMs * 1e6 && startNs < toMs * 1e6);
    const times = those.map(({ fctNs, startNs }) => fctNs ?? result.durationNs - startNs);
    return times.length === 0 ? null : quantile(Float64Array.from(times).sort(), 0.99) / 1e6;
  });
}

function backMs({ series }: SimulationRun): number | null {
  const uplinks = series?.links.filter(({ name }) => UPLINKS.includes(name)) ?? [];
  const returned = uplinks.find(({ name }) => name === RETURNED);
  if (series === null || returned === undefined) return null;
  const isUsed = [...series.timesNs].findIndex((timeNs, at) => {
    const average = mean(uplinks.map(({ utilisation }) => utilisation[at]));
    return timeNs > RETURNS_MS * 1e6 && returned.utilisation[at] >= USED * average;
  });
  return isUsed < 0 ? null : series.timesNs[isUsed] / 1e6 - RETURNS_MS;
}

function documentOf({ law, failover }: Case): FigureDocument {
  const fabric = leafSpine({ leaves: 2, hostsPerLeaf: 4, edge: '10gbit', core: '10gbit' });
  return {
    algorithm: law,
    ...(law !== 'dctcp' && { parameters: { initial_rate: 1 / 16 } }),
    ...withLinks(fabric, { failoverDelay: failover, ...(law === 'dctcp' && { ecnThreshold: '20frames' }) }),
    duration: `${END_MS}ms`,
    warmUp: `${WARM_MS}ms`,
    probes: { interval: `${SAMPLE_MS}ms`, maxFlows: 0, links: UPLINKS },
    flows: [
      { ...FLOWS, from: '1-4', to: '5-8' },
      { ...FLOWS, from: '5-8', to: '1-4' },
    ],
    faults: [
      { at: `${FAILS_MS}ms`, link: DEAD, down: true },
      { at: `${RETURNS_MS}ms`, link: DEAD, up: true },
    ],
  };
}

function rowsOf(results: Results<Case>, law: Law): Row[] {
  const times = (failover: Case['failover']) => [BEFORE, DEAD_P99].map((each) => results.of(each, { law, failover }));
  const [before, dead] = times('10ms');
  const goal = (met: boolean, held: string) => (OURS.includes(law) ? { met, held } : { note: 'For comparison.' });
  const back = results.of(BACK, { law, failover: '10ms' });
  return [
    row(`${law}: p99 with none dead, with one of four (ms)`, [before, dead], 3, goal(dead / before <= MOST_FACTOR, `Held to a factor of ${MOST_FACTOR}`)),
    row(`${law}: used again after (ms)`, back, 0, goal(back <= BACK_WITHIN_MS, `Held to ${BACK_WITHIN_MS} ms`)),
    row(`${law}: the same without failover (ms)`, times('never'), 3, { note: 'What hosts do alone.' }),
  ];
}
