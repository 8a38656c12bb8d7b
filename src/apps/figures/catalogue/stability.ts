// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import type { LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { RTT_NS } from '../blocks/joining.js';
import { claim, noClaim, rounded, valueList } from '../blocks/rows.js';
import type { Rule } from '../blocks/rules.js';
import { type Phases, phasesOf, synchronisedRates } from '../blocks/synchronised.js';
import type { Figure, FigureChart, FigureDocument, FigureTable, Runs } from '../figure.js';

const FLOWS = [2, 4, 8, 16, 32];
const DRAWN_FLOWS = 8;
const SIMULATED: readonly Rule[] = ['expresspass-literal', 'expresspass', 'steady'];
const MODEL_RULE: Rule = 'expresspass-literal';
/** The constants of the paper. */
const TARGET_LOSS = 0.1;
const W_MIN = 0.01;
const LINK_BPS = 10e9;
/** C of the analysis: what a flow may send at most. */
const C_BPS = LINK_BPS * (1 + TARGET_LOSS);
/** Periods of the model, and those of them in which w has fallen to w_min. */
const PERIODS = 200;
const SETTLED_FROM = 100;
const DRAWN_PERIODS = 60;
/** Where the simulator's trajectories are read: as everything of this dumbbell, from 20 ms. */
const MEASURED_FROM_NS = 20e6;
/** The model is exact, so what it gives has to be, too. */
const MODEL_TOLERANCE = 0.001;

export const stability: Figure = {
  name: 'stability',
  title: 'Stability of the rule of 2017',
  source: 'ExpressPass 2017, section 4 (an analysis, without a figure)',
  about: () =>
    `With N flows that update at the same instants, the paper proves that cur_rate comes to C/N after every decrease and to C/N * (1 + (N - 1) * w_min) after every increase, C = max_rate * (1 + target_loss). The first rows play that model with the code of the rule that runs in hosts (expresspass-literal). The others are the simulator's, where flows update when they do and learn of a loss one RTT late: means of the credit rate over all flows, from 20 to 60 ms, one sample an RTT, as parts of the same two values. Lists are for ${FLOWS.join(', ')} flows.`,
  jobs: () =>
    SIMULATED.flatMap((rule) =>
      FLOWS.map((pairs) => ({ key: key(rule, pairs), document: sampled(rule, pairs), seeds: [1] })),
    ),
  evaluate: (runs) => {
    const model = FLOWS.map((flows) => settled(modelRates(flows)));
    const simulated = SIMULATED.map((rule) => ({
      rule,
      phases: FLOWS.map((flows) => phasesOf(creditRates(runs.one(key(rule, flows))))),
    }));
    return {
      charts: charts(runs),
      rows: [...modelRows(model), ...simulated.flatMap(({ rule, phases }) => simulatedRows(rule, phases))],
      tables: [table([{ rule: 'model', phases: model }, ...simulated])],
    };
  },
};

function key(rule: Rule, flows: number): string {
  return `${rule}-${flows}`;
}

function sampled(rule: Rule, pairs: number): FigureDocument {
  return { ...dumbbell({ rule, pairs }), probes: { interval: `${RTT_NS}ns`, maxFlows: pairs } };
}

function modelRates(flows: number): number[] {
  return synchronisedRates({ rule: MODEL_RULE, flows, periods: PERIODS, initialRate: 0.5 });
}

function settled(rates: readonly number[]): Phases {
  return phasesOf([rates.slice(SETTLED_FROM)]);
}

/** Of every flow, bit/s, over the measured time. */
function creditRates({ series }: SimulationRun): number[][] {
  const flows = series?.flows ?? [];
  const from = series?.timesNs.findIndex((timeNs) => timeNs > MEASURED_FROM_NS) ?? 0;
  return flows.map(({ creditRateBps }) => [...creditRateBps.subarray(from)]);
}

/** As parts of what the paper proves. */
function parts(phases: readonly Phases[]): { decreased: number[]; increased: number[] } {
  return {
    decreased: phases.map(({ afterDecrease }, at) => afterDecrease / (C_BPS / FLOWS[at])),
    increased: phases.map(({ afterIncrease }, at) => afterIncrease / increasedBps(FLOWS[at])),
  };
}

