// Tested by test/apps/figures/blocks/mix.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import type { Profile, Runs } from '../figure.js';
import { BOTTLENECK } from './dumbbell.js';
import { dataDrops, jainOver, linkOf } from './link.js';
import { type Mix, mixDocument, ratioOf, type Side } from './mix.js';
import { seeds } from './rows.js';
import { mean } from './statistics.js';

export const EC4: Side = { algorithm: 'ec4' };
export const EC4_LITERAL: Side = { algorithm: 'ec4-literal' };
export const EXPRESSPASS: Side = { algorithm: 'expresspass' };
export const DCTCP: Side = { algorithm: 'dctcp' };
/** Both may go below a frame a round trip, which RFC 8257 has no rule for: a twentieth is a fifth of what 256 flows have here (docs/decisions/0015-ec4.md). */
const LEAST = 0.05;
const EC4_BELOW_ONE: Side = { ...EC4, parameters: { min_frames: LEAST } };
const DCTCP_BELOW_ONE: Side = { ...DCTCP, parameters: { min_window: LEAST } };

/** What stands side by side in the figures of fairness and of queues: 1:1, or one kind alone. */
export const MIXES = {
  'ec4-dctcp': [EC4, DCTCP],
  'ec4-dctcp-below-one': [EC4_BELOW_ONE, DCTCP_BELOW_ONE],
  'expresspass-dctcp': [EXPRESSPASS, DCTCP],
  'ec4-literal-dctcp': [EC4_LITERAL, DCTCP],
  'dctcp-alone': [DCTCP, DCTCP],
  'ec4-alone': [EC4, EC4],
} as const satisfies Readonly<Record<string, readonly [Side, Side]>>;
export type MixName = keyof typeof MIXES;
export const MIX_NAMES = Object.keys(MIXES) as MixName[];

/** Both kinds together. */
export const FLOWS = [2, 4, 8, 16, 32, 64, 128, 256];
const WINDOW_NS = 100e6;

/** Means over seeds; queues are the largest of any. */
export interface MixPoint {
  readonly ratio: number;
  readonly jain: number;
  readonly utilisation: number;
  readonly queueBytesMean: number;
  readonly queueBytesMax: number;
  /** And since the start, when all flows open. */
  readonly queueBytesEver: number;
  readonly dataDrops: number;
}

/** The runs of one figure; figures that want the same play them once. */
export function mixJobs(profile: Profile) {
  return MIX_NAMES.flatMap((name) =>
    FLOWS.map((flows) => ({
      key: `${name}-${flows}`,
      document: mixDocument(mixOf(name, flows)),
      seeds: seeds(profile === 'quick' ? 1 : 5),
    })),
  );
}

/** One window of 100 ms needs a little more than its length. */
function mixOf(name: MixName, flows: number): Mix {
  return { sides: MIXES[name], pairs: flows / 2, duration: '121ms', warmUp: '20ms' };
}

export function mixPoints(runs: Runs, name: MixName): MixPoint[] {
  return FLOWS.map((flows) => mixPoint(runs.of(`${name}-${flows}`)));
}

function mixPoint(runs: readonly SimulationRun[]): MixPoint {
  const links = runs.map((run) => linkOf(run, BOTTLENECK));
  return {
    ratio: mean(runs.map(ratioOf)),
    jain: mean(runs.map((run) => jainOver(run, WINDOW_NS))),
    utilisation: mean(runs.map(({ result }) => result.utilisation)),
    queueBytesMean: mean(links.map(({ dataQueueBytesMean }) => dataQueueBytesMean)),
    queueBytesMax: Math.max(...links.map(({ dataQueueBytesMax }) => dataQueueBytesMax)),
    queueBytesEver: Math.max(...links.map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver)),
    dataDrops: runs.reduce((sum, run) => sum + dataDrops(run), 0),
  };
}
