import type { Random } from '../../base/random.js';
import { type AnswerAge, LeftOutPaths, type ReturnOptions } from './left-out-paths.js';
import { PathTable } from './path-table.js';
import { SpeedBoard } from './speed-board.js';

/** How a receiver spreads credits over paths. */
export interface SprayOptions {
  /** Path ids in the table: as many as there are paths, or a multiple. */
  readonly paths: number;
  /** Draw without replacement. */
  readonly uniform: boolean;
  /** Whether slow paths are left out. */
  readonly probing: boolean;
  /** A path slower than this part of the fastest is left out: theta. */
  readonly slowest: number;
  /** Bits of data from one look at the board to the next: N_b. */
  readonly boardBits: number;
  readonly returns: Readonly<ReturnOptions>;
}

/**
 * Smoothed RTTs and variations that the answer of a path may take. With 1.5 and 4, a link of 1 Gbit/s among links of 100 was taken for well again and again:
 * its answers take 25 us more than the 30 us of the others.
 */
const LONG_RTTS = 1.25;
const LONG_VARIATIONS = 2;
/** Weights of a sample. RFC 6298 section 2.3 */
const RTT_WEIGHT = 1 / 8;
const VARIATION_WEIGHT = 1 / 4;
/** Data within this many smoothed RTTs shows that a peer is reached (ours: the flow that doubts it may have lost one request, or one credit). */
const REACHED_RTTS = 2;

/**
 * Credit spraying with path probing (SprayPass §III-A and §III-C) for all credits to one peer. It gives each credit a path id, watches how fast data comes back
 * by each path, leaves slow paths out and takes them back once they are well.
 */
export class Spraying {
  private readonly options: SprayOptions;
  private readonly table: PathTable;
  private readonly board: SpeedBoard;
  private readonly leftOut: LeftOutPaths;
  /** Of all flows, over paths that are in; 0 before the first sample. */
  private rttNs = 0;
  private variationNs = 0;
  private lastDataNs: number;
  /** Filled anew for each answer. */
  private readonly age: AnswerAge = { nowNs: 0, rttNs: 0, longRttNs: 0 };
  /** Times that a path was left out, and that one was taken back. */
  exclusions = 0;
  returns = 0;

  constructor(options: SprayOptions, nowNs: number) {
    this.options = options;
    this.table = new PathTable(options.paths, options.uniform);
    this.board = new SpeedBoard(options.paths, options.boardBits, nowNs);
    this.leftOut = new LeftOutPaths(options.paths, options.returns);
    this.lastDataNs = nowNs;
  }

  /** Paths that get credits. */
  get validPaths(): number {
    return this.table.validPaths;
  }

  /** Whether credits are to be spread in the same way. */
  isFor({ paths, uniform, probing, slowest, boardBits, returns }: SprayOptions): boolean {
    const mine = this.options;
    const isSameTable = mine.paths === paths && mine.uniform === uniform && mine.probing === probing;
    const { waitNs, waitRtts, longestNs } = mine.returns;
    const isSameReturn = waitNs === returns.waitNs && waitRtts === returns.waitRtts && longestNs === returns.longestNs;
    return isSameTable && mine.slowest === slowest && mine.boardBits === boardBits && isSameReturn;
  }

  /** The path id of the next credit. `mayProbe`: not of a flow's first one, which a flow of a few frames would miss. */
  next(random: Random, mayProbe: boolean, nowNs: number): number {
    if (mayProbe && this.table.validPaths < this.table.size) {
      const probed = this.leftOut.take(this.rttNs, nowNs);
      if (probed > 0) return probed;
    }
    return this.table.draw(random);
  }

  /** Data of `bits` came by `path`; its credit was sent at `creditNs`, -Infinity for unknown. An id that the table does not have counts for nothing. */
  arrived(path: number, bits: number, creditNs: number, nowNs: number): void {
    if (path < 1 || path > this.table.size) return;
    this.lastDataNs = nowNs;
    if (!this.options.probing) return;
    if (!this.table.isValid(path)) {
      this.answered(path, creditNs, nowNs);
      return;
    }
    if (creditNs > -Infinity) this.sampleRtt(nowNs - creditNs);
    if (this.board.add(path, bits)) this.judge(nowNs);
  }

  /** A flow's sender hears no credits, or starts anew: what is known of the paths is worth nothing, unless other flows' data shows that they are well. */
  distrust(nowNs: number): void {
    if (nowNs - this.lastDataNs > REACHED_RTTS * this.rttNs) this.restart(nowNs);
  }

  /** A flow begins. While there are credits no path stays without a probe for longer than the longest wait; what is older than that is worth nothing. */
  forgetOld(nowNs: number): void {
    if (nowNs - this.lastDataNs > this.options.returns.longestNs) this.restart(nowNs);
  }

  private restart(nowNs: number): void {
    this.table.restoreAll();
    this.leftOut.clear(nowNs);
    this.board.renew(nowNs);
    this.lastDataNs = nowNs;
  }

  private answered(path: number, creditNs: number, nowNs: number): void {
    const { age, rttNs } = this;
    age.nowNs = nowNs;
    age.rttNs = rttNs;
    age.longRttNs = LONG_RTTS * rttNs + LONG_VARIATIONS * this.variationNs;
    if (!this.leftOut.answer(path, creditNs, age)) return;
    this.returns++;
    this.table.restore(path);
  }

  private sampleRtt(rttNs: number): void {
    if (this.rttNs === 0) {
      this.rttNs = rttNs;
      this.variationNs = rttNs / 2;
      return;
    }
    this.variationNs += VARIATION_WEIGHT * (Math.abs(this.rttNs - rttNs) - this.variationNs);
    this.rttNs += RTT_WEIGHT * (rttNs - this.rttNs);
  }

  /** A path that came back is judged by a period that began an RTT later: until then its data was still to come. */
  private judge(nowNs: number): void {
    const { board, table, leftOut, rttNs } = this;
    for (let path = 1; path <= table.size; path++) {
      if (!table.isValid(path) || board.share(path) >= this.options.slowest) continue;
      if (board.startNs < leftOut.returnedAt(path) + rttNs || !table.exclude(path)) continue;
      this.exclusions++;
      leftOut.add(path, rttNs, nowNs);
    }
    board.renew(nowNs);
  }
}
