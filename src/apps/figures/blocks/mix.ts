import { assert } from '../../../base/assert.js';
import type { SimulationRun } from '../../../sim/result.js';
import type { FigureDocument } from '../figure.js';
import { cross, quantity } from '../plan.js';
import { BOTTLENECK } from './quantities.js';

/** Marking threshold: above C * RTT / 7 = 6 frames of 10 Gbit/s and 30 us; at 30 the ratio is nearest to 1 (docs/decisions/0015-ec4.md). */
export const MARK_FRAMES = 30;
/** Flows that begin in one instant keep in step; a round trip apart, as in the papers' runs of this kind (ours). */
const START_JITTER = '50us';
/** Larger than anything that queues once the flows run: the papers' queues are unbounded. */
const DATA_QUEUE = '16MB';

/** What the hosts of one half of the pairs speak. */
export interface Side {
  readonly algorithm: string;
  readonly parameters?: Readonly<Record<string, number>>;
  /** When its flows start; at once without it. */
  readonly start?: string;
}

export interface Mix {
  readonly sides: readonly [Side, Side];
  /** Pairs of each side; two numbers where the sides differ, 0 for none. */
  readonly pairs: number | readonly [number, number];
  readonly duration: string;
  readonly warmUp: string;
  readonly rate?: string;
  readonly markFrames?: number;
  readonly delay?: string;
}

/** One bottleneck of 10 Gbit/s, every link 5 us (an RTT of 30 us), with endless flows of two kinds. */
export function mixDocument(mix: Mix): FigureDocument {
  const { sides, pairs, duration, warmUp, rate = '10gbit', markFrames = MARK_FRAMES, delay = '5us' } = mix;
  const counts = typeof pairs === 'number' ? ([pairs, pairs] as const) : pairs;
  const present = sides.map((each, side) => ({ ...each, side })).filter(({ side }) => counts[side] > 0);
  return {
    duration,
    warmUp,
    topology: { name: 'dumbbell', pairs: counts[0] + counts[1], rate, delay, ecnThreshold: `${markFrames}frames`, dataQueue: DATA_QUEUE },
    bottlenecks: [BOTTLENECK],
    hosts: present.map(({ algorithm, parameters, side }) => ({
      hosts: [...hostsOf(counts, side)],
      algorithm,
      ...(parameters !== undefined && { parameters }),
    })),
    flows: present.map(({ start = '0ns', side }) => {
      const [from, to] = hostsOf(counts, side);
      return { kind: 'flow', group: GROUPS[side], from, to, start, startJitter: START_JITTER };
    }),
    jainWindows: ['100ms', '10ms'],
  };
}

const GROUPS = ['one', 'other'] as const;

/** The senders and the receivers of a side, as scenario files write ranges. */
function hostsOf([one, other]: readonly [number, number], side: number): readonly [string, string] {
  const pairs = [one, other][side];
  const range = (first: number): string => (pairs === 1 ? `${first}` : `${first}-${first + pairs - 1}`);
  const first = 1 + side * one;
  return [range(first), range(first + one + other)];
}

/** Payload of each side, bit/s. */
export function sidesBps({ result }: SimulationRun): readonly [number, number] {
  const of = (group: string): number => result.flows.filter((flow) => flow.group === group).reduce((sum, { goodputBps }) => sum + goodputBps, 0);
  return [of(GROUPS[0]), of(GROUPS[1])];
}

/** What the first side gets for each bit of the other. */
export function ratioOf(run: SimulationRun): number {
  const [one, other] = sidesBps(run);
  return one / other;
}

/** Payload of each side in every sample, as a part of both together. */
export function shares({ series }: SimulationRun): { timesNs: readonly number[]; one: readonly number[] } {
  assert(series !== null, 'the flows of a mix are sampled');
  const sum = (at: number, group: string): number =>
    series.flows.filter((flow) => flow.group === group).reduce((all, { goodputBps }) => all + goodputBps[at], 0);
  const timesNs = [...series.timesNs];
  const one = timesNs.map((_, at) => {
    const first = sum(at, GROUPS[0]);
    return first / (first + sum(at, GROUPS[1]));
  });
  return { timesNs, one };
}

/** What the first side gets for each bit of the other. */
export const RATIO = quantity('ratio', 4, ratioOf);

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

export interface MixCase {
  readonly name: MixName;
  readonly flows: number;
}

/** The runs of fairness and of queues. One window of 100 ms needs a little more than its length. */
export const MIX_RUNS = {
  cases: (): readonly MixCase[] => cross({ name: MIX_NAMES, flows: FLOWS }),
  document: ({ name, flows }: MixCase): FigureDocument => mixDocument({ sides: MIXES[name], pairs: flows / 2, duration: '121ms', warmUp: '20ms' }),
  seeds: { quick: 1, paper: 5 },
};
