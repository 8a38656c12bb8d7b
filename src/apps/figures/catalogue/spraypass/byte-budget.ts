// Tested by test/apps/figures/catalogue.test.ts
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { comparison, type Measured, type Quantity } from '../../blocks/comparison.js';
import { CREDITS_SENT, CREDITS_WASTED, meanTime, UNFINISHED } from '../../blocks/completion.js';
import { claim, fixed, noClaim } from '../../blocks/rows.js';
import { DATA_DROPS, type Fabric, LARGEST_QUEUE, leafSpine, systemFields } from '../../blocks/spray.js';
import type { FigureDocument, Profile } from '../../figure.js';

const SYSTEMS = ['expresspass', 'spraypass'] as const;
type System = (typeof SYSTEMS)[number];
const MODES = ['without', 'chunks'] as const;
type Mode = (typeof MODES)[number];

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

interface Load {
  readonly workload: 'messages' | 'web-server';
  readonly load: number;
}

const LOADS: Readonly<Record<Profile, readonly Load[]>> = {
  quick: [
    { workload: 'messages', load: 0.05 },
    { workload: 'messages', load: 0.2 },
    { workload: 'web-server', load: 0.6 },
  ],
  paper: [
    { workload: 'messages', load: 0.05 },
    { workload: 'messages', load: 0.2 },
    { workload: 'messages', load: 0.4 },
    { workload: 'web-server', load: 0.4 },
    { workload: 'web-server', load: 0.6 },
    { workload: 'web-server', load: 0.8 },
  ],
};
const FLOWS: Readonly<Record<Profile, Readonly<Record<Load['workload'], number>>>> = {
  quick: { messages: 1_500, 'web-server': 2_000 },
  paper: { messages: 10_000, 'web-server': 5_000 },
};
/** Ours: of messages, the mean time and the credits sent; of the web server, the mean times of flows below 10 KB and of all. */
const MOST_MESSAGES = 0.6;
const MOST_CREDITS = 0.5;
const MOST_WEB_SMALL = 0.97;
const MOST_WEB_ALL = 1.01;

export const byteBudget = comparison({
  name: 'spraypass-byte-budget',
  title: 'Frames filled with data of several flows',
  source: 'ours',
  about: (profile) =>
    `Eight hosts of 40 Gbit/s at two leaves below four spines; ${FLOWS[profile].messages.toLocaleString('en')} messages of 64 to 1000 bytes, each a flow, or ${FLOWS[profile]['web-server'].toLocaleString('en')} flows of the web server, between random hosts; data frames a part of the hosts' links (load ${LOADS[profile].map(({ workload, load }) => `${load} ${workload}`).join(', ')}). Each system without and with filled frames: what a credit's own flow leaves of the frame carries what others have for the same receiver. S: flows below 10 KB; M: below 100 KB.`,
  quantities: [
    meanTime('S'),
    meanTime('M'),
    meanTime('all'),
    CREDITS_SENT,
    CREDITS_WASTED,
    LARGEST_QUEUE,
    DATA_DROPS,
    UNFINISHED,
  ],
  drawn: { title: meanTime('S').title, axis: 'mean completion time of flows below 10 KB (us)' },
  cases: (profile) =>
    LOADS[profile].flatMap((load) =>
      SYSTEMS.flatMap((system) =>
        MODES.map((mode) => ({ key: key(system, load, mode), document: documentOf(system, load, { mode, profile }) })),
      ),
    ),
  rows: (measured, profile) =>
    LOADS[profile].flatMap((load) => SYSTEMS.flatMap((system) => rowsOf(system, load, measured))),
});

function key(system: System, { workload, load }: Load, mode: Mode): string {
  return `${system}-${workload}-${load}-${mode}`;
}

function documentOf(
  system: System,
  { workload, load }: Load,
  { mode, profile }: { mode: Mode; profile: Profile },
): FigureDocument {
  const base = leafSpine(FABRIC);
  const sizes = workload === 'messages' ? MESSAGES : { workload };
  return {
    ...systemFields(system),
    ...base,
    hosts: [{ ...(base.hosts as FigureDocument[])[0], ...(mode === 'chunks' && { endpoint: { frameChunks: 64 } }) }],
    duration: '10s',
    flows: [{ kind: 'poisson', ...sizes, load, flows: FLOWS[profile][workload] }],
  };
}

function rowsOf(system: System, load: Load, measured: Measured): FigureRow[] {
  const of = (mode: Mode, { title }: Quantity) => measured(key(system, load, mode), title);
  const over = (quantity: Quantity) => of('chunks', quantity) / of('without', quantity);
  const what = `${system}, ${load.workload} at load ${load.load}`;
  const lost = of('chunks', DATA_DROPS);
  const none = claim({ quantity: `${what}: data frames lost`, ours: fixed(lost, 0) }, lost === 0, {
    held: 'Held to none',
  });
  return [...(load.workload === 'messages' ? messageRows(what, over) : webRows(what, over)), none];
}

function messageRows(what: string, over: (quantity: Quantity) => number): FigureRow[] {
  const [time, sent, wasted] = [over(meanTime('all')), over(CREDITS_SENT), over(CREDITS_WASTED)];
  return [
    claim({ quantity: `${what}: mean time over that without`, ours: fixed(time, 3) }, time <= MOST_MESSAGES, {
      held: `Held to ${MOST_MESSAGES}`,
    }),
    claim({ quantity: `${what}: credits sent over those without`, ours: fixed(sent, 3) }, sent <= MOST_CREDITS, {
      held: `Held to ${MOST_CREDITS}`,
    }),
    claim({ quantity: `${what}: credits without data over those without`, ours: fixed(wasted, 3) }, wasted <= 1, {
      held: 'Held to 1',
    }),
  ];
}

function webRows(what: string, over: (quantity: Quantity) => number): FigureRow[] {
  const [small, medium, all] = [meanTime('S'), meanTime('M'), meanTime('all')].map(over);
  return [
    claim(
      { quantity: `${what}: mean time below 10 KB over that without`, ours: fixed(small, 3) },
      small <= MOST_WEB_SMALL,
      {
        held: `Held to ${MOST_WEB_SMALL}`,
      },
    ),
    noClaim(
      { quantity: `${what}: mean time from there to 100 KB over that without`, ours: fixed(medium, 3) },
      'Not claimed: three hundredths more or less, from seed to seed.',
    ),
    claim({ quantity: `${what}: mean time of all over that without`, ours: fixed(all, 3) }, all <= MOST_WEB_ALL, {
      held: `Held to ${MOST_WEB_ALL}`,
    }),
  ];
}
