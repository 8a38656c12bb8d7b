import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimate, type LabelledPoint, type LabelPlace, placeLabels } from '../../../src/report/plot/marks.js';

const values = fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1, maxLength: 400 });

describe('decimation', () => {
  it('leaves a short line as it is', () => {
    expect(decimate({ x: [1, 2, 3], y: [5, Number.NaN, 6] }, 4)).toEqual({ x: [1, 2, 3], y: [5, Number.NaN, 6] });
  });

  it('keeps a single peak and a single dip of a long line', () => {
    const y = new Float64Array(10_000).fill(5);
    y[1234] = 9;
    y[7777] = 1;
    const thin = decimate({ x: y.map((_, at) => at), y }, 100);
    expect(thin.y[thin.x.indexOf(1234)]).toBe(9);
    expect(thin.y[thin.x.indexOf(7777)]).toBe(1);
  });

  it('has no more points than allowed, in the order of x, each of them a point of the line, with the same extremes', () => {
    fc.assert(
      fc.property(values, fc.integer({ min: 4, max: 60 }), (y, limit) => {
        const thin = decimate({ x: y.map((_, at) => at), y }, limit);
        expect(thin.x.length).toBeLessThanOrEqual(Math.max(limit, Math.min(limit, y.length)));
        expect(thin.x).toEqual([...thin.x].sort((a, b) => a - b));
        expect(thin.y).toEqual(thin.x.map((at) => y[at]));
        expect([Math.min(...thin.y), Math.max(...thin.y)]).toEqual([Math.min(...y), Math.max(...y)]);
      }),
    );
  });

  it('keeps a gap that is wider than a bucket, and the values beside it', () => {
    const y = Array.from({ length: 1000 }, (_, at) => (at >= 400 && at < 600 ? Number.NaN : at));
    const thin = decimate({ x: y.map((_, at) => at), y }, 20);
    const gaps = thin.x.filter((_, at) => Number.isNaN(thin.y[at]));
    expect(gaps.every((at) => at >= 400 && at < 600)).toBe(true);
    expect(gaps).toHaveLength(2);
    expect(thin.y.filter(Number.isFinite)).toHaveLength(16);
  });

  it('keeps the lowest and the highest of a band in each bucket', () => {
    const x = Array.from({ length: 100 }, (_, at) => at);
    const low = x.map((at) => (at === 42 ? -7 : -1));
    const high = x.map((at) => (at === 43 ? 8 : 1));
    const { band } = decimate({ x, y: x.map(() => 0), band: { low, high } }, 10);
    expect([Math.min(...band!.low), Math.max(...band!.high)]).toEqual([-7, 8]);
  });

  it('stops on lines whose parts differ in length', () => {
    expect(() => decimate({ x: [1, 2], y: [1] }, 4)).toThrow('one y for each x');
    expect(() => decimate({ x: [1], y: [1], band: { low: [], high: [2] } }, 4)).toThrow('one range for each x');
  });
});

const ROOM = { left: 0, top: 0, right: 200, bottom: 100 };
const SIZES = { marker: 8, lineHeight: 12 };

describe('labels of points', () => {
  it('stand to the right, or to the left at the right end', () => {
    const [middle, atEnd] = placeLabels([at(50, 50, 30), at(190, 50, 30)], ROOM, SIZES);
    expect(middle).toEqual({ dx: 22, dy: 0 });
    expect(atEnd).toEqual({ dx: -22, dy: 0 });
  });

  it('are left out where no place is free, and where there is no label', () => {
    const crowd = Array.from({ length: 30 }, () => at(100, 50, 30));
    const places = placeLabels(crowd, ROOM, SIZES);
    expect(places.filter((place) => place !== null)).toHaveLength(4);
    expect(placeLabels([at(50, 50, 0)], ROOM, SIZES)).toEqual([null]);
  });

  it('cover neither each other nor any point, and stay inside', () => {
    const points = fc.array(
      fc.record({ x: fc.integer({ min: 0, max: 200 }), y: fc.integer({ min: 0, max: 100 }), width: fc.nat(60) }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(points, (all) => {
        const places = placeLabels(all, ROOM, SIZES);
        const boxes = all.flatMap((point, index) => (places[index] === null ? [] : [boxOf(point, places[index])]));
        const markers = all.map(({ x, y }) => box(x, y, SIZES.marker, SIZES.marker));
        boxes.forEach((one, index) => {
          const others = [...boxes.slice(index + 1), ...markers];
          expect(others.some((other) => overlap(one, other))).toBe(false);
          expect(one.left >= 0 && one.top >= 0 && one.right <= 200 && one.bottom <= 100).toBe(true);
        });
      }),
    );
  });
});

function at(x: number, y: number, width: number): LabelledPoint {
  return { x, y, width };
}

function boxOf({ x, y, width }: LabelledPoint, { dx, dy }: LabelPlace) {
  return box(x + dx, y + dy, width, SIZES.lineHeight);
}

function box(x: number, y: number, width: number, height: number) {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function overlap(a: ReturnType<typeof box>, b: ReturnType<typeof box>): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
