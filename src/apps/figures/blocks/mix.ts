import { assert } from '../../../base/assert.js';
import type { SimulationRun } from '../../../sim/result.js';
import type { FigureDocument } from '../figure.js';
import { quantity } from '../plan.js';
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

/** EC4 §III.C: "We set K to 100 MTUs". Its Figures 3 to 7 have it. */
export const PAPER_MARK_FRAMES = 100;

/** Two kinds of flows, 1:1, or one kind alone, and the K of their bottleneck. */
interface MixSetting {
  readonly sides: readonly [Side, Side];
  readonly markFrames: number;
}

const mix = (one: Side, other: Side, markFrames = MARK_FRAMES): MixSetting => ({ sides: [one, other], markFrames });

/** What stands side by side in the figures of fairness and of queues: with the paper's K, then with ours. */
export const MIXES = {
  'ec4-literal-dctcp-k100': mix(EC4_LITERAL, DCTCP, PAPER_MARK_FRAMES),
  'ec4-dctcp-k100': mix(EC4, DCTCP, PAPER_MARK_FRAMES),
  'expresspass-dctcp-k100': mix(EXPRESSPASS, DCTCP, PAPER_MARK_FRAMES),
  'dctcp-alone-k100': mix(DCTCP, DCTCP, PAPER_MARK_FRAMES),
  'ec4-literal-dctcp': mix(EC4_LITERAL, DCTCP),
  'ec4-dctcp': mix(EC4, DCTCP),
  'ec4-dctcp-below-one': mix(EC4_BELOW_ONE, DCTCP_BELOW_ONE),
  'expresspass-dctcp': mix(EXPRESSPASS, DCTCP),
  'dctcp-alone': mix(DCTCP, DCTCP),
  'ec4-alone': mix(EC4, EC4),
} as const satisfies Readonly<Record<string, MixSetting>>;
export type MixName = keyof typeof MIXES;
export const MIX_NAMES = Object.keys(MIXES) as MixName[];
/** Both kinds together. */
export const FLOWS = [2, 4, 8, 16, 32, 64, 128, 256];
/** Every second number, with the paper's K. */
export const FEWER_FLOWS = [2, 8, 32, 128, 256];

export function flowsOf(name: MixName): readonly number[] {
  return MIXES[name].markFrames === PAPER_MARK_FRAMES ? FEWER_FLOWS : FLOWS;
}

export interface MixCase {
  readonly name: MixName;
  readonly flows: number;
}

/** The runs of fairness and of queues. One window of 100 ms needs a little more than its length. */
export const MIX_RUNS = {
  cases: (): readonly MixCase[] => MIX_NAMES.flatMap((name) => flowsOf(name).map((flows) => ({ name, flows }))),
  document: ({ name, flows }: MixCase): FigureDocument => mixDocument({ ...MIXES[name], pairs: flows / 2, duration: '121ms', warmUp: '20ms' }),
  seeds: { quick: 1, paper: 5 },
};
