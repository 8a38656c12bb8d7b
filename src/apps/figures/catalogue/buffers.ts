// Tested by test/apps/figures/catalogue/buffers.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import { DEFAULT_PORT } from '../../../switch/port.js';
import { creditShare, DEFAULT_FRAME_BYTES, MEAN_CREDIT_WIRE_BYTES, wireBytes } from '../../../wire/layout.js';
import { ruleFields } from '../blocks/dumbbell.js';
import { dataBps } from '../blocks/payload.js';
import { DATA_DROPS } from '../blocks/quantities.js';
import { cross, figure, noneOf, quantity, type Results, row } from '../plan.js';
import { largest, sum } from '../statistics.js';

type Case = { readonly speed: Speed; readonly rule: 'steady' | 'expresspass' };

/** Links at hosts and between switches, Gbit/s, as in the figure; time that is played in the quick profile. */
const SPEEDS = { '10-40': { edge: 10, core: 40, ms: 4 }, '40-100': { edge: 40, core: 100, ms: 2 }, '100-100': { edge: 100, core: 100, ms: 2 } } as const;
type Speed = keyof typeof SPEEDS;
const SPEED_NAMES = Object.keys(SPEEDS) as Speed[];
const RULES = ['steady', 'expresspass'] as const;
/** How unevenly a host answers a credit: ours, of a NIC; the evaluation's hosts take 1 us. */
const HOST_SPREAD_US = 1;

/** Ports by what their data goes to, from the senders on: the order in which spreads add up. */
const PORTS = [
  { name: 'ToR to aggregation', link: /^tor\d+->agg/, speed: 'core' },
  { name: 'aggregation to core', link: /^agg\d+->core/, speed: 'core' },
  { name: 'core to aggregation', link: /^core\d+->agg/, speed: 'core' },
  { name: 'aggregation to ToR', link: /^agg\d+->tor/, speed: 'core' },
  { name: 'ToR to host', link: /^tor\d+->h/, speed: 'edge' },
] as const;
type PortKind = (typeof PORTS)[number];

/**
 * The closed form (ExpressPass 2016, section 2.1, port by port): data of all credits of a spread d_max - d_min may arrive at once. A credit that passes a
 * port waits for at most a full credit queue at the next one towards the sender; beyond that port the spread is that of the port behind it, and its data
 * waits there for as long again as that port's own data queue may be long. A host is the end: its spread counts alone.
 */
function boundsBytes(speed: Speed): ReadonlyMap<PortKind, number> {
  let spreadS = HOST_SPREAD_US / 1e6;
  let behind: 'edge' | 'core' = 'edge';
  return new Map(
    PORTS.map((port, at) => {
      const creditBps = SPEEDS[speed][behind] * 1e9 * creditShare(DEFAULT_FRAME_BYTES);
      const creditWaitS = (DEFAULT_PORT.creditQueueFrames * MEAN_CREDIT_WIRE_BYTES * 8) / creditBps;
      // The NIC of a host sends what it is asked for at the pace of its meter, so that only switches queue data.
      spreadS = creditWaitS + (at === 0 ? 1 : 2) * spreadS;
      behind = port.speed;
      const burstBytes = (DEFAULT_PORT.creditBurstBytes / MEAN_CREDIT_WIRE_BYTES) * wireBytes(DEFAULT_FRAME_BYTES);
      return [port, (spreadS * dataBps(SPEEDS[speed][port.speed] * 1e9)) / 8 + burstBytes];
    }),
  );
}

function largestAt({ link }: PortKind) {
  return quantity(
    'queue_bytes_max_ever',
    0,
    ({ result }: SimulationRun) => Math.max(...result.links.filter(({ name }) => link.test(name)).map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver)),
    largest,
  );
}
const LARGEST = new Map(PORTS.map((port) => [port, largestAt(port)]));

export const buffers = figure<Case>('buffers', 'Buffer that no loss needs, by kind of port', {
  source: 'ExpressPass 2017, Figure 5',
  about: (profile) =>
    `A fat tree of 32 hosts with links of ${SPEED_NAMES.map((speed) => speed.replace('-', '/')).join(', ')} Gbit/s at hosts and between switches, 4 us each; hosts answer a credit up to ${HOST_SPREAD_US} us late. The closed form adds up spreads from the senders on: a full credit queue of ${DEFAULT_PORT.creditQueueFrames} at each port, and what data may wait at it. Beside it the largest data queue of any port of a kind, of four endless flows to and from each host between random pairs, ${profile === 'quick' ? 'one seed' : 'ten seeds'}. The paper draws the sums for a whole switch of another size, without numbers in its text.`,
  cases: () => cross({ speed: SPEED_NAMES, rule: RULES }),
  document: ({ speed, rule }, profile) => {
    const { edge, core, ms } = SPEEDS[speed];
    return {
      ...ruleFields(rule),
      duration: `${profile === 'quick' ? ms : 10 * ms}ms`,
      warmUp: `${ms / 2}ms`,
      topology: {
        name: 'fat-tree',
        pods: 4,
        coreSwitches: 4,
        aggregationPerPod: 2,
        torsPerPod: 2,
        hostsPerTor: 4,
        delay: '4us',
        rate: `${core}gbit`,
        edge: { rate: `${edge}gbit` },
      },
      hosts: [{ processing: { delay: '1us', jitter: `${HOST_SPREAD_US}us` } }],
      flows: Array.from({ length: 4 }, (_, at) => ({ kind: 'permutation', group: `round${at}` })),
    };
  },
  seeds: { quick: 1, paper: 10 },
  rows: (results) => [
    ...results.cases.flatMap((each) => boundRows(results, each)),
    noneOf('data frames lost in all runs', sum(results.list(DATA_DROPS, {})), { paper: '0' }),
  ],
  charts: (results) => ({
    '': {
      kind: 'bars',
      x: { name: 'kind of port' },
      y: { name: 'largest data queue (B)', scale: 'log10' },
      groups: PORTS.map(({ name }) => name),
      series: SPEED_NAMES.flatMap((speed) => [
        { name: `${speed}, closed form`, values: [...boundsBytes(speed).values()] },
        { name: `${speed}, simulator`, values: PORTS.map((port) => ofPort(results, { speed, rule: 'expresspass' }, port)) },
      ]),
      widthPx: 900,
    },
  }),
  tables: (results) => [
    {
      key: '',
      titles: ['speed', 'rule', 'port', 'closed_form_bytes', 'queue_bytes_max_ever'],
      rows: results.cases.flatMap((each) =>
        PORTS.map((port) => [each.speed, each.rule, port.name, Math.round(boundsBytes(each.speed).get(port) as number), ofPort(results, each, port)]),
      ),
    },
  ],
});

function ofPort(results: Results<Case>, each: Case, port: PortKind): number {
  return results.of(LARGEST.get(port) as ReturnType<typeof largestAt>, each);
}

function boundRows(results: Results<Case>, each: Case) {
  const bounds = boundsBytes(each.speed);
  const most = PORTS.map((port) => Math.round(bounds.get(port) as number));
  const ours = PORTS.map((port) => ofPort(results, each, port));
  return [
    row(`${each.rule}, ${each.speed.replace('-', '/')} Gbit/s: largest queue (B) of ${PORTS.map(({ name }) => name).join(', ')}`, ours, 0, {
      most,
      held: `Held to the closed form: ${most.join(', ')}`,
    }),
  ];
}
