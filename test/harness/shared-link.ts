import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Flows of one algorithm on a link of 100 Mbit/s, in virtual time and over processes; `deploy/measurements/shared-link.mjs` plays the same. */
export interface SharedLinkCase {
  readonly name: string;
  readonly set: readonly string[];
  /**
   * Where its algorithm wants the queue, B: K, the target delay less the RTT without queues (2 ms), the lower threshold of the RTT, K of the phantom
   * queue; none with credits alone.
   */
  readonly setPointBytes: number;
}

interface SharedLink {
  /** One flow of each of two hosts, and then as many as make windows small. */
  readonly flows: readonly number[];
  /**
   * What may stand in the queue besides the set point, in the mean (ours): eight frames, what one of the processes that is some milliseconds late
   * holds back and then sends.
   */
  readonly lateBytes: number;
  readonly cases: readonly SharedLinkCase[];
}

export const SHARED_LINK = JSON.parse(
  readFileSync(new URL('../../deploy/measurements/shared-link.json', import.meta.url), 'utf8'),
) as SharedLink;

/** Shorter than in the files. */
export const SHARED_LINK_TIMES = ['duration=5s', 'warmUp=1s'];

export function sharedLinkFile(name: 'shared-link' | 'ec4-beside-dctcp'): string {
  return fileURLToPath(new URL(`../../deploy/scenarios/${name}.yaml`, import.meta.url));
}

/** What a run gave. */
export interface SharedLinkFigures {
  readonly utilisation: number;
  readonly jain: number;
  readonly queueBytesMean: number;
  readonly flows: readonly { readonly group: string; readonly goodputBps: number }[];
}

/** What is wrong with it, in words; nothing where nothing is. */
export function wrongOfShare({ utilisation, jain, queueBytesMean }: SharedLinkFigures, setPointBytes: number): string {
  const isGood = utilisation >= 0.9 && jain >= 0.9 && queueBytesMean <= setPointBytes + SHARED_LINK.lateBytes;
  return isGood ? '' : `utilisation ${utilisation}, Jain ${jain}, mean queue ${queueBytesMean} B`;
}

/** What EC4 gets for each bit of DCTCP, and who starves: a flow with less than a tenth of its share. */
export function wrongOfMix({ flows, utilisation }: SharedLinkFigures): string {
  const sum = (group: string) =>
    flows.filter((flow) => flow.group === group).reduce((all, { goodputBps }) => all + goodputBps, 0);
  const ratio = sum('credits') / sum('dctcp');
  const least = Math.min(...flows.map(({ goodputBps }) => goodputBps));
  const isGood = ratio >= 0.7 && ratio <= 1.4 && least >= 0.1 * 25e6 && utilisation >= 0.9;
  return isGood ? '' : `ratio ${ratio}, least flow ${least} bit/s, utilisation ${utilisation}`;
}
