// Tested by test/apps/figures/catalogue.test.ts
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { type Case, comparison, type Measured } from '../../blocks/comparison.js';
import { claim, fixed, noClaim } from '../../blocks/rows.js';
import {
  acrossLeaves,
  type Fabric,
  JAIN,
  LEAST_GOODPUT,
  leafSpine,
  MEAN_GOODPUT,
  systemFields,
} from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';

/** `spraypass-listing`: a decrease is taken off the rate in force, as the paper's listing has it. */
const SYSTEMS = ['expresspass', 'spraypass-listing', 'spraypass'] as const;
type System = (typeof SYSTEMS)[number];
const RATES = ['10gbit', '100gbit'] as const;
/** Ours, for "converges to fairness within 1 ms". */
const LEAST_JAIN = 0.99;

export const convergence = comparison({
  name: 'spraypass-convergence',
  title: 'Convergence on one path and on four',
  source: 'SprayPass, Figures 9 and 10',
  about: (profile) =>
    `One path: five endless flows on a bottleneck of 100 Gbit/s, RTT 32 us. Four paths: eight flows from one leaf to another over four spines, all links 10 or 100 Gbit/s. Jain's index over windows of 1 ms, from 1 ms to ${profile === 'quick' ? '4 ms' : '20 ms'}: a system that has converged to fairness within its first millisecond is close to 1.`,
  quantities: [MEAN_GOODPUT, LEAST_GOODPUT, JAIN],
  drawn: { title: JAIN.title, axis: "Jain's index over 1 ms" },
  cases: (profile) =>
    SYSTEMS.flatMap((system) => [onePath(system, profile), ...RATES.map((rate) => fourPaths(system, rate, profile))]),
  rows: (measured) => [
    ...RATES.flatMap((rate) => rowsOf(rate, measured)),
    oneRow(measured('spraypass-listing-one', JAIN.title), measured('expresspass-one', JAIN.title)),
  ],
});

function rowsOf(rate: string, measured: Measured): FigureRow[] {
  const [theirs, listing, ours] = SYSTEMS.map((system) => measured(`${system}-${rate}`, JAIN.title));
  const [, lost, full] = SYSTEMS.map((system) => measured(`${system}-${rate}`, MEAN_GOODPUT.title));
  const what = `four paths of ${rate}`;
  return [
    claim(
      { quantity: `${what}: Jain over 1 ms, the listing`, paper: 'fair within 1 ms', ours: fixed(listing, 4) },
      listing >= LEAST_JAIN,
      { held: `Held to ${LEAST_JAIN}` },
    ),
    noClaim(
      {
        quantity: `${what}: Jain over 1 ms, our default and ExpressPass`,
        paper: '-, never fair',
        ours: `${fixed(ours, 4)}, ${fixed(theirs, 4)}`,
      },
      'That of ExpressPass depends on which links the hash picks.',
    ),
    noClaim(
      { quantity: `${what}: goodput of the listing over that of our default`, ours: fixed(lost / full, 3) },
      'The listing takes the same overload off twice, as that of ExpressPass does (decision 0003).',
    ),
  ];
}

function oneRow(ours: number, theirs: number) {
  return claim(
    {
      quantity: 'one path: Jain over 1 ms, the listing and ExpressPass',
      paper: 'alike',
      ours: `${fixed(ours, 4)}, ${fixed(theirs, 4)}`,
    },
    ours >= theirs,
    { held: 'Held to no less than that of ExpressPass' },
  );
}

function fieldsOf(system: System, paths: number): FigureDocument {
  if (system === 'expresspass') return systemFields(system);
  return systemFields('spraypass', { paths, ...(system === 'spraypass-listing' && { sent_rate: 0 }) });
}

function times(profile: Profile) {
  return { duration: profile === 'quick' ? '4ms' : '20ms', warmUp: '1ms', jainWindows: ['1ms'] };
}

function onePath(system: System, profile: Profile): Case {
  const topology = { name: 'dumbbell', pairs: 5, rate: '100gbit', edge: { delay: '3us' }, core: { delay: '6us' } };
  const document = {
    ...fieldsOf(system, 1),
    ...times(profile),
    topology,
    hosts: [{ processing: { delay: '4us' } }],
    flows: ['pairs'],
  };
  return { key: `${system}-one`, document };
}

function fourPaths(system: System, rate: string, profile: Profile): Case {
  const fabric: Fabric = { leaves: 2, hostsPerLeaf: 8, edge: rate, core: rate };
  const flows = acrossLeaves(fabric).slice(0, fabric.hostsPerLeaf);
  return {
    key: `${system}-${rate}`,
    document: { ...fieldsOf(system, 4), ...leafSpine(fabric), ...times(profile), flows },
  };
}
