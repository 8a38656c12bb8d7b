/** Counters of the places that the program passed, as the build inserts them: build.mjs. One byte a place, which wraps. */
export type EdgeCounters = Uint8Array;

declare global {
  var xpassEdges: EdgeCounters | undefined;
}

/** AFL's buckets: that a loop ran 5 times instead of 4 is news, that it ran 101 times instead of 100 is none. */
const BUCKETS = Uint8Array.from({ length: 256 }, (_, count) => {
  if (count < 4) return [0, 1, 2, 4][count]!;
  if (count < 8) return 8;
  if (count < 16) return 16;
  if (count < 32) return 32;
  return count < 128 ? 64 : 128;
});

/** What inputs have reached so far. */
export class Coverage {
  private readonly counters: EdgeCounters;
  private readonly words: Uint32Array;
  private readonly seen: Uint8Array;

  constructor(counters: EdgeCounters) {
    this.counters = counters;
    this.words = new Uint32Array(counters.buffer, 0, counters.length >> 2);
    this.seen = new Uint8Array(counters.length);
  }

  /** Places that some input passed. */
  get edges(): number {
    return this.seen.reduce((sum, buckets) => sum + Number(buckets !== 0), 0);
  }

  clear(): void {
    this.counters.fill(0);
  }

  /** Whether the last input reached something new; it is remembered. */
  learn(): boolean {
    let isNew = false;
    this.eachBucket((at, bucket) => {
      if ((this.seen[at]! & bucket) !== 0) return;
      this.seen[at]! |= bucket;
      isNew = true;
    });
    return isNew;
  }

  /** What the last input reached, as one number for each place and bucket. */
  features(): number[] {
    const found: number[] = [];
    this.eachBucket((at, bucket) => found.push(at * 256 + bucket));
    return found;
  }

  private eachBucket(visit: (at: number, bucket: number) => void): void {
    const { counters, words } = this;
    for (let word = 0; word < words.length; word++) {
      if (words[word] === 0) continue;
      for (let at = 4 * word; at < 4 * word + 4; at++) if (counters[at] !== 0) visit(at, BUCKETS[counters[at]!]!);
    }
  }
}
