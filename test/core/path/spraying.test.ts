import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import {
  LeftOutPaths,
  MAX_PEERS,
  PathTable,
  PeerPaths,
  SpeedBoard,
  Spraying,
} from '../../../src/core/path/spraying.js';

it('a speed board compares the paths after every N_b bits of all of them', () => {
  const board = new SpeedBoard(3, 100_000, 5);
  expect(board.share(1)).toBe(1);
  expect(board.add(1, 60_000)).toBe(false);
  expect(board.add(2, 30_000)).toBe(false);
  expect(board.add(3, 6_000)).toBe(false);
  expect(board.add(2, 4_000)).toBe(true);
  expect([1, 2, 3].map((path) => board.share(path))).toEqual([1, 34 / 60, 0.1]);
  board.renew(77);
  expect(board.startNs).toBe(77);
  expect(board.add(3, 99_999)).toBe(false);
  expect([1, 2, 3].map((path) => board.share(path))).toEqual([0, 0, 1]);
});

const FRAME_BITS = 12_304;
const OPTIONS = {
  paths: 4,
  uniform: true,
  probing: true,
  slowest: 0.1,
  boardBits: 6e5,
  returns: { waitNs: 10_000, waitRtts: 1, longestNs: 1e9 },
};

/** A flow whose paths answer each credit after an RTT of 100 ns, but for those that are dead; one credit every 10 ns. */
function play(
  spraying: Spraying,
  { credits, isDead, fromNs = 0 }: { credits: number; isDead: (path: number) => boolean; fromNs?: number },
) {
  const random = new SeededRandom(11);
  const sent: { path: number; atNs: number }[] = [];
  for (let credit = 0; credit < credits; credit++) {
    const nowNs = fromNs + credit * 10;
    sent.push({ path: spraying.next(random, credit > 0, nowNs), atNs: nowNs });
    const echoed = sent[credit - 10];
    if (echoed !== undefined && !isDead(echoed.path)) spraying.arrived(echoed.path, FRAME_BITS, echoed.atNs, nowNs);
  }
  return sent.map(({ path }) => path);
}

describe('spraying', () => {
  it('leaves a dead path out after one look at the board, and probes it with one credit a wait', () => {
    const spraying = new Spraying(OPTIONS, 0);
    const paths = play(spraying, { credits: 10_000, isDead: (path) => path === 3 });
    expect(spraying).toMatchObject({ validPaths: 3, exclusions: 1, returns: 0 });
    // 49 frames fill the board, of 3 paths in 4; ten credits are under way.
    expect(paths.lastIndexOf(3, 90)).toBeGreaterThan(60);
    expect(paths.slice(90).filter((path) => path === 3)).toHaveLength(9);
  });

  it('takes a path back that has got well, and spreads over all again', () => {
    const spraying = new Spraying(OPTIONS, 0);
    play(spraying, { credits: 1_000, isDead: (path) => path === 3 });
    const paths = play(spraying, { credits: 10_000, isDead: () => false, fromNs: 10_000 });
    expect(spraying).toMatchObject({ validPaths: 4, exclusions: 1, returns: 1 });
    expect(paths.slice(-400).filter((path) => path === 3)).toHaveLength(100);
  });

  it('leaves nothing out where paths are alike, nor without probing', () => {
    const even = new Spraying(OPTIONS, 0);
    play(even, { credits: 50_000, isDead: () => false });
    const blind = new Spraying({ ...OPTIONS, probing: false }, 0);
    play(blind, { credits: 1_000, isDead: (path) => path === 3 });
    expect([even.exclusions, blind.exclusions]).toEqual([0, 0]);
  });

  it('forgets what it knows of the paths when told so', () => {
    const spraying = new Spraying(OPTIONS, 0);
    play(spraying, { credits: 1_000, isDead: (path) => path > 1 });
    expect(spraying.validPaths).toBe(1);
    spraying.distrust(20_000);
    expect(spraying.validPaths).toBe(4);
  });

  it('says how unlike the paths were at the latest look at the board', () => {
    const spraying = new Spraying({ ...OPTIONS, paths: 3, boardBits: 300, slowest: 0 }, 0);
    expect(spraying.state).toEqual({ board_looks: 0, path_ratio: 1, path_gap: 0 });
    [200, 50, 50].forEach((bits, at) => {
      spraying.arrived(at + 1, bits, 0, 10 * (at + 1));
    });
    // 150 bits more in 30 ns are 5 Gbit/s.
    expect(spraying.state).toEqual({ board_looks: 1, path_ratio: 0.25, path_gap: 5e9 });
    spraying.arrived(1, 300, 0, 60);
    expect(spraying.state).toEqual({ board_looks: 2, path_ratio: 0, path_gap: 1e10 });
  });

  it('takes no notice of a path id that it does not have', () => {
    const spraying = new Spraying(OPTIONS, 0);
    for (const path of [0, 5, 255]) spraying.arrived(path, 1e9, 0, 1);
    expect(spraying).toMatchObject({ validPaths: 4, exclusions: 0 });
  });

  it('forgets nothing when one flow doubts its paths while data of others comes', () => {
    const spraying = new Spraying(OPTIONS, 0);
    play(spraying, { credits: 1_000, isDead: (path) => path > 2 });
    // The latest data came at 9,990 ns; an RTT is 100 ns.
    spraying.distrust(10_150);
    expect(spraying.validPaths).toBe(2);
    spraying.distrust(10_250);
    expect(spraying.validPaths).toBe(4);
  });

  it("probes a path with no flow's first credit", () => {
    const spraying = new Spraying(OPTIONS, 0);
    play(spraying, { credits: 1_000, isDead: (path) => path === 3 });
    const random = new SeededRandom(5);
    // Its probe is due since long.
    for (let flow = 0; flow < 40; flow++) expect(spraying.next(random, false, 1e6 + flow)).not.toBe(3);
    expect(spraying.next(random, true, 1e6 + 40)).toBe(3);
  });
});

