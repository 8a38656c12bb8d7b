import { fileURLToPath } from 'node:url';
import { creditShare, Data, DEFAULT_FRAME_BYTES, wireBytes } from '../../src/wire/layout.js';

/** Four flows over four paths; path 1 gets slow, goes down and is up again at these times. */
export const FOUR_PATHS_FILE = fileURLToPath(new URL('../../deploy/scenarios/four-paths.yaml', import.meta.url));
const EVENTS_S = { slow: 2, down: 4, up: 6, end: 9 } as const;
const PATHS_MBPS = 4 * 25;
/** As a share of what all carry; a path of 1 Mbit/s counts for nothing. */
const WITHOUT_ONE = 0.75;
/** A quarter of a second has 1,600 frames: long enough to tell a rate, short enough to tell 500 ms. */
const WINDOW_S = 0.25;
const BACK_AT = 0.9;

/** Goodput of all flows at one time of a series. */
export interface GoodputSample {
  readonly atS: number;
  readonly mbps: number;
}

/** What became of the goodput; shares are of what the paths that are well carry. */
export interface FourPathsOutcome {
  readonly before: number;
  /** From then on no window of a quarter of a second is below 0.9, ms after the event; Infinity: never. */
  readonly slowSettlesMs: number;
  readonly slow: number;
  readonly downSettlesMs: number;
  readonly down: number;
  readonly upSettlesMs: number;
  readonly up: number;
}

export function fourPathsOutcome(
  samples: readonly GoodputSample[],
  frameBytes: number = DEFAULT_FRAME_BYTES,
): FourPathsOutcome {
  const { slow, down, up, end } = EVENTS_S;
  const all = payloadMbps(frameBytes);
  const left = all * WITHOUT_ONE;
  return {
    before: mean(samples, 1, slow) / all,
    slowSettlesMs: settlesMs(samples, { fromS: slow, toS: down, mbps: left }),
    slow: mean(samples, slow + 0.5, down) / left,
    downSettlesMs: settlesMs(samples, { fromS: down, toS: up, mbps: left }),
    down: mean(samples, down + 0.5, up) / left,
    upSettlesMs: settlesMs(samples, { fromS: up, toS: end, mbps: all }),
    up: mean(samples, up + 2, end) / all,
  };
}

/** In the order of the fields, for people. */
export function outcomeCells(outcome: FourPathsOutcome): string[] {
  const share = (value: number): string => value.toFixed(3);
  const time = (ms: number): string => (Number.isFinite(ms) ? `${ms} ms` : 'never');
  const { before, slow, down, up } = outcome;
  return [
    share(before),
    time(outcome.slowSettlesMs),
    share(slow),
    time(outcome.downSettlesMs),
    share(down),
    time(outcome.upSettlesMs),
    share(up),
  ];
}

/** What the four paths carry beside their credits and the headers. */
function payloadMbps(frameBytes: number): number {
  return PATHS_MBPS * (1 - creditShare(frameBytes)) * ((frameBytes - Data.overheadBytes) / wireBytes(frameBytes));
}

function settlesMs(
  samples: readonly GoodputSample[],
  { fromS, toS, mbps }: { fromS: number; toS: number; mbps: number },
): number {
  const starts = [fromS, ...samples.map(({ atS }) => atS)].filter((at) => at >= fromS && at + WINDOW_S <= toS + 1e-9);
  const bad = starts.findLastIndex((at) => mean(samples, at, at + WINDOW_S) < BACK_AT * mbps);
  const first = starts[bad + 1];
  return first === undefined ? Number.POSITIVE_INFINITY : Math.round((first - fromS) * 1e3);
}

function mean(samples: readonly GoodputSample[], fromS: number, toS: number): number {
  const inside = samples.filter(({ atS }) => atS > fromS + 1e-9 && atS <= toS + 1e-9);
  return inside.reduce((sum, { mbps }) => sum + mbps, 0) / inside.length;
}
