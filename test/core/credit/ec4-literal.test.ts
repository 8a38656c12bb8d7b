import { describe, expect, it } from 'vitest';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { course, expectCourse } from './ec4-course.js';
import { creditSample, ROUND_LINK } from './sample.js';

const start = (parameters = {}) => creditAlgorithm('ec4-literal', ROUND_LINK, { initial_rate: 0.25, ...parameters });

describe('ec4-literal, by hand from Algorithm 1', () => {
  it('takes these steps at 1 Gbit/s', () => {
    const found = course(start(), [{ marked: 5 }, { dropped: 2 }, {}, {}, {}, {}, {}, { marked: 10 }]);
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
    const algorithm = start({ mode_threshold: 0 });
    course(algorithm, [{}, { dropped: 5 }]);
    // Sent at 500 Mbit/s, half lost: 500 * 0.5 * 1.1
    expect(algorithm.rateBps / 1e6).toBeCloseTo(275, 6);
  });

  it('goes on with the second half of the listing in HIGH mode where it is told to', () => {
    const algorithm = start({ mode_threshold: 0, high_goes_on: 1 });
    course(algorithm, [{}, { dropped: 5 }]);
    // As above, and the same loss once more: 275 * 0.5
    expect(algorithm.rateBps / 1e6).toBeCloseTo(137.5, 6);
  });

  it('wants more marks where the target says so', () => {
    const found = course(start({ target_ecn_ratio: 0.5 }), [{ marked: 5 }, { marked: 6 }]);
    expect(found.map(([, , , mode]) => mode)).toEqual([1, 0]);
  });

  it('does not take the loss of all credits for a network without marks', () => {
    const found = course(start(), [{ dropped: 10 }, { dropped: 10 }]);
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

  it('learns nothing from a sample without credits', () => {
    const algorithm = start();
    algorithm.update(creditSample({ known: 0 }));
    expect(algorithm.rateBps).toBe(250e6);
  });
});
