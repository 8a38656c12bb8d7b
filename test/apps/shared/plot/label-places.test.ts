import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LabelledPoint, type LabelPlace, placeLabels } from '../../../../src/apps/shared/plot/label-places.js';

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
