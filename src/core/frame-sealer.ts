// Tested by test/udp/seal/sealer.test.ts
import type { Frame } from '../wire/frame.js';

/** What became of a frame that arrived sealed. All but `opened` are dropped and counted by this reason. */
export const Opening = {
  opened: 0,
  /** No sealed frame has this length or padding. */
  malformed: 1,
  /** Its packet number has come before. */
  duplicate: 2,
  /** Its packet number is below the replay window. */
  tooOld: 3,
  /** The tag is wrong: forged, damaged, or sealed with a key that is gone. */
  forged: 4,
  /** The association is over: too many forgeries. Only a new handshake helps. */
  over: 5,
} as const;
export type Opening = (typeof Opening)[keyof typeof Opening];

/** One end of an association with keys, both directions. docs/decisions/0025-sealed-frames.md */
export interface FrameSealer {
  /** Nothing can be sealed or opened any more. */
  readonly isOver: boolean;
  /** Frames refused as forged, of all keys. */
  readonly forgeries: number;
  /**
   * Seals a plain frame in place, which grows by 16 bytes (CREDIT: 12) that its buffer has room for; what it has as check does not matter. False where the
   * association is over.
   */
  seal(frame: Frame): boolean;
  /** Opens a sealed frame in place, which has the length of the plain one afterwards, without its check. What is not opened is garbage. */
  open(frame: Frame): Opening;
  /** Gives back what the keys hold of the system's memory; nothing else is called afterwards. */
  close(): void;
}
