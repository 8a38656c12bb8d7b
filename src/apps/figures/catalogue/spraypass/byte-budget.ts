// Tested by test/apps/figures/catalogue.test.ts
import { CREDITS_SENT, CREDITS_WASTED, DATA_DROPS, LARGEST_QUEUE, MEAN_US, UNFINISHED } from '../../blocks/quantities.js';
import { type Fabric, leafSpine, systemFields, withEndpoint } from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { cross, figure, noneOf, type Quantity, type Results, type Row, row } from '../../plan.js';

type Load = { readonly workload: 'messages' | 'web-server'; readonly load: number };

interface Case extends Load {
  readonly system: 'expresspass' | 'spraypass';
  readonly mode: 'without' | 'chunks';
}

const SYSTEMS = ['expresspass', 'spraypass'] as const;
/** Few hosts, so that two of them have many flows at a time; four paths between those of different leaves. */
const FABRIC: Fabric = { leaves: 2, hostsPerLeaf: 4, edge: '40gbit', core: '100gbit' };
/** Bytes and cumulative probability: as between the tiers of a service, each message a flow of less than a frame (ours). */
const MESSAGES: FigureDocument = {
  points: [
    [64, 0],
    [200, 0.5],
    [1000, 1],
  ],
};
const LOADS: Readonly<Record<Profile, readonly Load[]>> = {
  quick: [...cross({ workload: ['messages'] as const, load: [0.05, 0.2] }), ...cross({ workload: ['web-server'] as const, load: [0.6] })],
  paper: [...cross({ workload: ['messages'] as const, load: [0.05, 0.2, 0.4] }), ...cross({ workload: ['web-server'] as const, load: [0.4, 0.6, 0.8] })],
};
const FLOWS = { quick: { messages: 1_500, 'web-server': 2_000 }, paper: { messages: 10_000, 'web-server': 5_000 } };

export const byteBudget = figure<Case>('spraypass-byte-budget', 'Frames filled with data of several flows', {
  source: 'ours',
  about: (profile) =>
    `Eight hosts of 40 Gbit/s at two leaves below four spines; ${FLOWS[profile].messages.toLocaleString('en')} messages of 64 to 1000 bytes, each a flow, or ${FLOWS[profile]['web-server'].toLocaleString('en')} flows of the web server, between random hosts; data frames a part of the hosts' links (load ${LOADS[profile].map(({ workload, load }) => `${load} ${workload}`).join(', ')}). Each system without and with filled frames: what a credit's own flow leaves of the frame carries what others have for the same receiver. S: flows below 10 KB; M: below 100 KB.`,
  cases: (profile) => LOADS[profile].flatMap((load) => cross({ system: SYSTEMS, mode: ['without', 'chunks'] as const }).map((each) => ({ ...load, ...each }))),
  key: ({ system, workload, load, mode }) => `${system}-${workload}-${load}-${mode}`,
  document: ({ system, workload, load, mode }, profile) => ({
    ...systemFields(system),
    ...withEndpoint(leafSpine(FABRIC), mode === 'chunks' ? { frameChunks: 64 } : undefined),
    duration: '10s',
    flows: [{ kind: 'poisson', ...(workload === 'messages' ? MESSAGES : { workload }), load, flows: FLOWS[profile][workload] }],
  }),
  rows: (results) => LOADS[results.profile].flatMap((load) => SYSTEMS.flatMap((system) => rowsOf(results, { system, ...load }))),
  charts: (results) => ({ '': results.bars(MEAN_US.S, 'mean completion time of flows below 10 KB (us)') }),
  tables: (results) => [
    results.table('', [
      { run: ({ system, workload, load, mode }) => `${system}-${workload}-${load}-${mode}` },
      MEAN_US.S,
      MEAN_US.M,
      MEAN_US.all,
      CREDITS_SENT,
      CREDITS_WASTED,
      LARGEST_QUEUE,
      DATA_DROPS,
      UNFINISHED,
    ]),
  ],
});

function rowsOf(results: Results<Case>, each: Omit<Case, 'mode'>): Row[] {
  const over = (what: string, quantity: Quantity, bound: Partial<Row>): Row =>
    row(
      `${each.system}, ${each.workload} at load ${each.load}: ${what}`,
      results.ratio(quantity, { ...each, mode: 'chunks' }, { ...each, mode: 'without' }),
      3,
      bound,
    );
  const messages = () => [
    over('mean time over that without', MEAN_US.all, { most: 0.6 }),
    over('credits sent over those without', CREDITS_SENT, { most: 0.5 }),
    over('credits without data over those without', CREDITS_WASTED, { most: 1 }),
  ];
  const web = () => [
    over('mean time below 10 KB over that without', MEAN_US.S, { most: 0.97 }),
    over('mean time from there to 100 KB over that without', MEAN_US.M, { note: 'Not claimed: three hundredths more or less, from seed to seed.' }),
    over('mean time of all over that without', MEAN_US.all, { most: 1.01 }),
  ];
  return [
    ...(each.workload === 'messages' ? messages() : web()),
    noneOf(`${each.system}, ${each.workload} at load ${each.load}: data frames lost`, results.of(DATA_DROPS, { ...each, mode: 'chunks' })),
  ];
}
