// Tested by test/apps/figures/catalogue.test.ts and test/apps/figures/golden.test.ts
import type { BarChart, LineChart } from '../../shared/plot/chart.js';
import type { FigureRow } from '../../shared/report/figures-page.js';
import { joiningDocument, LAST_RTT, rttsUntilWithin, sharesSinceJoin } from '../blocks/joining.js';
import { claim, fixed, noClaim, type RowText, seeds } from '../blocks/rows.js';
import { RULES, type Rule } from '../blocks/rules.js';
import { type Spread, spread } from '../blocks/statistics.js';
import type { Figure, FigureChart, FigureTable, Profile, Runs } from '../figure.js';

const RATES = ['10gbit', '100gbit'] as const;
type Rate = (typeof RATES)[number];
const PARTS = [0.2, 0.1] as const;
type Part = (typeof PARTS)[number];

const RATE_NAME: Readonly<Record<Rate, string>> = { '10gbit': '10 Gbit/s', '100gbit': '100 Gbit/s' };

/** Median and range over eight seeds of the authors' code: RTTs to within 20 % and to within 10 %. */
const CODE: Readonly<Record<Rate, Readonly<Record<Part, string>>>> = {
  '10gbit': { 0.2: '4.5 (2-24)', 0.1: '15 (3-25)' },
  '100gbit': { 0.2: '7 (6-13)', 0.1: '11 (8-17)' },
};
/** What our own rule is held to. */
const MOST_RTTS: Readonly<Record<Part, number>> = { 0.2: 4, 0.1: 6 };
/** RTTs that are drawn. */
const DRAWN_RTTS = 40;
const DRAWN_RULES: readonly Rule[] = ['steady', 'expresspass-ns2', 'expresspass-literal'];

interface Measured {
  readonly rule: Rule;
  readonly rate: Rate;
  readonly part: Part;
  readonly rtts: readonly number[];
  readonly spread: Spread;
}

export const convergence: Figure = {
  name: 'convergence',
  title: 'Convergence of a flow that joins',
  source: 'ExpressPass 2016, Figure 7; ExpressPass 2017, convergence at 10 and 100 Gbit/s',
  about: (profile) =>
    `One flow has a link to itself, RTT 100 us; then a second one starts. Counted are RTTs from its start, its opening request included, until the first RTT begins in which both flows are within 20 % (10 %) of the fair share: rates of payload over one RTT. No data can arrive in the first one and a half. Median, 90th percentile and range over ${seedCount('steady', profile)} seeds for steady and ${seedCount('naive', profile)} for the others; initial rate and w_init 0.5. What has not converged after ${LAST_RTT} RTTs counts as ${LAST_RTT}.

At 10 Gbit/s a fair share is 38 frames an RTT, so 10 % are four frames. The drawings are of the first seed.`,
  jobs: (profile) =>
    RATES.flatMap((rate) =>
      RULES.map((rule) => ({
        key: key(rule, rate),
        document: joiningDocument({ rule, rate }),
        seeds: seeds(seedCount(rule, profile)),
      })),
    ),
  evaluate: (runs) => {
    const measured = measure(runs);
    return { charts: charts(runs, measured), rows: measured.map(row), tables: [table(measured)] };
  },
};

/** That of ours decides something; the others stand beside it. */
function seedCount(rule: Rule, profile: Profile): number {
  return profile === 'paper' || rule === 'steady' ? 20 : 8;
}

function key(rule: Rule, rate: Rate): string {
  return `${rule}-${rate}`;
}

function measure(runs: Runs): Measured[] {
  return RULES.flatMap((rule) =>
    RATES.flatMap((rate) =>
      PARTS.map((part) => {
        const rtts = runs.of(key(rule, rate)).map((run) => rttsUntilWithin(run, part));
        return { rule, rate, part, rtts, spread: spread(rtts) };
      }),
    ),
  );
}

function row({ rule, rate, part, spread: found }: Measured): FigureRow {
  const text: RowText = {
    quantity: `${rule}, ${RATE_NAME[rate]}: RTTs to within ${part * 100} %, median / p90 (range)`,
    paper: '3',
    ...((rule === 'steady' || rule === 'expresspass-ns2') && { authorsCode: CODE[rate][part] }),
    ours: `${fixed(found.median, 1)} / ${found.p90} (${found.lowest}-${found.highest})`,
  };
  if (rule !== 'steady')
    return noClaim(
      text,
      "Nothing is claimed of this rule; it stands beside ours. The paper's value is its claim, from one drawing.",
    );
  const most = MOST_RTTS[part];
  return claim(text, found.median <= most && found.p90 <= most, {
    held: `Held to ${most} for the median and for the 90th percentile`,
    why: WHY,
  });
}

const WHY =
  'At 10 Gbit/s four frames more or less in one RTT are 10 %, and where the flow that joins has taken too much, the rest is given back slowly.';

function charts(runs: Runs, measured: readonly Measured[]): FigureChart[] {
  const lines = DRAWN_RULES.flatMap((rule) =>
    RATES.map((rate) => ({ key: key(rule, rate), chart: rateChart(runs, rule, rate) })),
  );
  return [...lines, { key: 'medians', chart: medianChart(measured) }];
}

function rateChart(runs: Runs, rule: Rule, rate: Rate): LineChart {
  const shares = sharesSinceJoin(runs.of(key(rule, rate))[0]).slice(0, DRAWN_RTTS);
  const x = shares.map((_, at) => at + 1);
  return {
    kind: 'lines',
    title: `${rule}, ${RATE_NAME[rate]}`,
    x: { name: 'RTTs since the second flow started' },
    y: { name: 'rate over one RTT / fair share', min: 0, max: 2 },
    series: [
      { name: 'running flow', x, y: shares.map(([running]) => running) },
      { name: 'joining flow', x, y: shares.map(([, joining]) => joining) },
    ],
    references: [{ label: 'fair', y: 1 }],
  };
}

function medianChart(measured: readonly Measured[]): BarChart {
  const series = RATES.flatMap((rate) =>
    PARTS.map((part) => ({
      name: `${RATE_NAME[rate]}, within ${part * 100} %`,
      values: RULES.map(
        (rule) =>
          measured.find((each) => each.rule === rule && each.rate === rate && each.part === part)?.spread.median ??
          null,
      ),
    })),
  );
  return {
    kind: 'bars',
    title: 'RTTs to converge, median over seeds',
    x: { name: 'credit algorithm' },
    y: { name: 'RTTs' },
    groups: RULES,
    series,
    references: [{ label: 'paper 3', y: 3 }],
    widthPx: 900,
  };
}

function table(measured: readonly Measured[]): FigureTable {
  const titles = ['rule', 'rate', 'within', 'median_rtts', 'p90_rtts', 'lowest_rtts', 'highest_rtts', 'rtts_by_seed'];
  const rows = measured.map(({ rule, rate, part, rtts, spread: found }) => {
    const { median, p90, lowest, highest } = found;
    return [rule, rate, part, median, p90, lowest, highest, rtts.join(' ')];
  });
  return { key: '', titles, rows };
}