/** An answer at `nowNs`, late after 150 ns. */
function at(nowNs: number) {
  return { nowNs, rttNs: 100, longRttNs: 150 };
}

describe('a path that was left out', () => {
  it('is probed once in each wait, which is no shorter than so many RTTs', () => {
    const paths = new LeftOutPaths(3, { waitNs: 1_000, waitRtts: 10, longestNs: 6_000 });
    paths.add(2, 100, 0);
    expect(paths.take(100, 999)).toBe(0);
    expect(paths.take(100, 1_000)).toBe(2);
    expect(paths.take(100, 1_999)).toBe(0);
    expect(paths.take(300, 2_000)).toBe(2);
    expect(paths.take(300, 4_999)).toBe(0);
    expect(paths.take(300, 5_000)).toBe(2);
  });

  it('comes back when the answer to its probe is in time', () => {
    const paths = new LeftOutPaths(3, { waitNs: 1_000, waitRtts: 10, longestNs: 6_000 });
    paths.add(2, 100, 0);
    paths.take(100, 1_000);
    expect(paths.answer(2, 900, at(1_010))).toBe(false);
    expect(paths.answer(2, 1_000, at(1_150))).toBe(true);
    expect(paths.returnedAt(2)).toBe(1_150);
    expect(paths.take(100, 1e9)).toBe(0);
  });

  it('waits twice as long after each late answer, up to the longest wait', () => {
    const paths = new LeftOutPaths(3, { waitNs: 1_000, waitRtts: 10, longestNs: 6_000 });
    paths.add(2, 100, 0);
    let nowNs = 1_000;
    for (const waitNs of [2_000, 4_000, 6_000, 6_000]) {
      expect(paths.take(100, nowNs)).toBe(2);
      expect(paths.answer(2, nowNs, at(nowNs + 151))).toBe(false);
      expect(paths.take(100, nowNs + 150 + waitNs)).toBe(0);
      nowNs += 151 + waitNs;
    }
  });

  it('waits twice as long when it comes back and is left out soon, and as long as ever when later', () => {
    const paths = new LeftOutPaths(3, { waitNs: 1_000, waitRtts: 10, longestNs: 6_000 });
    paths.add(2, 100, 0);
    paths.take(100, 1_000);
    paths.answer(2, 1_000, at(1_100));
    paths.add(2, 100, 1_500);
    expect(paths.take(100, 3_499)).toBe(0);
    expect(paths.take(100, 3_500)).toBe(2);
    paths.answer(2, 3_500, at(3_600));
    paths.add(2, 100, 9_000);
    expect(paths.take(100, 10_000)).toBe(2);
  });

  it('comes back with all others when nothing is known any more', () => {
    const paths = new LeftOutPaths(3, { waitNs: 1_000, waitRtts: 10, longestNs: 6_000 });
    paths.add(1, 100, 0);
    paths.add(3, 100, 0);
    paths.clear(500);
    expect(paths.take(100, 1e9)).toBe(0);
    expect(paths.returnedAt(3)).toBe(500);
  });
});

const LASTING = { ...OPTIONS, returns: { waitNs: 1e6, waitRtts: 1, longestNs: 1e8 } };
const DEAD = 3;
const RTT_NS = 10_000;

function makePaths(): { paths: PeerPaths; counters: { pathEvictions: number } } {
  const counters = { pathEvictions: 0 };
  return { paths: new PeerPaths(counters), counters };
}

/** Credits of one flow, each of which a frame of 12 kbit answers after an RTT unless its path is dead; returns their path ids. */
function flow(spraying: Spraying, credits: number, fromNs: number): number[] {
  const random = new SeededRandom(fromNs + 1);
  return Array.from({ length: credits }, (_, credit) => {
    const nowNs = fromNs + credit * 1000;
    const path = spraying.next(random, credit > 0, nowNs);
    if (path !== DEAD) spraying.arrived(path, 12_000, nowNs, nowNs + RTT_NS);
    return path;
  });
}

