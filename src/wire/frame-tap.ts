import type { Frame } from './frame.js';

/** Looks at the frames of one direction of a link, for a capture. They stay their owner's; whoever has no tap has null in its place. */
export interface FrameTap {
  /** The frame goes along the link; its last bit leaves the sending end at `atNs`. */
  sent(frame: Frame, atNs: number): void;
  /** The sending port has written CE on a frame that it still holds. */
  marked(frame: Frame): void;
  /** `code`: a PortDrop. */
  dropped(frame: Frame, code: number, atNs: number): void;
}
