// Tested by test/apps/figures/catalogue.test.ts
import { CLASSES, CREDITS_SENT, DATA_DROPS, LARGEST_QUEUE, MEAN_US, UNFINISHED, WASTED_SHARE } from '../../blocks/quantities.js';
import { leafSpine, PAPER_FABRIC, systemFields, withEndpoint } from '../../blocks/spray.js';
import type { Profile } from '../../figure.js';
import { cross, figure, noneOf, type Quantity, quantity, type Results, type Row, row } from '../../plan.js';
import { sum } from '../../statistics.js';

type Case = { readonly system: 'expresspass' | 'spraypass'; readonly load: number; readonly mode: 'without' | 'speculative' };

const SYSTEMS = ['expresspass', 'spraypass'] as const;
const LOADS: Readonly<Record<Profile, readonly number[]>> = { quick: [0.6], paper: [0.4, 0.6, 0.8] };
const FLOWS: Readonly<Record<Profile, number>> = { quick: 3_000, paper: 10_000 };
/** The uplinks of 24 ToR switches: 24 x 4 x 100 Gbit/s. */
const UPLINKS = '9600gbit';
/** Of the fabric. */
const RTT = '32us';
const SPECULATIVE_DROPS = quantity('speculative_drops', 0, ({ result }) => sum(result.links.map((link) => link.speculativeDrops)));

export const speculative = figure<Case>('spraypass-speculative', 'Data before the first credit', {
  source: 'ours, after Aeolus (SIGCOMM 2020)',
  about: (profile) =>
    `The fabric of the permutation, ${FLOWS[profile].toLocaleString('en')} flows of the web server between random hosts, data a part of the 9.6 Tbit/s of the uplinks (load ${LOADS[profile].join(', ')}). Each system without and with a first bandwidth-delay product of speculative data (40 Gbit/s, ${RTT}), of which a port drops what finds more than 6,000 bytes in its data queue. S: flows below 10 KB; M: below 100 KB; L: below 1 MB.`,
  cases: (profile) => cross({ load: LOADS[profile], system: SYSTEMS, mode: ['without', 'speculative'] as const }),
  key,
  document: ({ system, load, mode }, profile) => ({
    ...systemFields(system),
    ...withEndpoint(leafSpine(PAPER_FABRIC), mode === 'speculative' ? { speculativeRtt: RTT } : undefined),
    duration: '10s',
    flows: [{ kind: 'poisson', workload: 'web-server', load, loadRate: UPLINKS, flows: FLOWS[profile] }],
  }),
  rows: (results) => cross({ load: LOADS[results.profile], system: SYSTEMS }).flatMap((each) => rowsOf(results, each)),
  charts: (results) => ({ '': results.bars(MEAN_US.S, 'mean completion time of flows below 10 KB (us)') }),
  table: [
    { run: key },
    ...CLASSES.map((size) => MEAN_US[size]),
    MEAN_US.all,
    WASTED_SHARE,
    CREDITS_SENT,
    SPECULATIVE_DROPS,
    LARGEST_QUEUE,
    DATA_DROPS,
    UNFINISHED,
  ],
});

function key({ system, load, mode }: Case): string {
  return `${system}-${load}-${mode}`;
}

function rowsOf(results: Results<Case>, each: Omit<Case, 'mode'>): Row[] {
  const what = `${each.system}, load ${each.load}`;
  const over = (quantity: Quantity) => results.ratio(quantity, { ...each, mode: 'speculative' }, { ...each, mode: 'without' });
  const others = CLASSES.slice(1).map((size) => over(MEAN_US[size]));
  const held = (most: number) => (each.load === 0.6 ? { most } : { note: 'Claimed at load 0.6.' });
  return [
    row(`${what}: mean time below 10 KB over that without`, over(MEAN_US.S), 3, held(0.75)),
    row(`${what}: mean times of the other classes over those without`, others.filter(Number.isFinite), 3, held(1.01)),
    noneOf(`${what}: data frames lost, speculative ones apart`, results.of(DATA_DROPS, { ...each, mode: 'speculative' })),
  ];
}
