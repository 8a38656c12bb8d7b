import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { MAX_PEERS, PeerPaths } from '../../../src/core/path/peer-paths.js';
import type { Spraying } from '../../../src/core/path/spraying.js';

const OPTIONS = {
  paths: 4,
  uniform: true,
  probing: true,
  slowest: 0.1,
  boardBits: 6e5,
  returns: { waitNs: 1e6, waitRtts: 1, longestNs: 1e8 },
};
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
    for (let number = 0; number < 4; number++) flow(paths.spraying(7, OPTIONS, number * 1e5), 20, number * 1e5);
    const spraying = paths.spraying(7, OPTIONS, 4e5);
    expect(spraying.validPaths).toBe(3);
    expect(flow(spraying, 20, 4e5)).not.toContain(DEAD);
  });

  it('is of that peer alone', () => {
    const { paths } = makePaths();
    flow(paths.spraying(7, OPTIONS, 0), 200, 0);
    expect(paths.spraying(7, OPTIONS, 3e5).validPaths).toBe(3);
    expect(paths.spraying(8, OPTIONS, 3e5).validPaths).toBe(4);
  });

  it('is forgotten when nothing has come for the longest wait', () => {
    const { paths } = makePaths();
    flow(paths.spraying(7, OPTIONS, 0), 200, 0);
    const lastNs = 199_000 + RTT_NS;
    expect(paths.spraying(7, OPTIONS, lastNs + 1e8).validPaths).toBe(3);
    expect(paths.spraying(7, OPTIONS, lastNs + 1e8 + 2000).validPaths).toBe(4);
  });

  it('begins anew for flows that spread their credits otherwise', () => {
    const { paths } = makePaths();
    const first = paths.spraying(7, OPTIONS, 0);
    expect(paths.spraying(7, { ...OPTIONS, returns: { ...OPTIONS.returns } }, 1)).toBe(first);
    expect(paths.spraying(7, { ...OPTIONS, paths: 8 }, 1)).not.toBe(first);
  });

  it('is kept for the peers whose flows began last, and evictions are counted', () => {
    const { paths, counters } = makePaths();
    const first = paths.spraying(0, OPTIONS, 0);
    const second = paths.spraying(1, OPTIONS, 0);
    for (let peer = 2; peer < MAX_PEERS; peer++) paths.of(peer);
    expect(paths.spraying(0, OPTIONS, 0)).toBe(first);
    expect(counters.pathEvictions).toBe(0);
    paths.of(MAX_PEERS);
    expect(counters.pathEvictions).toBe(1);
    expect(paths.spraying(0, OPTIONS, 0)).toBe(first);
    expect(paths.spraying(1, OPTIONS, 0)).not.toBe(second);
  });

  it('has the path of the latest credit from the peer, and makes no entry for who asks', () => {
    const { paths } = makePaths();
    expect(paths.latestId(5)).toBe(0);
    paths.of(5).latestId = 3;
    expect([paths.latestId(5), paths.latestId(6)]).toEqual([3, 0]);
  });
});
