// Tested by test/apps/figures/catalogue.test.ts
import type { LineChart } from '../../../shared/plot/chart.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { FLOWS, MIX_NAMES, type MixName, type MixPoint, mixJobs, mixPoints } from '../../blocks/mixes.js';
import { claim, noClaim, valueList } from '../../blocks/rows.js';
import type { Figure } from '../../figure.js';

const MOST_MEAN_BYTES = 100e3;
const MOST_BYTES = 200e3;

export const ec4Queue: Figure = {
  name: 'ec4-queue',
  title: 'The queue that credits and DCTCP share',
  source: 'EC4, Figure 6',
  about: () =>
    `The runs of ec4-fairness: the data queue of the bottleneck, its mean and its largest from 20 to 121 ms. Lists are for ${FLOWS.join(', ')} flows in all. The queue is never full here, as in the paper. With ec4-dctcp-below-one a flow may send as little as a twentieth of a frame in a round trip (\`min_frames\` of ec4, \`min_window\` of dctcp); as RFC 8257 has it, DCTCP keeps a frame at least.`,
  jobs: mixJobs,
  evaluate: (runs) => {
    const measured = MIX_NAMES.map((name) => ({ name, points: mixPoints(runs, name) }));
    const chart = (name: string, of: 'queueBytesMean' | 'queueBytesMax'): LineChart => ({
      kind: 'lines',
      x: { name: 'flows', scale: 'log2' },
      y: { name, scale: 'log10' },
      series: measured.map((each) => ({ name: each.name, x: FLOWS, y: each.points.map((point) => point[of]) })),
    });
    return {
      charts: [
        { key: 'mean', chart: chart('mean queue (B)', 'queueBytesMean') },
        { key: 'max', chart: chart('largest queue (B)', 'queueBytesMax') },
      ],
      rows: measured.flatMap(({ name, points }) => rowsOf(name, points)),
      tables: [],
    };
  },
};

function rowsOf(name: MixName, points: readonly MixPoint[]): FigureRow[] {
  const list = (of: keyof MixPoint): string =>
    valueList(
      points.map((each) => each[of]),
      0,
    );
  const mean = { quantity: `${name}: mean queue (B)`, ours: list('queueBytesMean') };
  const most = { quantity: `${name}: largest queue once the flows run (B)`, ours: list('queueBytesMax') };
  const ever = { quantity: `${name}: largest queue since the start (B)`, ours: list('queueBytesEver') };
  const opening = noClaim(
    ever,
    'All flows begin within 50 us: DCTCP with ten frames each and slow start, credits at the rate of the link.',
  );
  const why = WHY.get(name);
  if (why === undefined)
    return [noClaim(mean, 'It stands beside EC4.'), noClaim(most, 'It stands beside EC4.'), opening];
  const isShort = points.every(({ queueBytesMean }) => queueBytesMean <= MOST_MEAN_BYTES);
  const isBounded = points.every(({ queueBytesMax }) => queueBytesMax <= MOST_BYTES);
  return [
    claim({ ...mean, paper: 'below 100,000' }, isShort, { held: 'Held to 100,000 at every number of flows', why }),
    claim({ ...most, paper: 'below 200,000' }, isBounded, {
      held: 'Held to 200,000 at every number of flows',
      why,
    }),
    opening,
  ];
}

const WHY: ReadonlyMap<MixName, string> = new Map([
  [
    'ec4-dctcp',
    'DCTCP keeps one frame in the network for each of its flows at the least, and EC4 one in a round trip; the path holds 24 and the rest queues: 104 frames or 160 kB with 128 flows, 232 or 357 kB with 256. DCTCP alone has the same queue. Where both may go below one (ec4-dctcp-below-one) it is gone.',
  ],
  ['ec4-dctcp-below-one', 'Flows that the marks release together send a frame each.'],
]);
