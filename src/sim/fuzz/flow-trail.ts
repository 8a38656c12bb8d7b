// Tested by test/sim/fuzz/planted-bugs.test.ts

/** What the network saw of one flow. Its frames of both directions share one path, and each class of them keeps its order. PROTOCOL §9.4 */
export class FlowTrail {
  readonly lower: number;
  readonly higher: number;
  readonly id: number;
  /** Frames that went into the network and came out of it, copies included. */
  creditsEntered = 0;
  creditsLeft = 0;
  dataEntered = 0;
  dataLeft = 0;
  /** Directions from the host of the lower id to the other; empty before the first frame. */
  path: readonly number[] = [];
  /** The latest frame that came out, by direction and class. */
  private readonly orders = [0, 0, 0, 0];

  constructor(lower: number, higher: number, id: number) {
    this.lower = lower;
    this.higher = higher;
    this.id = id;
  }

  get name(): string {
    return `${this.id} between hosts ${this.lower} and ${this.higher}`;
  }

  /** Whether a frame that took `taken` went the way of the flow; the first one shows it. The directions of a link are 2i and 2i + 1. */
  isPath(taken: readonly number[], towardsHigher: boolean): boolean {
    const { path } = this;
    if (path.length === 0) {
      this.path = towardsHigher ? [...taken] : taken.map((index) => index ^ 1).reverse();
      return true;
    }
    const last = taken.length - 1;
    if (path.length !== taken.length) return false;
    return towardsHigher
      ? taken.every((index, at) => path[at] === index)
      : taken.every((index, at) => path[last - at] === (index ^ 1));
  }

  /** Whether the frame was sent after all of its class and direction that came before. */
  follows(order: number, towardsHigher: boolean, isCredit: boolean): boolean {
    const slot = (towardsHigher ? 2 : 0) + (isCredit ? 1 : 0);
    const isLater = order > this.orders[slot];
    if (isLater) this.orders[slot] = order;
    return isLater;
  }
}
