// Tested by test/core/window/swift.test.ts
import type { WindowParameter } from './algorithm.js';
import { INITIAL_WINDOW, MAX_WINDOW, MIN_WINDOW } from './parameters.js';

const PAPER = 'Swift, SIGCOMM 2020';
/** The paper names the parameter and not its value; this is what the public htsim model takes. */
const HTSIM = `${PAPER}, without a value; the htsim model's`;

function swift(
  name: string,
  [value, min, max]: readonly [number, number, number],
  unit: string,
  words: { meaning: string; source: string },
): WindowParameter {
  return { name, default: value, min, max, unit, ...words };
}

export const SWIFT_PARAMETERS: readonly WindowParameter[] = [
  swift('ai', [1, 0.001, 100], 'frames', { meaning: 'additive increment of an RTT', source: HTSIM }),
  swift('beta', [0.8, 0.01, 1], '1', { meaning: 'weight of the excess delay in a decrease', source: HTSIM }),
  swift('max_mdf', [0.5, 0.01, 0.99], '1', { meaning: 'most that a decrease takes', source: HTSIM }),
  swift('base_target', [0, 0, 1e6], 'us', {
    meaning:
      'target of the fabric delay without switches; 0: the least RTT seen and base_frames, which is unfair where flows start while others queue',
    source: 'ours: one setting for links of 100 Mbit/s and 100 Gbit/s, docs/decisions/0011-reactive-defaults.md',
  }),
  swift('base_frames', [20, 0, 10_000], 'frames at max rate', {
    meaning: 'what may queue beyond the least RTT where base_target is 0',
    source: 'ours: 25 us at 10 Gbit/s, docs/decisions/0011-reactive-defaults.md',
  }),
  swift('hop_delay', [1, 0, 1e5], 'us', { meaning: 'added to the target for each switch', source: `${PAPER} §3.5` }),
  swift('fs_range', [5, 0, 100], 'base targets', {
    meaning: 'most that flow scaling adds: of base_target, or of base_frames where that is 0',
    source: HTSIM,
  }),
  swift('fs_min', [0.1, 0.001, 1], 'frames', { meaning: 'window at which it adds the most', source: HTSIM }),
  swift('fs_max', [100, 2, 10_000], 'frames', { meaning: 'window from which it adds nothing', source: HTSIM }),
  swift('endpoint_target', [100, 1, 1e6], 'us', {
    meaning: 'target of the delay in the hosts; more where processes are late by more as a rule',
    source: `ours: four times the fabric's at 10 Gbit/s (${PAPER} gives none)`,
  }),
  swift('endpoint_ewma', [0.125, 0.001, 1], '1', {
    meaning: 'weight of the latest delay in the hosts',
    source: 'ours: as in the smoothed RTT (the paper gives none)',
  }),
  swift('retx_reset_threshold', [5, 1, 100], 'timeouts', {
    meaning: 'timeouts in a row after which the window is the smallest',
    source: `ours (${PAPER} names it without a value)`,
  }),
  INITIAL_WINDOW,
  { ...MIN_WINDOW, default: 0.001, min: 0.0001, source: `${PAPER} §3.4` },
  MAX_WINDOW,
];
