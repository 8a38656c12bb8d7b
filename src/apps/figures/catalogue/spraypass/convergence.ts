// Tested by test/apps/figures/catalogue.test.ts
import { JAIN, LEAST_GOODPUT, MEAN_GOODPUT } from '../../blocks/quantities.js';
import { type Fabric, fromOneLeaf, leafSpine, systemFields } from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { cross, figure, type Results, type Row, row } from '../../plan.js';

type Case = { readonly system: (typeof SYSTEMS)[number]; readonly paths: (typeof PATHS)[number] };

/** `spraypass-listing`: a decrease is taken off the rate in force, as the paper's listing has it. */
const SYSTEMS = ['expresspass', 'spraypass-listing', 'spraypass'] as const;
/** One path, or four of this rate. */
const PATHS = ['one', '10gbit', '100gbit'] as const;

export const convergence = figure<Case>('spraypass-convergence', 'Convergence on one path and on four', {
  source: 'SprayPass, Figures 9 and 10',
  about: (profile) =>
    `One path: five endless flows on a bottleneck of 100 Gbit/s, RTT 32 us. Four paths: eight flows from one leaf to another over four spines, all links 10 or 100 Gbit/s. Jain's index over windows of 1 ms, from 1 ms to ${profile === 'quick' ? '4 ms' : '20 ms'}: a system that has converged to fairness within its first millisecond is close to 1.`,
  cases: () => cross({ system: SYSTEMS, paths: PATHS }),
  document: documentOf,
  rows: (results) => [
    ...PATHS.slice(1).flatMap((paths) => rowsOf(results, paths)),
    row('one path: Jain over 1 ms, the listing and ExpressPass', jains(results, ['spraypass-listing', 'expresspass'], 'one'), 4, {
      paper: 'alike',
      met: results.of(JAIN, { system: 'spraypass-listing', paths: 'one' }) >= results.of(JAIN, { system: 'expresspass', paths: 'one' }),
      held: 'Held to no less than that of ExpressPass',
    }),
  ],
  charts: (results) => ({ '': results.bars(JAIN, "Jain's index over 1 ms") }),
  tables: (results) => [results.table('', [{ run: ({ system, paths }) => `${system}-${paths}` }, MEAN_GOODPUT, LEAST_GOODPUT, JAIN])],
});

function jains(results: Results<Case>, systems: readonly Case['system'][], paths: Case['paths']): number[] {
  return systems.map((system) => results.of(JAIN, { system, paths }));
}

function rowsOf(results: Results<Case>, paths: Case['paths']): Row[] {
  const what = `four paths of ${paths}`;
  return [
    row(`${what}: Jain over 1 ms, the listing`, results.of(JAIN, { system: 'spraypass-listing', paths }), 4, {
      paper: 'fair within 1 ms',
      // Ours, for "converges to fairness within 1 ms".
      least: 0.99,
    }),
    row(`${what}: Jain over 1 ms, our default and ExpressPass`, jains(results, ['spraypass', 'expresspass'], paths), 4, {
      paper: '-, never fair',
      note: 'That of ExpressPass depends on which links the hash picks.',
    }),
    row(
      `${what}: goodput of the listing over that of our default`,
      results.ratio(MEAN_GOODPUT, { system: 'spraypass-listing', paths }, { system: 'spraypass', paths }),
      3,
      { note: 'The listing takes the same overload off twice, as that of ExpressPass does (decision 0003).' },
    ),
  ];
}

function documentOf({ system, paths }: Case, profile: Profile): FigureDocument {
  const parameters = { paths: paths === 'one' ? 1 : 4, ...(system === 'spraypass-listing' && { sent_rate: 0 }) };
  const fields = system === 'expresspass' ? systemFields(system) : systemFields('spraypass', parameters);
  const times = { duration: profile === 'quick' ? '4ms' : '20ms', warmUp: '1ms', jainWindows: ['1ms'] };
  if (paths === 'one') {
    const topology = { name: 'dumbbell', pairs: 5, rate: '100gbit', edge: { delay: '3us' }, core: { delay: '6us' } };
    return { ...fields, ...times, topology, hosts: [{ processing: { delay: '4us' } }], flows: ['pairs'] };
  }
  const fabric: Fabric = { leaves: 2, hostsPerLeaf: 8, edge: paths, core: paths };
  return { ...fields, ...leafSpine(fabric), ...times, flows: fromOneLeaf(fabric) };
}
