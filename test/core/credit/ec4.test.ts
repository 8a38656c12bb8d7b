import { describe, expect, it } from 'vitest';
import type { CreditAlgorithm } from '../../../src/core/credit/algorithm.js';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

/** Rates in Mbit/s, w, alpha and mode after each update. */
function course(algorithm: CreditAlgorithm, samples: readonly Parameters<typeof creditSample>[0][]): number[][] {
  return samples.map((sample) => {
    algorithm.update(creditSample(sample));
    const { w, alpha, mode } = algorithm.state();
    return [algorithm.rateBps / 1e6, w, alpha, mode];
  });
}

function expectCourse(found: readonly number[][], expected: readonly number[][]): void {
  for (const [step, values] of expected.entries())
    for (const [index, value] of values.entries())
      expect(found[step][index], `step ${step}, value ${index}`).toBeCloseTo(value, 6);
}

/** A frame an RTT is 8 Mbit/s on this link. */
const start = (parameters = {}) => creditAlgorithm('ec4', ROUND_LINK, { initial_rate: 0.25, ...parameters });

const rates = (found: readonly number[][]) => found.map(([rate]) => rate);

describe('ec4, by hand', () => {
  it('takes these steps at 1 Gbit/s', () => {
    const found = course(start(), [
      { marked: 5 },
      { dropped: 2 },
      {},
      {},
      { marked: 10 },
      { marked: 10 },
      { marked: 10 },
    ]);
    expectCourse(found, [
      // The first marks: alpha is their share, w = (0.5 + 0.05) / 2; (250 + half a frame an RTT) * (1 - 0.5 / 2)
      [190.5, 0.275, 0.5, 0],
      // None marked: alpha * 15 / 16. A fifth of the credits lost changes nothing. w = (0.275 + 0.05) / 2, and 0.16 * (1000 - 190.5) is more than a frame
      [198.5, 0.1625, 0.46875, 1],
      [206.5, 0.10625, 0.439453125, 2],
      [214.5, 0.078125, 0.411987305, 3],
      // All marked: alpha = 0.411987 * 15 / 16 + 1 / 16, 214.5 * (1 - alpha / 2)
      [166.372838974, 0.0640625, 0.448738098, 0],
      // The marks of frames whose credits were sent before the decrease
      [166.372838974, 0.05703125, 0.483191967, 0],
      // The overload goes on
      [123.490866214, 0.053515625, 0.515492469, 0],
    ]);
  });

  it('goes below a frame an RTT where it may: a frame more without a mark, alpha / 2 less with one', () => {
    const one = { known: 1, dataFrames: 1, spanNs: 0 };
    const below = start({ min_frames: 0.1, initial_rate: 0.006 });
    const found = course(below, [{ ...one, marked: 1 }, { ...one, marked: 1 }, { ...one, marked: 1 }, one]);
    expect(rates(found)).toEqual([3e6, 1.5e6, 0.8e6, 8.8e6].map((bps) => bps / 1e6));
    expect(below.hastens).toBe(true);
    const mixed = start({ min_frames: 0.1, initial_rate: 0.006 });
    // alpha is the first share of marks: (6 + 8) * (1 - 0.5 / 2)
    expect(rates(course(mixed, [{ known: 2, dataFrames: 2, marked: 1, spanNs: 0 }]))).toEqual([10.5]);
    expect(start().hastens).toBe(false);
  });

  it('does not start slowly when it comes from below a frame an RTT', () => {
    const one = { known: 1, dataFrames: 1, spanNs: 0 };
    const quiet = { known: 1, spanNs: 0 };
    // alpha is 1: 4.8 / 2, a frame more for the unmarked one, then the frame a round trip of congestion avoidance
    expect(
      rates(course(start({ min_frames: 0.1, initial_rate: 0.0048 }), [{ ...one, marked: 1 }, quiet, quiet])),
    ).toEqual([2.4, 10.4, 18.4]);
    // 16.8 / 2 is above a frame: one for the unmarked frame as well, but two at most, and the frame a round trip
    const above = course(start({ min_frames: 0.1, initial_rate: 0.0168 }), [{ ...one, marked: 1 }, quiet]);
    expect(rates(above)).toEqual([8.4, 8.4 + 7.6 + 8]);
  });

  it('is ExpressPass until the first mark', () => {
    const expresspass = creditAlgorithm('expresspass', ROUND_LINK, { initial_rate: 0.25 });
    const samples = [{}, {}, { dropped: 5 }, {}, { dropped: 1 }, {}, {}, {}];
    expect(rates(course(start(), samples))).toEqual(rates(course(expresspass, samples)));
  });

  it('is ExpressPass again after more than mode_threshold updates without marks', () => {
    const found = course(start({ mode_threshold: 2 }), [{ marked: 10 }, {}, {}, {}, {}]);
    expect(found.map(([, , , mode]) => mode)).toEqual([0, 1, 2, 3, 3]);
    // (1 - w) * 149 + w * 1100 with w = 0.078125, that of LOW mode: the first increase of ExpressPass takes it as it is
    expectCourse(found.slice(4), [[223.296875, 0.078125]]);
  });

  it('leans no further than w says', () => {
    // w = 0.5, 0.2505, ...: the second step is w * (1000 - 125) with w_mid 0.001
    const found = course(start({ w_mid: 0.001, w_init: 0.001 }), [{ marked: 10 }, {}]);
    expectCourse(found, [
      [125, 0.001],
      [125.875, 0.001],
    ]);
  });

  it('grows by time, where an update comes late', () => {
    const [marked, quiet] = rates(course(start(), [{ marked: 10 }, { elapsedNs: 3e6 }]));
    expect(quiet - marked).toBeCloseTo(3 * 8, 6);
  });

  it('sends at most four times what came through, in LOW mode', () => {
    // Credits of 500 Mbit/s, of which a tenth came: 4 * 50, then the step of a frame
    const found = course(start({ initial_rate: 1 }), [{ marked: 1, dropped: 5 }, { dropped: 9 }]);
    expect(rates(found)[1]).toBeCloseTo(200 + 8, 6);
  });

  it('slows down by the loss itself where it may go below a frame a round trip', () => {
    const found = rates(course(start({ min_frames: 0.1 }), [{ marked: 10 }, { dropped: 2 }]));
    expect(found[1]).toBeCloseTo(0.8 * found[0], 6);
  });

  it('slows down as a window does when the round trip becomes longer', () => {
    const samples = [{ marked: 10 }, { rttNs: 2e6, elapsedNs: 1.75e6 }];
    // The latest RTT weighs three quarters: 125 Mbit/s of a round trip of 1 ms over one of 1.75 ms, and a frame in that
    const [, rate] = rates(course(start(), samples));
    expect(rate).toBeCloseTo((125 + 8) / 1.75, 6);
  });

  it('goes by the latest RTT, whatever the smoothed one is', () => {
    const samples = [{ marked: 10 }, { latestRttNs: 0.5e6, elapsedNs: 0.625e6 }];
    const [, rate] = rates(course(start(), samples));
    expect(rate).toBeCloseTo((125 + 8) / 0.625, 6);
  });

  it('slows down by less where an update comes after several round trips: its queue was another in most of them', () => {
    const [, rate] = rates(course(start(), [{ marked: 10 }, { rttNs: 2e6, elapsedNs: 7e6 }]));
    // The fourth root, as the update is of four round trips of 1.75 ms, and a frame in each of them
    expect(rate).toBeCloseTo(125 * (1 / 1.75) ** 0.25 + (4 * 8) / 1.75, 6);
  });

  it('starts slowly again below two frames a round trip', () => {
    const algorithm = start();
    const all = Array.from({ length: 60 }, () => ({ marked: 10 }));
    expect(rates(course(algorithm, all)).at(-1)).toBe(8);
    // One frame, and one for each without a mark, up to two; then the frame a round trip
    expect(rates(course(algorithm, [{ known: 1 }]))).toEqual([24]);
  });

  it('wants more marks where the target says so', () => {
    const found = course(start({ target_ecn_ratio: 0.5 }), [{ marked: 6 }, { marked: 5 }, { marked: 6 }]);
    expect(found.map(([, , , mode]) => mode)).toEqual([0, 1, 0]);
  });

  it('does not take the loss of all credits for a network without marks', () => {
    const found = course(start(), [{ marked: 10 }, { dropped: 10 }, { dropped: 10 }]);
    expect(found.slice(1).map(([rate, , , mode]) => [rate, mode])).toEqual([
      [8, 0],
      [8, 0],
    ]);
  });

  it('starts at the rate of the link, and is not above it in LOW mode', () => {
    const algorithm = creditAlgorithm('ec4', ROUND_LINK, { g: 0.001 });
    expect(algorithm.rateBps).toBe(1e9);
    for (let update = 0; update < 50; update++) algorithm.update(creditSample());
    expect(algorithm.rateBps / 1e6).toBeCloseTo(1100, 3);
    algorithm.update(creditSample({ marked: 1 }));
    expect(algorithm.rateBps).toBeLessThanOrEqual(1e9);
  });
});

