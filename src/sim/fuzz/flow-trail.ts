// Tested by test/sim/fuzz/planted-bugs.test.ts

/** One way of a flow's frames, with its path id. */
interface Way {
  /** Directions from the host of the lower id to the other; empty before the first frame. */
  links: readonly number[];
  /** Changes of the live links before those were taken. */
  epoch: number;
  /** The latest frame that came out, by direction and class. */
  readonly orders: number[];
}

/** What the network saw of one flow. Frames of both directions with one path id, or none, share one path; each class of them keeps its order. PROTOCOL §9.4 */
export class FlowTrail {
  readonly lower: number;
  readonly higher: number;
  readonly id: number;
  /** Frames that went into the network and came out of it, copies included. */
  creditsEntered = 0;
  creditsLeft = 0;
  dataEntered = 0;
  dataLeft = 0;
  speculativeEntered = 0;
  speculativeLeft = 0;
  private readonly ways = new Map<number, Way>();

  constructor(lower: number, higher: number, id: number) {
    this.lower = lower;
    this.higher = higher;
    this.id = id;
  }

  get name(): string {
    return `${this.id} between hosts ${this.lower} and ${this.higher}`;
  }

  /** Whether a frame that took `taken` went the flow's way, which the first one since a change of live links shows. A link's directions are 2i and 2i + 1. */
  isPath(pathId: number, taken: readonly number[], on: { towardsHigher: boolean; epoch: number }): boolean {
    const way = this.way(pathId);
    const { towardsHigher, epoch } = on;
    const { links } = way;
    if (links.length === 0 || way.epoch !== epoch) {
      way.epoch = epoch;
      way.links = towardsHigher ? [...taken] : taken.map((index) => index ^ 1).reverse();
      return true;
    }
    const last = taken.length - 1;
    if (links.length !== taken.length) return false;
    return towardsHigher
      ? taken.every((index, at) => links[at] === index)
      : taken.every((index, at) => links[last - at] === (index ^ 1));
  }

  /** The links that frames with this path id take. */
  links(pathId: number): readonly number[] {
    return this.way(pathId).links;
  }

  /** Whether the frame was sent after all of its path id, class and direction that came before. */
  follows(pathId: number, order: number, on: { towardsHigher: boolean; isCredit: boolean }): boolean {
    const { orders } = this.way(pathId);
    const slot = (on.towardsHigher ? 2 : 0) + (on.isCredit ? 1 : 0);
    const isLater = order > orders[slot];
    if (isLater) orders[slot] = order;
    return isLater;
  }

  private way(pathId: number): Way {
    let way = this.ways.get(pathId);
    if (way === undefined) {
      way = { links: [], epoch: 0, orders: [0, 0, 0, 0] };
      this.ways.set(pathId, way);
    }
    return way;
  }
}
