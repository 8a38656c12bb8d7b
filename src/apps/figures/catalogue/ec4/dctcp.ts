// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import type { FigureRow } from '../../../shared/report/figures-page.js';
import { BOTTLENECK } from '../../blocks/dumbbell.js';
import { linkOf } from '../../blocks/link.js';
import { mixDocument, shares } from '../../blocks/mix.js';
import { DCTCP } from '../../blocks/mixes.js';
import { claim, fixed, noClaim, rounded } from '../../blocks/rows.js';
import type { Figure, FigureDocument, FigureTable } from '../../figure.js';

const FRAME_BYTES = 1538;
const WITHIN = 0.1;
/** ExpressPass 2017 §6.1: g and K by rate. */
const RATES = [
  { name: '10gbit', markFrames: 65, g: 0.0625, joinMs: 20, endMs: 60, code: { mean: 94e3, max: 103e3, ms: 11 } },
  { name: '100gbit', markFrames: 650, g: 0.01976, joinMs: 60, endMs: 400, code: null },
] as const;
type Rate = (typeof RATES)[number];

export const ec4Dctcp: Figure = {
  name: 'ec4-dctcp',
  title: 'DCTCP by itself: queue and convergence',
  source: 'DCTCP, RFC 8257; our runs of ns-2 code',
  about: () =>
    `One flow of DCTCP runs and another joins it. Three links of 16.7 us, an RTT of 100 us. Marking above 65 frames and g = 0.0625 at 10 Gbit/s, 650 and 0.01976 at 100 Gbit/s, as in ExpressPass 2017. The queue is read over the last quarter of the run; until fair: the first millisecond in which both are within ${WITHIN * 100} % of a half.`,
  jobs: () => RATES.map((rate) => ({ key: rate.name, document: twoFlows(rate), seeds: [1] })),
  evaluate: (runs) => {
    const measured = RATES.map((rate) => ({ rate, run: runs.one(rate.name) }));
    return {
      charts: measured.map(({ rate, run }) => ({
        key: rate.name,
        chart: {
          kind: 'lines',
          x: { name: 'time (ms)' },
          y: { name: 'part of the flow that joined', max: 1 },
          series: [courseOf(run)],
        },
      })),
      rows: measured.flatMap(({ rate, run }) => rowsOf(rate, run)),
      tables: [table(measured)],
    };
  },
};

function twoFlows({ name, markFrames, g, joinMs, endMs }: Rate): FigureDocument {
  const side = { ...DCTCP, parameters: { g } };
  const document = mixDocument({
    sides: [{ ...side, start: `${joinMs}ms` }, side],
    pairs: 1,
    rate: name,
    markFrames,
    delay: '16667ns',
    duration: `${endMs}ms`,
    warmUp: `${endMs - (endMs - joinMs) / 4}ms`,
  });
  return { ...document, jainWindows: ['1ms'], probes: { interval: '1ms', maxFlows: 2 } };
}

function courseOf(run: SimulationRun) {
  const { timesNs, one } = shares(run);
  return { name: 'dctcp', x: timesNs.map((ns) => ns / 1e6), y: one };
}

function msUntilFair(run: SimulationRun, joinMs: number): number | null {
  const { timesNs, one } = shares(run);
  const found = timesNs.find((ns, at) => ns > joinMs * 1e6 && Math.abs(one[at] / 0.5 - 1) <= WITHIN);
  return found === undefined ? null : found / 1e6 - joinMs;
}

function rowsOf(rate: Rate, run: SimulationRun): FigureRow[] {
  const { dataQueueBytesMean: mean, dataQueueBytesMax: max } = linkOf(run, BOTTLENECK);
  const { code } = rate;
  const thresholdBytes = rate.markFrames * FRAME_BYTES;
  const until = msUntilFair(run, rate.joinMs);
  const text = { quantity: `${rate.name}: mean and largest queue (B)`, ours: `${fixed(mean, 0)}, ${max}` };
  const isNear = mean >= 0.5 * thresholdBytes && max <= 1.5 * thresholdBytes;
  return [
    claim(
      { ...text, paper: `near ${thresholdBytes}`, ...(code !== null && { authorsCode: `${code.mean}, ${code.max}` }) },
      isNear,
      {
        held: 'Held to a mean of half of K at least and no more than 1.5 K',
      },
    ),
    noClaim(
      {
        quantity: `${rate.name}: second flow fair after (ms)`,
        ...(code !== null && { authorsCode: `${code.ms}` }),
        ours: fixed(until, 0),
      },
      'It depends on when the marks meet which flow, and the one that joins grows by a frame an RTT: at 100 Gbit/s its half is 730 frames, at 10 Gbit/s 73.',
    ),
  ];
}

function table(measured: readonly { rate: Rate; run: SimulationRun }[]): FigureTable {
  const rows = measured.map(({ rate, run }) => {
    const { dataQueueBytesMean, dataQueueBytesMax } = linkOf(run, BOTTLENECK);
    return [rate.name, rounded(dataQueueBytesMean, 0), dataQueueBytesMax, msUntilFair(run, rate.joinMs)];
  });
  return { key: '', titles: ['rate', 'queue_bytes_mean', 'queue_bytes_max', 'ms_until_fair'], rows };
}
