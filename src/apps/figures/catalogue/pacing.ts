import { dumbbell } from '../blocks/dumbbell.js';
import { jainOver } from '../blocks/quantities.js';
import { cross, figure, row } from '../plan.js';

const FLOWS = [2, 8, 32];
/** Standard deviation of the gaps that the paper's pacer (SoftNIC on an X520) kept at the highest rate of credits, and the gap that it aimed at. */
const PAPER_DEVIATION_NS = 772.52;
/** Ours on the machine of the project: docs/PERF-LOG.md, 2026-11-22. */
const OUR_DEVIATION_US = 52;
const GAP_NS = 1_300.8;
/** The most that a pacer of ours varies its gaps: 376 ns of standard deviation, half of that of the paper's pacer. */
const JITTER = 0.5;
const DEVIATION_NS = Math.round((JITTER * GAP_NS) / Math.sqrt(3));
/** As chance alone would share the frames of 1 ms among 32 flows, 0.96, and something for the order that is left (ours). */
const FAIR = 0.9;
const JAIN = jainOver(1);

export const pacing = figure<{ flows: number }>('pacing', 'How evenly a software pacer sends credits', {
  source: 'ExpressPass 2017, Figure 6 (b)',
  about: () =>
    `The paper measures the gaps between credits of a software pacer (SoftNIC on an X520 NIC) and finds a standard deviation of ${PAPER_DEVIATION_NS} ns, "a sufficient degree of randomization". That is a figure of a machine: xpass bench pacing measures it, and the one here is of the machine of the project, copied from docs/PERF-LOG.md.

What can be seen in the simulator is whether so uneven a pacer is enough: naive credits of one size whose gaps of 1.3 us vary by ${JITTER * 100} %, a standard deviation of ${DEVIATION_NS} ns, from NICs without a meter.`,
  cases: () => cross({ flows: FLOWS }),
  document: ({ flows }, profile) => ({
    ...dumbbell({ rule: 'naive', pairs: flows }),
    ...(profile === 'quick' && { duration: '15ms', warmUp: '5ms' }),
    hosts: [{ jitter: JITTER, endpoint: { creditSizeJitter: 0 }, nic: { creditBurst: '1MB' } }],
    jainWindows: ['1ms'],
  }),
  seeds: { quick: 2, paper: 10 },
  rows: (results) => [
    row('gap between credits of a software pacer, standard deviation (xpass bench pacing)', `${OUR_DEVIATION_US} us`, 0, {
      paper: `${PAPER_DEVIATION_NS} ns`,
      beside: [[1e3 * OUR_DEVIATION_US], [PAPER_DEVIATION_NS]],
      better: 'less',
      why: 'A figure of the machine, measured there at 50,000 credits a second (docs/PERF-LOG.md): a loop that only reads the clock is interrupted 620 times a second for 110 us on average, and has a deviation of 64 us by itself. SoftNIC has a core for its pacer.',
    }),
    row(`Jain over 1 ms with gaps of ${DEVIATION_NS} ns standard deviation, ${FLOWS.join(', ')} flows`, results.list(JAIN, {}), 3, {
      paper: 'sufficient',
      least: FAIR,
    }),
  ],
  table: ['flows', { gap_deviation_ns: () => DEVIATION_NS }, JAIN],
});
