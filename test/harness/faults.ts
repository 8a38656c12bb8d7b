import type { SeededRandom } from '../../src/base/random.js';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { frameType } from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import type { World } from './world.js';

/** What a bad network does; each number is the share of frames that it happens to. */
export interface Faults {
  loss?: number;
  duplication?: number;
  /** Held back for up to a millisecond, so that others overtake. */
  reordering?: number;
  /** One to three bits flipped, anywhere. */
  corruption?: number;
  /** The frame types that it happens to: codes of FrameType. All of them unless told otherwise. */
  types?: readonly number[];
}

/** Everything at once. */
export const TERRIBLE: Faults = { loss: 0.05, duplication: 0.05, reordering: 0.05, corruption: 0.02 };

/** Makes the network of `world` a bad one, in both directions. */
export function addFaults(world: World, faults: Faults, random: SeededRandom = world.random.fork()): void {
  const isHit = (frame: Frame) => faults.types === undefined || faults.types.includes(frameType(frame.bytes));
  const happens = (share = 0) => share > 0 && random.next() < share;
  const delayNs = () => (happens(faults.reordering) ? random.next() * MILLISECOND_NS : 0);
  world.network = (frame) => {
    if (!isHit(frame)) return [0];
    if (happens(faults.loss)) return [];
    return happens(faults.duplication) ? [delayNs(), delayNs()] : [delayNs()];
  };
  world.tamper = (copy) => {
    if (isHit(copy) && happens(faults.corruption)) flipBits(copy, random);
  };
}

export function flipBits(frame: Frame, random: SeededRandom): void {
  for (let flips = 1 + Math.floor(random.next() * 3); flips > 0; flips--) {
    frame.bytes[Math.floor(random.next() * frame.length)] ^= 1 << Math.floor(random.next() * 8);
  }
}

/** Leaves the first bytes of a frame as they are, none of them in half of the cases; the rest, which may be cut short, is random. */
export function spoil(frame: Frame, random: SeededRandom): void {
  const below = (limit: number): number => Math.floor(random.next() * limit);
  const kept = random.next() < 0.5 ? 0 : below(frame.length);
  frame.length = kept + 1 + below(frame.length - kept);
  for (let at = kept; at < frame.length; at++) frame.bytes[at] = below(256);
}
