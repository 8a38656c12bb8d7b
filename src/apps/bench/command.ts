import { defineCommand } from '../shared/command.js';
import { runBench } from './bench.js';
import { BENCH_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Measures this machine and xpass on it, with processes of their own: `loopback` what they can move, beside a bare program that does the same work in the same run; ' +
    '`pacing` how evenly credits come; `parking-lot` how much of two bottlenecks in a row the algorithms use; `sim` how fast the simulator is on one core, beside what the ' +
    "authors' simulator took for the same. Leave the machine alone meanwhile.",
  positionals: {
    label: '[NAME...]',
    describe:
      'benchmarks such as direct/1472/1, groups, or beginnings of names such as switch/8972; all usual ones without it',
    least: 0,
    most: Number.POSITIVE_INFINITY,
  },
  options: BENCH_OPTIONS,
  examples: [
    { line: 'xpass bench', meaning: 'Run all usual benchmarks' },
    { line: 'xpass bench direct/1472/1 --seconds 10 --runs 3', meaning: 'One of them, three times for ten seconds' },
    { line: 'xpass bench pacing/50000 --json', meaning: 'Fifty thousand credits a second, JSON for a program' },
    { line: 'xpass bench sim', meaning: 'The simulator alone' },
  ],
  run: runBench,
});
