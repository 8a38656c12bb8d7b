// Tested by test/apps/figures/catalogue.test.ts
import { ruleFields } from '../../blocks/dumbbell.js';
import type { Rule } from '../../blocks/peers.js';
import { groupRate, UTILISATION } from '../../blocks/quantities.js';
import type { FigureDocument, Profile } from '../../figure.js';
import { cross, figure, row } from '../../plan.js';

type Case = { readonly rule: Rule; readonly classes: (typeof CLASSES)[number] };

const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2', 'naive'];
const CLASSES = ['strict', '1', '3'] as const;
/** The goal for weights, which classes keep too. */
const TOLERANCE = 0.05;
/** Credits that the meter holds at the start, and requests of the low class that go unanswered (ours). */
const MOST_STRICT_REST = 0.01;
const PAIRS = { quick: 2, paper: 8 } as const;

const HIGH = groupRate('high');
const LOW = groupRate('low');

export const classes = figure<Case>('real-networks-classes', 'Two classes of credits', {
  source: 'ours',
  about: (profile) =>
    `Endless flows of ${PAIRS[profile]} pairs with credits of the high class and of as many with the low one on a link of 10 Gbit/s, RTT 100 us; ports serve the classes strictly, equally, or 3 to 1 (\`creditClasses\`, PROTOCOL §9.8). Wire rate of a mean flow of each class, over the last 80 of 100 ms.`,
  cases: () => cross({ rule: DRAWN, classes: CLASSES }),
  document: documentOf,
  rows: (results) =>
    results.cases.map((each) => {
      const [high, low] = [HIGH, LOW].map((quantity) => results.of(quantity, each));
      if (each.classes === 'strict') return row(`${each.rule}, strict: part of the low class`, low / (high + low), 5, { most: MOST_STRICT_REST });
      const wanted = Number(each.classes);
      return row(`${each.rule}, ${wanted} to 1: high over low class`, high / low, 3, {
        met: Math.abs(high / low / wanted - 1) <= TOLERANCE,
        held: `Held to ${wanted} within ${TOLERANCE * 100} %`,
      });
    }),
  charts: (results) => ({ '': results.bars(LOW, 'a flow of the low class (Gbit/s)') }),
  table: [{ run: ({ rule, classes: each }) => `${rule}-${each}` }, HIGH, LOW, UTILISATION],
});

function documentOf({ rule, classes: creditClasses }: Case, profile: Profile): FigureDocument {
  const pairs = PAIRS[profile];
  return {
    ...ruleFields(rule),
    duration: '100ms',
    warmUp: '20ms',
    topology: { name: 'dumbbell', pairs: 2 * pairs, creditClasses, edge: { delay: '10us' }, core: { delay: '30us' } },
    flows: ['high', 'low'].map((name, at) => ({
      from: `${1 + at * pairs}-${(at + 1) * pairs}`,
      to: `${1 + (at + 2) * pairs}-${(at + 3) * pairs}`,
      group: name,
      class: name,
      startJitter: '1ms',
    })),
  };
}
