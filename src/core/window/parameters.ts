import type { WindowParameter } from './algorithm.js';

/**
 * Parameters that several window algorithms have.
 * Tested by test/core/window/registry.test.ts.
 */

export const INITIAL_WINDOW: WindowParameter = {
  name: 'initial_window',
  default: 10,
  min: 1,
  max: 1_000,
  unit: 'frames',
  meaning: 'congestion window of a new flow',
  source: 'RFC 6928',
};

export const MIN_WINDOW: WindowParameter = {
  name: 'min_window',
  default: 1,
  min: 1,
  max: 10,
  unit: 'frames',
  meaning: 'lowest congestion window',
  source: 'ours: as the ns-2 models; Linux keeps 2, with which 256 flows fill 200 kB that nobody can drain',
};

export const MAX_WINDOW: WindowParameter = {
  name: 'max_window',
  default: 65_536,
  min: 1,
  max: 1_000_000,
  unit: 'frames',
  meaning: 'highest congestion window; the receive window bounds what is out besides',
  source: 'ours: 100 MB of full frames, more than any path of these networks holds',
};
