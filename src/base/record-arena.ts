import { assert } from './assert.js';

/** A few numbers of one owner, `numbers[at ..]`, in an array that it shares with others. */
export interface NumberRecord {
  readonly numbers: Float64Array;
  readonly at: number;
}

/** Records in one array at most (ours: a few hundred KiB). The first array has room for one, each next for twice as many. */
const MAX_RECORDS_IN_ARRAY = 4096;

/**
 * Hands out records of one size or less, side by side. V8 (Node 20) keeps each fraction in a field of an object on the heap: one more cache line each.
 * Records keep numbers that are needed together on few lines and pages.
 */
export class RecordArena {
  private readonly doubles: number;
  private readonly mostRecords: number;
  private numbers: Float64Array;
  /** Of `numbers`. */
  private used = 0;
  private records = 1;

  /** `doubles`: the size of a record. `mostRecords` in one array, which memory keeps as long as one of their owners is there. */
  constructor(doubles: number, mostRecords: number = MAX_RECORDS_IN_ARRAY) {
    this.doubles = doubles;
    this.mostRecords = mostRecords;
    this.numbers = new Float64Array(doubles);
  }

  /** A record of zeros; it is never taken back. `doubles`: how many it has, where these are fewer than the arena's records have. */
  take(doubles = this.doubles): NumberRecord {
    assert(doubles <= this.doubles, 'a record is larger than those of its arena');
    if (this.used + doubles > this.numbers.length) this.startArray();
    const at = this.used;
    this.used += doubles;
    return { numbers: this.numbers, at };
  }

  private startArray(): void {
    this.records = Math.min(this.records * 2, this.mostRecords);
    this.numbers = new Float64Array(this.records * this.doubles);
    this.used = 0;
  }
}
