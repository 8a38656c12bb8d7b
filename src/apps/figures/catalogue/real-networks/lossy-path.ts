// Tested by test/apps/figures/catalogue/real-networks/random-loss.test.ts
import type { FigureDocument } from '../../figure.js';
import type { Law } from './laws.js';

/** A dumbbell of one link speed, with an RTT that fits it. */
export interface Speed {
  readonly rate: '100mbit' | '1gbit' | '10gbit' | '100gbit';
  readonly edgeUs: number;
  readonly coreUs: number;
  /** 100 RTTs; at 100 Gbit/s 50. */
  readonly warmUpMs: number;
  /** 20,000 to 33,000 full frames, so that each of 64 flows has 300 or more. */
  readonly measuredMs: number;
}

export const SPEEDS: readonly Speed[] = [
  { rate: '100mbit', edgeUs: 1_000, coreUs: 500, warmUpMs: 500, measuredMs: 2_500 },
  { rate: '1gbit', edgeUs: 200, coreUs: 100, warmUpMs: 100, measuredMs: 300 },
  { rate: '10gbit', edgeUs: 10, coreUs: 30, warmUpMs: 10, measuredMs: 40 },
  { rate: '100gbit', edgeUs: 10, coreUs: 30, warmUpMs: 5, measuredMs: 4 },
];
export const TEN_GBIT = SPEEDS[2];
export const HUNDRED_GBIT = SPEEDS[3];

export const LOSSES = [0.001, 0.01, 0.03, 0.1];
export const KINDS = ['uniform', 'bursts'] as const;
export type Kind = (typeof KINDS)[number];
/** Round trips before a request is repeated. */
const OPENING_RTTS = 4;
/** Frames of a burst, on average. */
const BURST_FRAMES = 8;

/** RTT of an empty path, ns. */
export function rttNs({ edgeUs, coreUs }: Speed): number {
  return 2_000 * (2 * edgeUs + coreUs);
}

/** Settings of a link that loses the part `loss` of all frames. A Gilbert link is bad for the part enter / (enter + leave) of the frames. */
export function lossSettings(kind: Kind, loss: number): FigureDocument {
  if (loss === 0) return {};
  if (kind === 'uniform') return { loss };
  const leave = 1 / BURST_FRAMES;
  return { burstEnter: Number(((loss * leave) / (1 - loss)).toPrecision(6)), burstLeave: leave };
}

export interface LossyPath {
  readonly law: Law;
  readonly speed: Speed;
  readonly pairs: number;
  readonly kind: Kind;
  readonly loss: number;
}

/** Endless flows that start together over a core link that loses frames of every type in both directions. */
export function lossyDumbbell({ law, speed, pairs, kind, loss }: LossyPath): FigureDocument {
  const { rate, edgeUs, coreUs, warmUpMs, measuredMs } = speed;
  return {
    algorithm: law,
    duration: `${warmUpMs + measuredMs}ms`,
    warmUp: `${warmUpMs}ms`,
    topology: {
      name: 'dumbbell',
      pairs,
      rate,
      ecnRtt: `${rttNs(speed)}ns`,
      edge: { delay: `${edgeUs}us` },
      core: { delay: `${coreUs}us`, ...lossSettings(kind, loss) },
    },
    // A lost request waits for this time, 20 ms by default, and the flow with it: half of some of these runs.
    hosts: [{ endpoint: { initialRetransmit: `${OPENING_RTTS * rttNs(speed)}ns` } }],
    bottlenecks: ['left->right'],
    flows: ['pairs'],
  };
}
