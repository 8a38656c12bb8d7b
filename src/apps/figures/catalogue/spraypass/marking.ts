// Tested by test/apps/figures/catalogue/spraypass/marking.test.ts
import { SeededRandom } from '../../../../base/random.js';
import { CreditMarking } from '../../../../switch/credit-marking.js';
import { figure, type Row, row, tableOf } from '../../plan.js';

/** Five credits, 1 for one that passes; two of the first four are dropped. */
export const CASES: readonly (readonly number[])[] = Array.from({ length: 32 }, (_, code) => [4, 3, 2, 1, 0].map((bit) => (code >> bit) & 1)).filter(
  (passes) => passes.slice(0, 4).filter((pass) => pass === 1).length === 2,
);
/** Cases that the paper calls good, of 12, by N_cdt. */
const PAPER_GOOD: readonly (readonly [number, number])[] = [
  [1, 4],
  [2, 8],
];
const LOSS = 0.5;

/** Whether the last four credits are marked, on average, as often as the first four were dropped; by the class that the switch marks with. */
export function isGood(passes: readonly number[], everyFrames: number): boolean {
  // No chance is drawn: probabilities are read.
  const marking = new CreditMarking(everyFrames, new SeededRandom(1));
  const found: number[] = [];
  passes.forEach((pass, at) => {
    if (at > 0 && pass === 1) found.push(marking.probability);
    marking.inject(1 - pass);
  });
  return found.reduce((sum, each) => sum + each, 0) === LOSS * found.length;
}

const good = (everyFrames: number): number => CASES.filter((passes) => isGood(passes, everyFrames)).length;

export const marking = figure<Record<string, never>>('spraypass-marking', 'Whether marks tell the loss of credits', {
  source: 'SprayPass, Table I',
  about: () =>
    `All ${CASES.length} cases of five credits of which two of the first four are dropped, played by the class that marks credits in a switch, which has seen none before. A case is good where the credits that pass among the last four are marked with probability 1/2 on average.`,
  cases: () => [],
  document: () => ({}),
  rows: () => PAPER_GOOD.map(([everyFrames, paper]) => markingRow(everyFrames, paper)),
  tables: () => [
    tableOf('', CASES, {
      credits: (passes) => passes.join(''),
      ...Object.fromEntries(
        PAPER_GOOD.map(([everyFrames]) => [`good_n_cdt_${everyFrames}`, (passes: readonly number[]) => (isGood(passes, everyFrames) ? 1 : 0)]),
      ),
    }),
  ],
});

function markingRow(everyFrames: number, paper: number): Row {
  return row(`N_cdt ${everyFrames}: good cases of ${CASES.length}`, good(everyFrames), 0, {
    paper,
    better: 'more',
    why: 'The paper does not say what came before the five credits: with a probability of 1/2 from before, 9 cases are good.',
  });
}
