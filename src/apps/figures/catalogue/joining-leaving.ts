// Tested by test/apps/figures/catalogue/joining-leaving.test.ts
import type { LineChart } from '../../../report/plot/chart.js';
import { jainIndex } from '../../../sim/measure/jain.js';
import type { SimulationRun } from '../../../sim/result.js';
import { lines } from '../blocks/charts.js';
import { dumbbell } from '../blocks/dumbbell.js';
import { wireBps } from '../blocks/payload.js';
import { isPeer, PEERS_WITH_CUBIC, type System } from '../blocks/peers.js';
import type { FigureDocument } from '../figure.js';
import { chartsOf, cross, figure, quantity, row } from '../plan.js';

type Case = { readonly rule: System };

const DRAWN: readonly System[] = ['expresspass-2016', 'expresspass', 'steady', ...PEERS_WITH_CUBIC];
const FLOWS = 5;
/** Between two joins or leaves: more than DCTCP needs to its fair share at 10 Gbit/s. The paper does not say. */
const STEP_MS = 30;
const SAMPLE_MS = 1;
/** One flow joins each step, then one leaves. */
const PHASES = 2 * FLOWS - 1;
/** What "fair-share" is taken for over the second half of each phase (ours). */
const FAIR = 0.95;

/** Jain's index of the mean rates in the second half of each phase: the least of all phases. */
const LEAST_JAIN = quantity<Case>('jain_least', 4, (run) => Math.min(...phaseJains(run)));
const MEAN_JAIN = quantity<Case>('jain_mean', 4, (run) => phaseJains(run).reduce((sum, jain) => sum + jain / (PHASES - 2), 0));

export const joiningLeaving = figure<Case>('joining-leaving', 'Five flows that join and leave', {
  source: 'ExpressPass 2016, Figure 10',
  about: () =>
    `On one bottleneck of 10 Gbit/s, RTT 100 us, a flow joins every ${STEP_MS} ms until there are ${FLOWS}; then they leave in the order in which they came. Jain's index of mean rates over the second half of each phase with two flows and more; drawn are rates on the wire over ${SAMPLE_MS} ms. The paper has ExpressPass and DCTCP; the others stand beside them.`,
  cases: () => cross({ rule: DRAWN }),
  document: ({ rule }): FigureDocument => {
    const { warmUp: _, ...document } = dumbbell({ rule, pairs: FLOWS });
    return {
      ...document,
      duration: `${PHASES * STEP_MS}ms`,
      flows: Array.from({ length: FLOWS }, (_each, at) => ({
        kind: 'flow',
        from: at + 1,
        to: FLOWS + at + 1,
        start: `${at * STEP_MS}ms`,
        stop: `${(FLOWS + at) * STEP_MS}ms`,
      })),
      probes: { interval: `${SAMPLE_MS}ms`, maxFlows: FLOWS },
    };
  },
  rows: (results) =>
    DRAWN.map((rule) => {
      const ours = row(`${rule}: Jain over half a phase, least of the phases`, results.of(LEAST_JAIN, { rule }), 3);
      if (isPeer(rule) && rule !== 'dctcp') return { ...ours, note: 'The paper does not have it.' };
      const isOfPaper = rule === 'expresspass-2016' || rule === 'dctcp';
      return { ...ours, ...(isOfPaper && { paper: 'fair share' }), least: FAIR, held: `Held to ${FAIR}`, why: WHY };
    }),
  charts: (results) => chartsOf(DRAWN, (rule) => course(rule, results.runsOf({ rule })[0])),
  table: ['rule', LEAST_JAIN, MEAN_JAIN],
});

const WHY = 'Its flows are still on their way to their shares, or swing about them, in the second half of a phase of 15 ms.';

/** Of the phases with two flows and more: the first and the last have one. */
function phaseJains({ series }: SimulationRun): number[] {
  const flows = series?.flows ?? [];
  return Array.from({ length: PHASES - 2 }, (_, at) => {
    const phase = at + 1;
    const active = flows.slice(Math.max(0, phase - FLOWS + 1), Math.min(FLOWS, phase + 1));
    const [from, to] = [phase + 0.5, phase + 1].map((steps) => Math.round((steps * STEP_MS) / SAMPLE_MS));
    return jainIndex(active.map(({ goodputBps }) => goodputBps.subarray(from, to).reduce((sum, bps) => sum + bps, 0)));
  });
}

function course(rule: System, { series }: SimulationRun): LineChart {
  const x = [...(series?.timesNs ?? [])].map((ns) => ns / 1e6);
  return lines(
    { x: 'time (ms)', y: { name: 'rate on the wire (Gbit/s)', min: 0 }, title: rule },
    (series?.flows ?? []).map(({ goodputBps }, at) => ({ name: `flow ${at + 1}`, x, y: [...goodputBps].map((bps) => wireBps(bps) / 1e9) })),
  );
}