describe('what is known of the paths to a peer', () => {
  it('is learned by flows together of which none has enough data, and holds for the next from its first credit', () => {
    const { paths } = makePaths();
    for (let number = 0; number < 4; number++) flow(paths.spraying(7, LASTING, number * 1e5), 20, number * 1e5);
    const spraying = paths.spraying(7, LASTING, 4e5);
    expect(spraying.validPaths).toBe(3);
    expect(flow(spraying, 20, 4e5)).not.toContain(DEAD);
  });

  it('is of that peer alone', () => {
    const { paths } = makePaths();
    flow(paths.spraying(7, LASTING, 0), 200, 0);
    expect(paths.spraying(7, LASTING, 3e5).validPaths).toBe(3);
    expect(paths.spraying(8, LASTING, 3e5).validPaths).toBe(4);
  });

  it('is forgotten when nothing has come for the longest wait', () => {
    const { paths } = makePaths();
    flow(paths.spraying(7, LASTING, 0), 200, 0);
    const lastNs = 199_000 + RTT_NS;
    expect(paths.spraying(7, LASTING, lastNs + 1e8).validPaths).toBe(3);
    expect(paths.spraying(7, LASTING, lastNs + 1e8 + 2000).validPaths).toBe(4);
  });

  it('begins anew for flows that spread their credits otherwise', () => {
    const { paths } = makePaths();
    const first = paths.spraying(7, LASTING, 0);
    expect(paths.spraying(7, { ...LASTING, returns: { ...LASTING.returns } }, 1)).toBe(first);
    expect(paths.spraying(7, { ...LASTING, paths: 8 }, 1)).not.toBe(first);
  });

  it('is kept for the peers whose flows began last, and evictions are counted', () => {
    const { paths, counters } = makePaths();
    const first = paths.spraying(0, LASTING, 0);
    const second = paths.spraying(1, LASTING, 0);
    for (let peer = 2; peer < MAX_PEERS; peer++) paths.of(peer);
    expect(paths.spraying(0, LASTING, 0)).toBe(first);
    expect(counters.pathEvictions).toBe(0);
    paths.of(MAX_PEERS);
    expect(counters.pathEvictions).toBe(1);
    expect(paths.spraying(0, LASTING, 0)).toBe(first);
    expect(paths.spraying(1, LASTING, 0)).not.toBe(second);
  });

  it('has the path of the latest credit from the peer, and makes no entry for who asks', () => {
    const { paths } = makePaths();
    expect(paths.latestId(5)).toBe(0);
    paths.of(5).latestId = 3;
    expect([paths.latestId(5), paths.latestId(6)]).toEqual([3, 0]);
  });
});

const seed = 7;

function drawn(table: PathTable, count: number, random = new SeededRandom(seed)): number[] {
  return Array.from({ length: count }, () => table.draw(random));
}

describe('a path table', () => {
  it('gives each path once in every round, in another order each time', () => {
    const table = new PathTable(5, true);
    const random = new SeededRandom(seed);
    const rounds = Array.from({ length: 50 }, () => drawn(table, 5, random));
    for (const round of rounds) expect([...round].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(new Set(rounds.map(String)).size).toBeGreaterThan(30);
  });

  it('draws from what is left of the round: hand-computed', () => {
    // Left [1,2,3,4]: 0.5 takes index 2. Left [1,2,4]: 0 takes 1. Left [4,2]: 0.9 takes 2. Left [4].
    const numbers = [0.5, 0, 0.9, 0.3];
    const table = new PathTable(4, true);
    const random = { next: () => numbers.shift() ?? 0, uint32: () => 0 };
    expect([1, 2, 3, 4].map(() => table.draw(random))).toEqual([3, 1, 2, 4]);
  });

  it('at random gives each path as often, and the same one twice in a row', () => {
    const draws = drawn(new PathTable(4, false), 4000);
    const counts = [1, 2, 3, 4].map((path) => draws.filter((each) => each === path).length);
    // Five standard deviations of a binomial with mean 1000.
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(137);
    const repeats = draws.filter((path, at) => path === draws[at - 1]).length;
    expect(Math.abs(repeats - 1000)).toBeLessThan(137);
  });

  it.each([true, false])('leaves a path out at once and takes it back, uniform %s', (uniform) => {
    const table = new PathTable(4, uniform);
    const random = new SeededRandom(seed);
    table.draw(random);
    expect(table.exclude(2)).toBe(true);
    expect(table.exclude(2)).toBe(false);
    expect(table.isValid(2)).toBe(false);
    expect(drawn(table, 100, random)).not.toContain(2);
    table.restore(2);
    table.restore(2);
    expect(table.validPaths).toBe(4);
    expect(drawn(table, 100, random)).toContain(2);
  });

  it('keeps the last path', () => {
    const table = new PathTable(3, true);
    expect([1, 2, 3].map((path) => table.exclude(path))).toEqual([true, true, false]);
    expect(drawn(table, 5)).toEqual([3, 3, 3, 3, 3]);
    table.restoreAll();
    expect(table.validPaths).toBe(3);
  });
});
