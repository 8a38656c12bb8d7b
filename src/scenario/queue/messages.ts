// Tested by test/scenario/queue/run-anywhere.test.ts
import type { PlayAnswer } from '../play/play.js';

/** Braces: all keys are in one slot of a Redis Cluster, as BullMQ needs it. */
export const PREFIX = '{xpass}';

/** BullMQ's `data` of a job: some runs of a sweep, in the order in which they are to be played. */
export interface RunBatch {
  readonly sweep: string;
  readonly indices: readonly number[];
}

/** What a worker tells the sweep of a job, in the order in which it happens. */
export type News =
  | { readonly kind: 'answer'; readonly job: string; readonly index: number; readonly answer: PlayAnswer }
  /** What this worker lacks (memory, time) another may have. `starts`: how often the job was begun. */
  | {
      readonly kind: 'broke';
      readonly job: string;
      readonly index: number;
      readonly starts: number;
      readonly message: string;
    }
  /** Not begun, or broken off for no fault of the run. */
  | { readonly kind: 'back'; readonly job: string; readonly indices: readonly number[] }
  | { readonly kind: 'part'; readonly job: string; readonly index: number; readonly part: number };

/** A hash: the scenarios of runs that are in the queue, packed, by their indices. */
export const runsKey = (sweep: string): string => `${PREFIX}:sweep:${sweep}:runs`;

/** A list: News, packed, oldest first. */
export const newsKey = (sweep: string): string => `${PREFIX}:sweep:${sweep}:news`;

/** Sorted sets: who is there, by the time of its last sign. */
export const presenceKey = (party: 'sweeps' | 'workers'): string => `${PREFIX}:${party}`;

/** One that is there. No part of it has a space. */
export interface Present {
  readonly stamp: string;
  /** Runs at a time; 0 for a sweep. */
  readonly jobs: number;
  readonly id: string;
}

export const presentText = ({ stamp, jobs, id }: Present): string => `${stamp} ${jobs} ${id}`;

export function parsePresent(text: string): Present {
  const [stamp, jobs = '', id = ''] = text.split(' ');
  return { stamp, jobs: Number(jobs) || 0, id };
}
