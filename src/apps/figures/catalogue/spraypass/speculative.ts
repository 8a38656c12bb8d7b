// Tested by test/apps/figures/catalogue.test.ts
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { comparison, type Measured, type Quantity } from '../../blocks/comparison.js';
import { CLASSES, CREDITS_SENT, meanTime, UNFINISHED, WASTED_SHARE } from '../../blocks/completion.js';
import { claim, fixed, noClaim } from '../../blocks/rows.js';
import { DATA_DROPS, LARGEST_QUEUE, leafSpine, PAPER_FABRIC, systemFields } from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';

const SYSTEMS = ['expresspass', 'spraypass'] as const;
type System = (typeof SYSTEMS)[number];
const MODES = ['without', 'speculative'] as const;
const LOADS: Readonly<Record<Profile, readonly number[]>> = { quick: [0.6], paper: [0.4, 0.6, 0.8] };
const FLOWS: Readonly<Record<Profile, number>> = { quick: 3_000, paper: 10_000 };
/** The uplinks of 24 ToR switches: 24 x 4 x 100 Gbit/s. */
const UPLINKS = '9600gbit';
/** Of the fabric. */
const RTT = '32us';
/** Of the flows below 10 KB, and of each other class, at load 0.6. */
const MOST_SMALL = 0.75;
const MOST_OTHER = 1.01;

const SPECULATIVE_DROPS: Quantity = {
  title: 'speculative_drops',
  digits: 0,
  of: ({ result }) => result.links.reduce((sum, link) => sum + link.speculativeDrops, 0),
};

export const speculative = comparison({
  name: 'spraypass-speculative',
  title: 'Data before the first credit',
  source: 'ours, after Aeolus (SIGCOMM 2020)',
  about: (profile) =>
    `The fabric of the permutation, ${FLOWS[profile].toLocaleString('en')} flows of the web server between random hosts, data a part of the 9.6 Tbit/s of the uplinks (load ${LOADS[profile].join(', ')}). Each system without and with a first bandwidth-delay product of speculative data (40 Gbit/s, ${RTT}), of which a port drops what finds more than 6,000 bytes in its data queue. S: flows below 10 KB; M: below 100 KB; L: below 1 MB.`,
  quantities: [
    ...CLASSES.map(meanTime),
    meanTime('all'),
    WASTED_SHARE,
    CREDITS_SENT,
    SPECULATIVE_DROPS,
    LARGEST_QUEUE,
    DATA_DROPS,
    UNFINISHED,
  ],
  drawn: { title: meanTime('S').title, axis: 'mean completion time of flows below 10 KB (us)' },
  cases: (profile) =>
    LOADS[profile].flatMap((load) =>
      SYSTEMS.flatMap((system) =>
        MODES.map((mode) => ({ key: key(system, load, mode), document: documentOf(system, { load, mode, profile }) })),
      ),
    ),
  rows: (measured, profile) =>
    LOADS[profile].flatMap((load) => SYSTEMS.flatMap((system) => rowsOf(system, load, measured))),
});

function key(system: System, load: number, mode: string): string {
  return `${system}-${load}-${mode}`;
}

function documentOf(
  system: System,
  { load, mode, profile }: { load: number; mode: (typeof MODES)[number]; profile: Profile },
): FigureDocument {
  const base = leafSpine(PAPER_FABRIC);
  return {
    ...systemFields(system),
    ...base,
    hosts: [
      { ...(base.hosts as FigureDocument[])[0], ...(mode === 'speculative' && { endpoint: { speculativeRtt: RTT } }) },
    ],
    duration: '10s',
    flows: [{ kind: 'poisson', workload: 'web-server', load, loadRate: UPLINKS, flows: FLOWS[profile] }],
  };
}

function rowsOf(system: System, load: number, measured: Measured): FigureRow[] {
  const of = (mode: (typeof MODES)[number], { title }: Quantity) => measured(key(system, load, mode), title);
  const over = (quantity: Quantity) => of('speculative', quantity) / of('without', quantity);
  const what = `${system}, load ${load}`;
  const small = over(meanTime('S'));
  const others = CLASSES.slice(1)
    .map((size) => over(meanTime(size)))
    .filter(Number.isFinite);
  const times = [
    { text: { quantity: `${what}: mean time below 10 KB over that without`, ours: fixed(small, 3) }, most: MOST_SMALL },
    {
      text: {
        quantity: `${what}: mean times of the other classes over those without`,
        ours: others.map((each) => fixed(each, 3)).join(', '),
      },
      most: MOST_OTHER,
    },
  ];
  const values = [small, Math.max(...others)];
  const lost = of('speculative', DATA_DROPS);
  return [
    ...times.map(({ text, most }, at) =>
      load === 0.6
        ? claim(text, values[at] <= most, { held: `Held to ${most}` })
        : noClaim(text, 'Claimed at load 0.6.'),
    ),
    claim({ quantity: `${what}: data frames lost, speculative ones apart`, ours: fixed(lost, 0) }, lost === 0, {
      held: 'Held to none',
    }),
  ];
}