const literal = (parameters = {}) => creditAlgorithm('ec4-literal', ROUND_LINK, { initial_rate: 0.25, ...parameters });

describe('ec4-literal, by hand from Algorithm 1', () => {
  it('takes these steps at 1 Gbit/s', () => {
    const found = course(literal(), [{ marked: 5 }, { dropped: 2 }, {}, {}, {}, {}, {}, { marked: 10 }]);
    expectCourse(found, [
      // Half marked: alpha = 0.5 / 16, tmp = 250 * (1 - alpha / 2); no loss: w = (0.5 + 0.05) / 2, 0.725 * tmp + 0.275 * 1000
      [453.41796875, 0.275, 0.03125, 0],
      // None marked: alpha * 15 / 16, tmp = 453.4 * (1 + alpha / 2); a fifth lost: tmp * 0.8, w / 2
      [368.047866821, 0.1375, 0.029296875, 1],
      // None marked, none lost: w = (0.1375 + 0.05) / 2
      [431.873900568, 0.09375, 0.02746582, 2],
      [477.868529354, 0.071875, 0.025749207, 3],
      [515.102282555, 0.0609375, 0.024139881, 4],
      // Mode 4 is HIGH: ExpressPass, the first increase with the same w: 0.939 * 515.1 + 0.061 * 1100
      [550.744487212, 0.0609375, 0.024139881, 4],
      // The second: w = (0.061 + 0.5) / 2
      [704.793494314, 0.28046875, 0.024139881, 4],
      // All marked: LOW again
      [728.528841192, 0.165234375, 0.085131139, 0],
    ]);
  });

  it('takes what it lost off the rate at which it sent, in HIGH mode', () => {
    const algorithm = literal({ mode_threshold: 0 });
    course(algorithm, [{}, { dropped: 5 }]);
    // Sent at 500 Mbit/s, half lost: 500 * 0.5 * 1.1
    expect(algorithm.rateBps / 1e6).toBeCloseTo(275, 6);
  });

  it('goes on with the second half of the listing in HIGH mode where it is told to', () => {
    const algorithm = literal({ mode_threshold: 0, high_goes_on: 1 });
    course(algorithm, [{}, { dropped: 5 }]);
    // As above, and the same loss once more: 275 * 0.5
    expect(algorithm.rateBps / 1e6).toBeCloseTo(137.5, 6);
  });

  it('wants more marks where the target says so', () => {
    const found = course(literal({ target_ecn_ratio: 0.5 }), [{ marked: 5 }, { marked: 6 }]);
    expect(found.map(([, , , mode]) => mode)).toEqual([1, 0]);
  });

  it('does not take the loss of all credits for a network without marks', () => {
    const found = course(literal(), [{ dropped: 10 }, { dropped: 10 }]);
    expect(found.map(([rate, , , mode]) => [rate, mode])).toEqual([
      [8, 0],
      [8, 0],
    ]);
  });

  it('starts at the rate of the link, and goes above it in HIGH mode only, as ExpressPass does', () => {
    const algorithm = creditAlgorithm('ec4-literal', ROUND_LINK);
    expect(algorithm.rateBps).toBe(1e9);
    const found = course(algorithm, [{}, {}, {}, {}]).map(([rate]) => rate);
    expect(found).toEqual([1000, 1000, 1000, 1000]);
    for (let update = 0; update < 50; update++) algorithm.update(creditSample());
    expect(algorithm.rateBps / 1e6).toBeCloseTo(1100, 3);
    algorithm.update(creditSample({ marked: 1 }));
    expect(algorithm.rateBps).toBeLessThanOrEqual(1e9);
  });
});