function increasedBps(flows: number): number {
  return (C_BPS / flows) * (1 + (flows - 1) * W_MIN);
}

function modelRows(model: readonly Phases[]): FigureRow[] {
  const { decreased, increased } = parts(model);
  const isOne = (values: readonly number[]): boolean => values.every((value) => Math.abs(value - 1) <= MODEL_TOLERANCE);
  const held = `Held to within ${MODEL_TOLERANCE * 100} %`;
  return [
    claim(
      { quantity: 'model: rate after a decrease / (C/N)', paper: '1', ours: valueList(decreased, 3) },
      isOne(decreased),
      { held, why: WHY_MODEL },
    ),
    claim(
      {
        quantity: 'model: rate after an increase / (C/N * (1 + (N - 1) * w_min))',
        paper: '1',
        ours: valueList(increased, 3),
      },
      isOne(increased),
      { held, why: WHY_MODEL },
    ),
  ];
}

const WHY_MODEL =
  'With two flows the sum after an increase is 1.111 of the link, so the loss of 0.0999 is still within the target of 0.1: both increase once more, with a larger w, before they decrease. The proof takes every increase to be followed by a decrease, which holds from three flows on.';

function simulatedRows(rule: Rule, phases: readonly Phases[]): FigureRow[] {
  const { decreased, increased } = parts(phases);
  return [
    noClaim({ quantity: `${rule}: rate after a decrease / (C/N)`, ours: valueList(decreased, 2) }, REASONS[rule] ?? ''),
    noClaim(
      { quantity: `${rule}: rate after an increase / (C/N * (1 + (N - 1) * w_min))`, ours: valueList(increased, 2) },
      REASONS[rule] ?? '',
    ),
  ];
}

const REASONS: Partial<Record<Rule, string>> = {
  'expresspass-literal':
    'What the proof leaves out, a loss that is learned one RTT late and updates at instants of their own, makes the rate swing between a fraction of the share and a multiple of it.',
  expresspass:
    'With the loss taken off the rate that suffered it the decrease comes out right; flows still rise at instants of their own.',
  steady:
    'Without a target loss its flows settle at the share of the link times 1 + (N - 1) * w_min, so C is the rate of the link here, not 1.1 of it; rises and falls are a few per cent apart.',
};

function charts(runs: Runs): FigureChart[] {
  const model = modelRates(DRAWN_FLOWS).slice(0, DRAWN_PERIODS);
  return [
    { key: 'model', chart: lines('the model: expresspass-literal, synchronised', model) },
    ...SIMULATED.map((rule) => {
      const [rates] = [...(runs.one(key(rule, DRAWN_FLOWS)).series?.flows ?? [])];
      return { key: rule, chart: lines(`the simulator: ${rule}`, [...rates.creditRateBps.subarray(0, DRAWN_PERIODS)]) };
    }),
  ];
}

function lines(title: string, ratesBps: readonly number[]): LineChart {
  return {
    kind: 'lines',
    title: `One of ${DRAWN_FLOWS} flows, ${title}`,
    x: { name: 'RTTs' },
    y: { name: 'cur_rate / (C/N)', min: 0, max: DRAWN_FLOWS },
    series: [
      { name: 'cur_rate', x: ratesBps.map((_, at) => at + 1), y: ratesBps.map((bps) => bps / (C_BPS / DRAWN_FLOWS)) },
    ],
    references: [
      { label: 'after decr.', y: 1 },
      { label: 'after incr.', y: increasedBps(DRAWN_FLOWS) / (C_BPS / DRAWN_FLOWS) },
    ],
  };
}

function table(all: readonly { rule: string; phases: readonly Phases[] }[]): FigureTable {
  const rows = all.flatMap(({ rule, phases }) => {
    const { decreased, increased } = parts(phases);
    return FLOWS.map((flows, at) => [rule, flows, rounded(decreased[at], 4), rounded(increased[at], 4)]);
  });
  return { key: '', titles: ['rule', 'flows', 'after_decrease_part', 'after_increase_part'], rows };
}
