import { assert } from '../../base/assert.js';
import type { Random } from '../../base/random.js';
import { NEVER } from '../../base/time.js';

/** Path ids that a table can hold: 1 to 255. 0 says that a frame has none. PROTOCOL §2.4 */
const MAX_PATHS = 255;

/**
 * Which path id the next credit of a flow carries (SprayPass §III-A, §III-C), 1 to n. Uniform: drawn without replacement, round after round, so that each
 * valid path gets every n-th credit. Random: each draw is independent. Constant time a draw.
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

/** Beyond this, doubling has long met `longestNs`; it keeps the power finite. */
const MAX_DOUBLINGS = 30;

interface ReturnOptions {
  /** Time from leaving a path out to its first probe at least, ns. */
  waitNs: number;
  /** The same in RTTs, where that is longer. */
  waitRtts: number;
  /** No wait is longer, however often it doubled, ns. */
  longestNs: number;
}

/** When an answer came, how late it may be, and the smoothed RTT; ns. */
interface AnswerAge {
  nowNs: number;
  rttNs: number;
  longRttNs: number;
}

/**
 * When paths that were left out are probed (docs/decisions/0012-paths-that-return.md). A probe is one credit, so a dead path costs one credit in each wait.
 * The wait doubles when an answer is late or a path is left out again soon; a path that stays for as long as it last waited begins anew.
 */
export class LeftOutPaths {
  private readonly options: ReturnOptions;
  /** By path id: when the next probe is due; NEVER for a path that is in. */
  private readonly dueNs: Float64Array;
  /** When the probe that is out was sent; NEVER: none is. */
  private readonly probeNs: Float64Array;
  private readonly doublings: Uint8Array;
  private readonly returnedNs: Float64Array;
  /** The earliest of `dueNs`. */
  private nextDueNs = NEVER;

  constructor(paths: number, options: ReturnOptions) {
    this.options = options;
    this.dueNs = new Float64Array(paths + 1).fill(NEVER);
    this.probeNs = new Float64Array(paths + 1).fill(NEVER);
    this.doublings = new Uint8Array(paths + 1);
    this.returnedNs = new Float64Array(paths + 1).fill(-NEVER);
  }

  /** `path` is left out from `nowNs` on. */
  add(path: number, rttNs: number, nowNs: number): void {
    const stayedNs = nowNs - this.returnedNs[path];
    if (stayedNs > this.waitNs(path, rttNs)) this.doublings[path] = 0;
    else if (this.doublings[path] < MAX_DOUBLINGS) this.doublings[path]++;
    this.probeNs[path] = NEVER;
    this.setDue(path, nowNs + this.waitNs(path, rttNs));
  }

  /** A path whose probe is due, and counts as probed from now on; 0 for none. */
  take(rttNs: number, nowNs: number): number {
    if (nowNs < this.nextDueNs) return 0;
    const path = this.dueNs.indexOf(this.nextDueNs);
    this.probeNs[path] = nowNs;
    this.setDue(path, nowNs + this.waitNs(path, rttNs));
    return path;
  }

  /**
   * Data came by a path that is left out, for a credit sent at `creditNs`. True: it answers a probe, no later than `longRttNs` after it, so the path is taken
   * back. A later answer is of a path that is still slow; one to a credit from before says nothing.
   */
  answer(path: number, creditNs: number, age: AnswerAge): boolean {
    if (creditNs < this.probeNs[path]) return false;
    if (age.nowNs - creditNs > age.longRttNs) {
      this.probeNs[path] = NEVER;
      if (this.doublings[path] < MAX_DOUBLINGS) this.doublings[path]++;
      this.setDue(path, age.nowNs + this.waitNs(path, age.rttNs));
      return false;
    }
    this.remove(path, age.nowNs);
    return true;
  }

  /** All are back. */
  clear(nowNs: number): void {
    for (let path = 1; path < this.dueNs.length; path++) if (this.dueNs[path] !== NEVER) this.remove(path, nowNs);
  }

  /** Until then a path that came back is not judged: what its credits release is not all here yet. */
  returnedAt(path: number): number {
    return this.returnedNs[path];
  }

  private remove(path: number, nowNs: number): void {
    this.returnedNs[path] = nowNs;
    this.probeNs[path] = NEVER;
    this.setDue(path, NEVER);
  }

  private waitNs(path: number, rttNs: number): number {
    const { waitNs, waitRtts, longestNs } = this.options;
    return Math.min(Math.max(waitNs, waitRtts * rttNs) * 2 ** this.doublings[path], longestNs);
  }

  private setDue(path: number, dueNs: number): void {
    this.dueNs[path] = dueNs;
    let earliest = NEVER;
    for (let each = 1; each < this.dueNs.length; each++) earliest = Math.min(earliest, this.dueNs[each]);
    this.nextDueNs = earliest;
  }
}

/**
 * How fast data arrives by each path of a flow (SprayPass §III-C): what came by each since the board was renewed, which is after every N_b bits of all paths
 * together and not after a time, so that a flow that has only begun is not judged by its first frames. All paths are counted over the same time, so the
 * ratio of their bits is the ratio of their speeds.
 */
