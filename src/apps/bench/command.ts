import { defineCommand } from '../shared/command.js';
import { runBench } from './bench.js';
import { BENCH_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Measures this machine and xpass on it, with processes of their own: `loopback` what they can move, beside a bare program that does the same work in the same run; `messages` how long short ' +
    'flows take; `streams` what streams of the library carry and how long their answers take; `loaded` the same through a busy switch; `capture` what --capture costs a switch; `pacing` how evenly credits come; `flows` and `heap` what they take of the memory; `sealing` what keys cost a frame and a host; `handshakes` what they cost at the start; `peers` other transports on the same work; `parking-lot`, ' +
    "`joining` and `demo` what the algorithms do; `sim` how fast the simulator is on one core, beside what the authors' simulator took for the same. Names without `mmsg` of loopback and sealing are of dgram, all others of the default datapath. Leave the machine alone meanwhile.",
  positionals: {
    label: '[NAME...]',
    describe:
      'benchmarks such as direct/1472/1, groups, or beginnings of names such as switch/8972; all usual ones without it',
    least: 0,
    most: Number.POSITIVE_INFINITY,
  },
  options: BENCH_OPTIONS,
  examples: [
    { line: 'xpass bench', meaning: 'Run all usual benchmarks, about twenty minutes' },
    { line: 'xpass bench --quick', meaning: 'One short run of those that do not take long' },
    { line: 'xpass bench direct/1472/1 --seconds 10 --runs 3', meaning: 'One of them, three times for ten seconds' },
    { line: 'xpass bench switch/1472/1 --profile', meaning: 'One of them, and what takes the time of each process' },
    { line: 'xpass bench peers --json', meaning: 'Other transports, JSON for a program' },
    { line: 'xpass bench sim', meaning: 'The simulator alone' },
  ],
  subcommands: [
    { name: 'soak', summary: 'watch the memory of busy processes for long', load: () => import('./soak/command.js') },
  ],
  run: runBench,
});
