// Tested by test/apps/figures/catalogue.test.ts
import { quantile } from '../../../../sim/measure/quantile.js';
import type { SimulationRun } from '../../../../sim/result.js';
import { type Case, comparison, type Measured, type Quantity } from '../../blocks/comparison.js';
import { claim, noClaim, valueList } from '../../blocks/rows.js';
import { leafSpine } from '../../blocks/spray.js';
import type { FigureDocument } from '../../figure.js';

const LAWS = ['spraypass', 'steady', 'expresspass', 'dctcp'] as const;
type Law = (typeof LAWS)[number];
/** Held to the goals; the others show what a law of their kind gets. */
const OURS: readonly Law[] = ['spraypass', 'steady'];
const DELAYS = ['10ms', 'never'] as const;
type Delay = (typeof DELAYS)[number];

/** Of four spines. */
const DEAD = ['leaf1-spine1', 'leaf2-spine1'];
const RETURNED = 'leaf1->spine1';
const UPLINK = /^leaf1->spine\d$/;
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

/** Half of a frame to 48 of them, each below the 75 kB from which a speed board judges. */
const SIZES = [
  [700, 0],
  [70_000, 1],
];
/** From each leaf: a load of 0.3 of its uplinks for as long as the run. */
const FLOWS = 13_800;

/** 99th percentile of the completion times of the flows that began in a part of the run. One that is not complete counts as long as it has been there. */
function p99(title: string, fromMs: number, toMs: number): Quantity {
  return {
    title,
    digits: 3,
    of: ({ result }: SimulationRun) => {
      const those = result.flows.filter(({ startNs }) => startNs >= fromMs * 1e6 && startNs < toMs * 1e6);
      const times = those.map(({ fctNs, startNs }) => fctNs ?? result.durationNs - startNs);
      return times.length === 0 ? null : quantile(Float64Array.from(times).sort(), 0.99) / 1e6;
    },
  };
}

const BEFORE = p99('before_p99_ms', WARM_MS, FAILS_MS);
const AT_FAILURE = p99('failing_p99_ms', FAILS_MS, FAILS_MS + SETTLES_MS);
const DEAD_P99 = p99('dead_p99_ms', FAILS_MS + SETTLES_MS, RETURNS_MS);
const AFTER = p99('after_p99_ms', RETURNS_MS + BACK_WITHIN_MS, END_MS - 20);
/** When the path is used again; null where it is not until the end. */
const BACK: Quantity = { title: 'back_ms', digits: 0, of: backMs };

function backMs({ series }: SimulationRun): number | null {
  const uplinks = series?.links.filter(({ name }) => UPLINK.test(name)) ?? [];
  const returned = uplinks.find(({ name }) => name === RETURNED);
  if (series === null || returned === undefined) return null;
  const isUsed = [...series.timesNs].findIndex((timeNs, at) => {
    const mean = uplinks.reduce((sum, { utilisation }) => sum + utilisation[at], 0) / uplinks.length;
    return timeNs > RETURNS_MS * 1e6 && returned.utilisation[at] >= USED * mean;
  });
  return isUsed < 0 ? null : series.timesNs[isUsed] / 1e6 - RETURNS_MS;
}

function lawFields(law: Law): FigureDocument {
  return law === 'dctcp' ? { algorithm: law } : { algorithm: law, parameters: { initial_rate: 1 / 16 } };
}

function documentOf(law: Law, failoverDelay: Delay): FigureDocument {
  const { topology, hosts } = leafSpine({ leaves: 2, hostsPerLeaf: 4, edge: '10gbit', core: '10gbit' });
  return {
    ...lawFields(law),
    topology: { ...(topology as FigureDocument), failoverDelay, ...(law === 'dctcp' && { ecnThreshold: '20frames' }) },
    hosts,
    duration: `${END_MS}ms`,
    warmUp: `${WARM_MS}ms`,
    probes: {
      interval: `${SAMPLE_MS}ms`,
      maxFlows: 0,
      links: ['leaf1->spine1', 'leaf1->spine2', 'leaf1->spine3', 'leaf1->spine4'],
    },
    flows: [
      { kind: 'poisson', points: SIZES, load: 0.3, loadRate: '40gbit', flows: FLOWS, from: '1-4', to: '5-8' },
      { kind: 'poisson', points: SIZES, load: 0.3, loadRate: '40gbit', flows: FLOWS, from: '5-8', to: '1-4' },
    ],
    faults: [
      { at: `${FAILS_MS}ms`, link: DEAD, down: true },
      { at: `${RETURNS_MS}ms`, link: DEAD, up: true },
    ],
  };
}

function keyOf(law: Law, delay: Delay): string {
  return `${law}-${delay}`;
}

function cases(): Case[] {
  return LAWS.flatMap((law) => DELAYS.map((delay) => ({ key: keyOf(law, delay), document: documentOf(law, delay) })));
}

function lawRows(law: Law, measured: Measured) {
  const key = keyOf(law, '10ms');
  const dead = measured(key, DEAD_P99.title) / measured(key, BEFORE.title);
  const back = measured(key, BACK.title);
  const values = [measured(key, BEFORE.title), measured(key, DEAD_P99.title)];
  const never = keyOf(law, 'never');
  const alone = [measured(never, BEFORE.title), measured(never, DEAD_P99.title)];
  const text = { quantity: `${law}: p99 with none dead, with one of four (ms)`, ours: valueList(values, 3) };
  const backText = { quantity: `${law}: used again after (ms)`, ours: valueList([back], 0) };
  const withoutText = { quantity: `${law}: the same without failover (ms)`, ours: valueList(alone, 3) };
  const note = noClaim(withoutText, 'What hosts do alone.');
  if (!OURS.includes(law)) return [noClaim(text, 'For comparison.'), noClaim(backText, 'For comparison.'), note];
  return [
    claim(text, dead <= MOST_FACTOR, { held: `Held to a factor of ${MOST_FACTOR}` }),
    claim(backText, back <= BACK_WITHIN_MS, { held: `Held to ${BACK_WITHIN_MS} ms` }),
    note,
  ];
}

export const failures = comparison({
  name: 'real-networks-failures',
  title: 'One of four paths fails and returns',
  source: 'ours',
  about: () =>
    `Short flows (0.7 to 70 kB) between two leaves of four hosts over four spines, all links 10 Gbit/s, RTT 32 us, load 0.3. At ${FAILS_MS} ms the links of spine1 go down, at ${RETURNS_MS} ms they are up again. 99th percentile of the completion times of flows that began before, in the first ${SETTLES_MS} ms of the failure, in the rest of it, and from ${BACK_WITHIN_MS} ms after the return; and when the path carries half of its share again, in steps of ${SAMPLE_MS} ms. With a failover delay of 10 ms, and without failover.`,
  quantities: [BEFORE, AT_FAILURE, DEAD_P99, AFTER, BACK],
  drawn: { title: DEAD_P99.title, axis: '99th percentile with a dead path (ms)' },
  cases,
  rows: (measured) => LAWS.flatMap((law) => lawRows(law, measured)),
});