export class SpeedBoard {
  private readonly periodBits: number;
  /** Bits of the period under way, by path id; that of id 0 is not used. */
  private readonly bits: Float64Array;
  private totalBits = 0;
  /** When the period under way began, ns. */
  startNs: number;

  /** `periodBits`: N_b. */
  constructor(paths: number, periodBits: number, nowNs: number) {
    this.bits = new Float64Array(paths + 1);
    this.periodBits = periodBits;
    this.startNs = nowNs;
  }

  /** Data of `bits` came by `path`. True when that completes a period: look at `share`, then `renew`. */
  add(path: number, bits: number): boolean {
    this.bits[path] += bits;
    this.totalBits += bits;
    return this.totalBits >= this.periodBits;
  }

  /** The speed of `path` as a part of the fastest path's, 0 to 1. */
  share(path: number): number {
    const fastest = this.fastestBits;
    return fastest > 0 ? this.bits[path] / fastest : 1;
  }

  /** How much faster the fastest path is than one with this share, bit/s, in a period that ends now. */
  gapBps(share: number, nowNs: number): number {
    return nowNs > this.startNs ? ((1 - share) * this.fastestBits * 1e9) / (nowNs - this.startNs) : 0;
  }

  renew(nowNs: number): void {
    this.bits.fill(0);
    this.totalBits = 0;
    this.startNs = nowNs;
  }

  private get fastestBits(): number {
    let fastest = 0;
    for (let path = 1; path < this.bits.length; path++) if (this.bits[path] > fastest) fastest = this.bits[path];
    return fastest;
  }
}

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
  /** Smoothed RTT of all flows over valid paths; 0 before the first sample. */
  private rttNs = 0;
  private variationNs = 0;
  private lastDataNs: number;
  /** Filled anew for each answer. */
  private readonly age: AnswerAge = { nowNs: 0, rttNs: 0, longRttNs: 0 };
  /** Times that a path was left out, and that one was taken back. */
  exclusions = 0;
  returns = 0;
  /** Looks at the board, and what the latest showed of valid paths: the slowest's speed over the fastest's, and the difference, bit/s. */
  private looks = 0;
  private pathRatio = 1;
  private pathGapBps = 0;

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

  /** For samples; the ratio is v_min / v_max of SprayPass §III-C. Allocates. */
  get state(): Record<string, number> {
    return { board_looks: this.looks, path_ratio: this.pathRatio, path_gap: this.pathGapBps };
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
    this.note(nowNs);
    for (let path = 1; path <= table.size; path++) {
      if (!table.isValid(path) || board.share(path) >= this.options.slowest) continue;
      if (board.startNs < leftOut.returnedAt(path) + rttNs || !table.exclude(path)) continue;
      this.exclusions++;
      leftOut.add(path, rttNs, nowNs);
    }
    board.renew(nowNs);
  }

  private note(nowNs: number): void {
    const { board, table } = this;
    this.looks++;
    this.pathRatio = 1;
    for (let path = 1; path <= table.size; path++)
      if (table.isValid(path)) this.pathRatio = Math.min(this.pathRatio, board.share(path));
    this.pathGapBps = board.gapBps(this.pathRatio, nowNs);
  }
}

/** Peers whose paths are remembered (ours: about a KiB each). The one whose flows began longest ago is forgotten for one more. */
export const MAX_PEERS = 1024;

/** What the host's flows to and from one peer know of the paths. */
class PeerPath {
  /** Path id of the latest credit from the peer that had one; 0: none came. */
  latestId = 0;
  spraying: Spraying | null = null;
}

/**
 * What a host knows of its paths to each peer. All flows with the peer share it, and it is kept after they end: a flow of a few frames has no time to learn it.
 * Bounded; flows of a peer that was forgotten go on with what they know.
 */
export class PeerPaths {
  private readonly counters: { pathEvictions: number };
  /** By peer, the one whose flows began longest ago first. */
  private readonly peers = new Map<number, PeerPath>();

  constructor(counters: { pathEvictions: number }) {
    this.counters = counters;
  }

  /** What the credits to `peer` are spread by, for a flow that begins. Other options than those of the flow before begin anew. */
  spraying(peer: number, options: SprayOptions, nowNs: number): Spraying {
    const known = this.of(peer);
    if (known.spraying?.isFor(options)) known.spraying.forgetOld(nowNs);
    else known.spraying = new Spraying(options, nowNs);
    return known.spraying;
  }

  /** The path id of the latest credit from `peer`: by it the first frames of a new flow go. 0 where none is known. */
  latestId(peer: number): number {
    return this.peers.get(peer)?.latestId ?? 0;
  }

  /** Where a flow notes that id; for reading and writing. */
  of(peer: number): { latestId: number; spraying: Spraying | null } {
    const known = this.peers.get(peer) ?? new PeerPath();
    this.peers.delete(peer);
    this.peers.set(peer, known);
    if (this.peers.size > MAX_PEERS) {
      const [oldest] = this.peers.keys();
      this.peers.delete(oldest);
      this.counters.pathEvictions++;
    }
    return known;
  }
}
