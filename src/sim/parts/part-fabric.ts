// Tested by test/sim/parts/parts.test.ts
import { NEVER } from '../../base/time.js';
import { Fabric, type FabricOptions, UNROUTED } from '../../switch/fabric.js';
import { type LinkDirection, MAX_LINE_FRAMES } from '../../switch/link-direction.js';
import type { Frame } from '../../wire/frame.js';
import type { FrameBox, Way } from './frame-box.js';
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
  /** Filled anew for every frame. */
  private readonly way: Way = { changes: 0, pair: 0, place: 0 };
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
    box.fill(frame, this.way);
    frame.port = this.offset;
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
    this.noteWay(frame.port);
    this.boxFor(to).put(direction.index, frame, this.way);
    if (frame.atNs < this.earliestSentNs) this.earliestSentNs = frame.atNs;
    this.pool.give(frame);
  }

  /** From a switch on its way the other part might find another one: by its hash among other paths, or by bytes that were corrupted. */
  private noteWay(offset: number): void {
    const { routes, way } = this;
    way.changes = -1;
    if (routes.isStale(offset)) return;
    way.changes = routes.changes;
    way.pair = routes.pairOf(offset);
    way.place = routes.placeIn(way.pair, offset);
  }

  /** Where links have died or come back since it left, a frame looks for its way at the next switch. */
  private get offset(): number {
    const { routes, way } = this;
    return way.changes === routes.changes ? routes.offsetAt(way.pair, way.place) : UNROUTED;
  }
}
