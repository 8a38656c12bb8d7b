// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun } from '../../../../sim/result.js';
import { comparison, type Measured } from '../../blocks/comparison.js';
import { groupRate } from '../../blocks/group-rate.js';
import { claim, fixed } from '../../blocks/rows.js';
import { type Rule, ruleFields } from '../../blocks/rules.js';
import type { FigureDocument, Profile } from '../../figure.js';

const DRAWN: readonly Rule[] = ['steady', 'expresspass', 'expresspass-ns2', 'naive'];
/** Strict, equal, and weighted; the share of the high class of what both get. */
const SETTINGS = [
  { classes: 'strict', highShare: 1 },
  { classes: '1', highShare: 1 / 2 },
  { classes: '3', highShare: 3 / 4 },
] as const;
type Setting = (typeof SETTINGS)[number];
/** The goal for weights, which classes keep too. */
const TOLERANCE = 0.05;
/** Credits that the meter holds at the start, and requests of the low class that go unanswered (ours). */
const MOST_STRICT_REST = 0.01;
const PAIRS = { quick: 2, paper: 8 } as const;

const HIGH = groupRate('high');
const LOW = groupRate('low');
const UTILISATION = { title: 'utilisation', digits: 4, of: ({ result }: SimulationRun) => result.utilisation };

export const classes = comparison({
  name: 'real-networks-classes',
  title: 'Two classes of credits',
  source: 'ours',
  about: (profile) =>
    `Endless flows of ${PAIRS[profile]} pairs with credits of the high class and of as many with the low one on a link of 10 Gbit/s, RTT 100 us; ports serve the classes strictly, equally, or 3 to 1 (\`creditClasses\`, PROTOCOL §9.8). Wire rate of a mean flow of each class, over the last 80 of 100 ms.`,
  quantities: [HIGH, LOW, UTILISATION],
  drawn: { title: LOW.title, axis: 'a flow of the low class (Gbit/s)' },
  cases: (profile) =>
    DRAWN.flatMap((rule) =>
      SETTINGS.map((setting) => ({ key: keyOf(rule, setting), document: documentOf(rule, setting, profile) })),
    ),
  rows: (measured) => DRAWN.flatMap((rule) => SETTINGS.map((setting) => rowOf(rule, setting, measured))),
});

function keyOf(rule: Rule, { classes: setting }: Setting): string {
  return `${rule}-${setting}`;
}

function documentOf(rule: Rule, { classes: creditClasses }: Setting, profile: Profile): FigureDocument {
  const pairs = PAIRS[profile];
  const flows = ['high', 'low'].map((name, at) => ({
    from: `${1 + at * pairs}-${(at + 1) * pairs}`,
    to: `${1 + (at + 2) * pairs}-${(at + 3) * pairs}`,
    group: name,
    class: name,
    startJitter: '1ms',
  }));
  return {
    ...ruleFields(rule),
    duration: '100ms',
    warmUp: '20ms',
    topology: { name: 'dumbbell', pairs: 2 * pairs, creditClasses, edge: { delay: '10us' }, core: { delay: '30us' } },
    flows,
  };
}

function rowOf(rule: Rule, setting: Setting, measured: Measured) {
  const key = keyOf(rule, setting);
  const [high, low] = [HIGH, LOW].map(({ title }) => measured(key, title));
  if (setting.highShare === 1) {
    const rest = low / (high + low);
    return claim(
      { quantity: `${rule}, strict: part of the low class`, ours: fixed(rest, 5) },
      rest <= MOST_STRICT_REST,
      { held: `Held to ${MOST_STRICT_REST}` },
    );
  }
  const wanted = setting.highShare / (1 - setting.highShare);
  return claim(
    { quantity: `${rule}, ${setting.classes} to 1: high over low class`, ours: fixed(high / low, 3) },
    Math.abs(high / low / wanted - 1) <= TOLERANCE,
    { held: `Held to ${wanted} within ${TOLERANCE * 100} %` },
  );
}
