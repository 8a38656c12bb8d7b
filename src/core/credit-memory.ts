/** Times and fates of a flow's credits, `sentNs[at ..]` and `fates[at ..]`, in arrays that it may share with other flows. */
export interface CreditBlock {
  readonly sentNs: Float64Array;
  readonly fates: Uint8Array;
  readonly at: number;
}

/**
 * Blocks for the credits of flows. Two typed arrays of a flow's own take 370 bytes beside their content; the flows of a simulated world share large ones
 * (docs/PERF-LOG.md). What is given back waits there for other flows, so only a world does so: the memory of a process with sockets falls with its flows.
 */
export class CreditMemory {
  private readonly arrayCredits: number;
  private sentNs: Float64Array = new Float64Array(0);
  private fates: Uint8Array = new Uint8Array(0);
  private used = 0;
  /** By the logarithm of their capacity. */
  private readonly free: CreditBlock[][] = [];

  /** `arrayCredits`: in one array; 0: each block has arrays of its own. */
  constructor(arrayCredits = 0) {
    this.arrayCredits = arrayCredits;
  }

  /** A block of zeros. `capacity` is a power of two. */
  take(capacity: number): CreditBlock {
    if (capacity > this.arrayCredits) return newArrays(capacity);
    const block = this.free[log2(capacity)]?.pop();
    if (block === undefined) return this.takeNew(capacity);
    block.sentNs.fill(0, block.at, block.at + capacity);
    block.fates.fill(0, block.at, block.at + capacity);
    return block;
  }

  /** Nobody looks at the block any more. */
  give(block: CreditBlock, capacity: number): void {
    if (capacity > this.arrayCredits) return;
    this.free[log2(capacity)] ??= [];
    this.free[log2(capacity)].push(block);
  }

  private takeNew(capacity: number): CreditBlock {
    if (this.used + capacity > this.sentNs.length) {
      ({ sentNs: this.sentNs, fates: this.fates } = newArrays(this.arrayCredits));
      this.used = 0;
    }
    const { sentNs, fates, used: at } = this;
    this.used += capacity;
    return { sentNs, fates, at };
  }
}

function newArrays(capacity: number): CreditBlock {
  return { sentNs: new Float64Array(capacity), fates: new Uint8Array(capacity), at: 0 };
}

function log2(powerOfTwo: number): number {
  return 31 - Math.clz32(powerOfTwo);
}
