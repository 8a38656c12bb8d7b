import { assert } from '../../base/assert.js';
import type { Random } from '../../base/random.js';

/** Path ids that a table can hold: 1 to 255. 0 says that a frame has none. PROTOCOL §2.4 */
const MAX_PATHS = 255;

/**
 * Which path id the next credit of a flow carries (SprayPass §III-A and §III-C). Uniform: ids are drawn without replacement, round after round, so that each valid
 * path gets every n-th credit. Random: each draw is independent of those before. Constant time a draw; ids are 1 to n.
 */
export class PathTable {
  private readonly isUniform: boolean;
  /** The valid ids, in any order, and how many there are. */
  private readonly valid: Uint8Array;
  private validCount: number;
  /** What is left of the round under way. */
  private readonly round: Uint8Array;
  private left = 0;

  constructor(paths: number, isUniform: boolean) {
    assert(paths >= 1 && paths <= MAX_PATHS, 'a path table has 1 to 255 paths');
    this.isUniform = isUniform;
    this.valid = new Uint8Array(paths);
    this.round = new Uint8Array(paths);
    this.validCount = 0;
    this.restoreAll();
  }

  /** All paths, left out or not. */
  get size(): number {
    return this.valid.length;
  }

  get validPaths(): number {
    return this.validCount;
  }

  isValid(path: number): boolean {
    return indexIn(this.valid, this.validCount, path) >= 0;
  }

  /** A valid path's id. */
  draw(random: Random): number {
    if (!this.isUniform) return this.valid[Math.floor(random.next() * this.validCount)];
    if (this.left === 0) this.refill();
    const index = Math.floor(random.next() * this.left);
    const path = this.round[index];
    this.round[index] = this.round[--this.left];
    return path;
  }

  /** Leaves a path out from the next draw on. The last valid one stays: false. */
  exclude(path: number): boolean {
    const index = indexIn(this.valid, this.validCount, path);
    if (index < 0 || this.validCount === 1) return false;
    this.valid[index] = this.valid[--this.validCount];
    const drawn = indexIn(this.round, this.left, path);
    if (drawn >= 0) this.round[drawn] = this.round[--this.left];
    return true;
  }

  /** Takes a path that was left out back in, from the next round on. */
  restore(path: number): void {
    if (!this.isValid(path)) this.valid[this.validCount++] = path;
  }

  restoreAll(): void {
    for (let path = 1; path <= this.valid.length; path++) this.restore(path);
  }

  private refill(): void {
    this.round.set(this.valid.subarray(0, this.validCount));
    this.left = this.validCount;
  }
}

function indexIn(ids: Uint8Array, count: number, path: number): number {
  for (let index = 0; index < count; index++) if (ids[index] === path) return index;
  return -1;
}
