import { describe, expect, it } from 'vitest';
import { dataRateBps, dataUtilisation, overallUtilisation } from '../../../src/sim/measure/utilisation.js';

const LINK = { rateBps: 1e10, maxFrameBytes: 1472 };

describe('the data share of a link', () => {
  it('is what credits of 88 bytes leave to full frames', () => {
    expect(dataRateBps(LINK)).toBeCloseTo((1e10 * 1538) / 1626, 0);
    expect(dataRateBps({ ...LINK, maxFrameBytes: 8972 })).toBeCloseTo((1e10 * 9038) / 9126, 0);
  });
});

describe('utilisation', () => {
  it('is 1 when each credit in turn is followed by a full frame', () => {
    const turns = 1000;
    expect(dataUtilisation(turns * 1538, (turns * 1626 * 8e9) / 1e10, LINK)).toBeCloseTo(1, 12);
  });

  it('grows with the bytes and falls with the time', () => {
    const one = dataUtilisation(1e6, 1e6, LINK);
    expect(dataUtilisation(2e6, 1e6, LINK)).toBeCloseTo(2 * one, 12);
    expect(dataUtilisation(1e6, 2e6, LINK)).toBeCloseTo(one / 2, 12);
  });

  it('is 0 on an unlimited link and in no time', () => {
    expect(dataUtilisation(1e6, 1e6, { ...LINK, rateBps: Number.POSITIVE_INFINITY })).toBe(0);
    expect(dataUtilisation(0, 0, LINK)).toBe(0);
  });
});

describe('overallUtilisation', () => {
  const links = [
    { name: 'a->b', utilisation: 0.5 },
    { name: 'b->a', utilisation: 0.9 },
    { name: 'b->c', utilisation: 0.7 },
  ];

  it('is the lowest of the bottlenecks, or the highest of all links where none is named', () => {
    expect(overallUtilisation(links, ['a->b', 'b->c'])).toBe(0.5);
    expect(overallUtilisation(links, [])).toBe(0.9);
    expect(overallUtilisation([], [])).toBe(0);
  });
});
