import { defineCommand } from '../shared/command.js';
import { FIGURES_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    "Reproduces the papers' figures in the simulator: for each its scenario files, numbers as CSV, plots as SVG, and a page (index.html) that has " +
    "the paper's value, that of its authors' code, ours, and the reason where ours misses. The files are the same on every machine.",
  positionals: {
    words: ['list'],
    label: '[list | [GROUP] NAME...]',
    describe: 'a group and figures of it by name, all of it without names, the first one without a group; `list` prints them',
    least: 0,
    most: Number.POSITIVE_INFINITY,
  },
  options: FIGURES_OPTIONS,
  examples: [
    { line: 'xpass figures list', meaning: 'What there is, and how much work each is' },
    { line: 'xpass figures', meaning: 'All of them in a few minutes, into ./figures' },
    { line: 'xpass figures convergence parking-lot --out /tmp/two', meaning: 'Two of them' },
    { line: 'xpass figures --profile paper --jobs 16', meaning: 'With all flows, seeds and seconds of the papers' },
  ],
  // Loaded when it runs, with the shapes of scenarios and the drawing of plots.
  run: async (invocation) => (await import('./figures.js')).runFigures(invocation),
});
