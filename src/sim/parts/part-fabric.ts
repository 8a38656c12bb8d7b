// Tested by test/sim/parts/parts.test.ts
import { NEVER } from '../../base/time.js';
import { Fabric, type FabricOptions } from '../../switch/fabric.js';
import { type LinkDirection, MAX_LINE_FRAMES } from '../../switch/link-direction.js';
import type { Frame } from '../../wire/frame.js';
import type { FrameBox } from './frame-box.js';
import { OnlyWhole } from './only-whole.js';
import type { Partition } from './partition.js';

/** Limit of frames on a line after an exchange. Ours: half of the line's own limit, since more may have been on it within the window. */
const MOST_ON_LINE = MAX_LINE_FRAMES / 2;

export interface PartFabricOptions extends FabricOptions {
  readonly partition: Partition;
  readonly part: number;
  /** What takes frames for another part. */
  readonly boxFor: (part: number) => FrameBox;
}

/** The switches of one part. A frame to one of another part goes into a box instead of onto its line. */
export class PartFabric extends Fabric {
  /** By direction: the part that it leads to from this one; -1: it does not leave. */
  private readonly leadsTo: readonly number[];
  private readonly boxFor: (part: number) => FrameBox;
  /** Of the frames that left in this round. */
  private earliestSentNs = NEVER;

  constructor({ partition, part, boxFor, ...options }: PartFabricOptions) {
    super(options);
    const { fromOf, toOf } = partition;
    this.leadsTo = fromOf.map((from, index) => (from === part && toOf[index] !== part ? toOf[index] : -1));
    this.boxFor = boxFor;
  }

  /** A frame from another part. */
  bring(index: number, box: FrameBox): void {
    const direction = this.directions[index];
    const { line } = direction;
    const frame = this.pool.take();
    box.fill(frame);
    if (!line.push(frame) || line.length > MOST_ON_LINE)
      throw new OnlyWhole('too many frames are on their way along a link');
    this.schedule(direction);
  }

  /** When the first of the frames arrives that left since the last call; NEVER: none did. */
  takeEarliestSent(): number {
    const earliestNs = this.earliestSentNs;
    this.earliestSentNs = NEVER;
    return earliestNs;
  }

  protected override carry(direction: LinkDirection, frame: Frame): void {
    const to = this.leadsTo[direction.index];
    if (to < 0) {
      super.carry(direction, frame);
      return;
    }
    direction.line.keepOrder(frame);
    this.boxFor(to).put(direction.index, frame);
    if (frame.atNs < this.earliestSentNs) this.earliestSentNs = frame.atNs;
    this.pool.give(frame);
  }
}
