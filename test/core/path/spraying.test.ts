import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { Spraying } from '../../../src/core/path/spraying.js';

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
