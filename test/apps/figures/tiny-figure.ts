import type { Figure } from '../../../src/apps/figures/figure.js';

/** A figure of two runs of 2 ms, one flow over a dumbbell each. */
export const TINY: Figure = {
  name: 'tiny',
  title: 'A figure for tests',
  source: 'Nowhere',
  about: (profile) => `What is shown, in the ${profile} profile.`,
  jobs: () => [
    { key: 'one', document: document('10gbit'), seeds: [1, 2] },
    { key: 'slow', document: document('1gbit'), seeds: [1] },
  ],
  evaluate: (runs) => {
    const [first, second] = runs.of('one').map(({ result }) => result.utilisation);
    const slow = runs.of('slow')[0].result.utilisation;
    const ours = `${first.toFixed(2)}, ${second.toFixed(2)}, ${slow.toFixed(2)}`;
    return {
      charts: [
        {
          key: '',
          chart: {
            kind: 'lines',
            x: { name: 'x' },
            y: { name: 'y' },
            series: [{ name: 's', x: [1, 2], y: [first, second] }],
          },
        },
      ],
      rows: [{ quantity: 'utilisation', paper: '1', authorsCode: null, ours, verdict: 'met', reason: 'Held to 1.' }],
      tables: [
        {
          key: 'numbers',
          titles: ['seed', 'utilisation'],
          rows: [
            [1, first],
            [2, null],
          ],
        },
      ],
    };
  },
};

export function document(rate: string, changes: object = {}) {
  return {
    topology: { name: 'dumbbell', pairs: 1, rate },
    algorithm: 'naive',
    flows: ['pairs'],
    duration: '2ms',
    warmUp: '1ms',
    ...changes,
  };
}
