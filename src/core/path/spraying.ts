import type { Random } from '../../base/random.js';
import { type AnswerAge, LeftOutPaths, type ReturnOptions } from './left-out-paths.js';
import { PathTable } from './path-table.js';
import { SpeedBoard } from './speed-board.js';

/** How a receiver spreads a flow's credits over paths. */
export interface SprayOptions {
  /** Path ids in the table: as many as there are paths, or a multiple. */
  paths: number;
  /** Draw without replacement. */
  uniform: boolean;
  /** Whether slow paths are left out. */
  probing: boolean;
  /** A path slower than this part of the fastest is left out: theta. */
  slowest: number;
  /** Bits of data from one look at the board to the next: N_b. */
  boardBits: number;
  returns: ReturnOptions;
}

/**
 * Credit spraying with path probing (SprayPass §III-A and §III-C) for one flow's receiver: gives each credit a path id, watches how fast data comes back by each path, leaves
 * out the slow ones and takes them back once they are well.
 */
export class Spraying {
  private readonly options: SprayOptions;
  private readonly table: PathTable;
  private readonly board: SpeedBoard;
  private readonly leftOut: LeftOutPaths;
  /** Times that a path was left out, and that one was taken back. */
  exclusions = 0;
  returns = 0;

  constructor(options: SprayOptions, nowNs: number) {
    this.options = options;
    this.table = new PathTable(options.paths, options.uniform);
    this.board = new SpeedBoard(options.paths, options.boardBits, nowNs);
    this.leftOut = new LeftOutPaths(options.paths, options.returns);
  }

  /** Paths that get credits. */
  get validPaths(): number {
    return this.table.validPaths;
  }

  /** The path id of the next credit. */
  next(random: Random, moment: AnswerAge): number {
    if (this.table.validPaths < this.table.size) {
      const probed = this.leftOut.take(moment.rttNs, moment.nowNs);
      if (probed > 0) return probed;
    }
    return this.table.draw(random);
  }

  /** Data of `bits` came by `path`, released by a credit that was sent at `creditNs`. An id that the table does not have counts for nothing. */
  arrived(path: number, bits: number, creditNs: number, moment: AnswerAge): void {
    if (!this.options.probing || path < 1 || path > this.table.size) return;
    if (!this.table.isValid(path)) {
      this.answered(path, creditNs, moment);
      return;
    }
    if (this.board.add(path, bits)) this.judge(moment);
  }

  /** The sender hears no credits, or starts anew: what is known of the paths is worth nothing. */
  restart(nowNs: number): void {
    this.table.restoreAll();
    this.leftOut.clear(nowNs);
    this.board.renew(nowNs);
  }

  private answered(path: number, creditNs: number, moment: AnswerAge): void {
    if (!this.leftOut.answer(path, creditNs, moment)) return;
    this.returns++;
    this.table.restore(path);
  }

  /** A path that came back is judged by a period that began an RTT later: until then its data was still to come. */
  private judge({ nowNs, rttNs }: AnswerAge): void {
    const { board, table, leftOut } = this;
    for (let path = 1; path <= table.size; path++) {
      if (!table.isValid(path) || board.share(path) >= this.options.slowest) continue;
      if (board.startNs < leftOut.returnedAt(path) + rttNs || !table.exclude(path)) continue;
      this.exclusions++;
      leftOut.add(path, rttNs, nowNs);
    }
    board.renew(nowNs);
  }
}
