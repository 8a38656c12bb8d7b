/** Where labels of points stand so that none covers a point or another label; the first in the list choose first. */

export interface LabelledPoint {
  /** Its middle, px. */
  readonly x: number;
  readonly y: number;
  /** Of its label; 0: it has none. */
  readonly width: number;
}

/** Middle of the label relative to the middle of its point, px. */
export interface LabelPlace {
  readonly dx: number;
  readonly dy: number;
}

/** Of a rectangle, px from the top left corner of the drawing. */
export interface Edges {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface LabelSizes {
  readonly marker: number;
  readonly lineHeight: number;
}

/** Right, left, above and below, then the corners: how far a label goes to each side, as parts of its way there. */
const DIRECTIONS: readonly (readonly [number, number])[] = [
  [1, 0],
  [-1, 0],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 1],
  [-1, -1],
  [-1, 1],
];

/** One place for each point; null where it has no label, or where no place for it is free. */
export function placeLabels(points: readonly LabelledPoint[], room: Edges, sizes: LabelSizes): (LabelPlace | null)[] {
  const taken: Edges[] = points.map(({ x, y }) => boxAround(x, y, sizes.marker, sizes.marker));
  return points.map((point) => {
    if (point.width === 0) return null;
    const place = candidates(point, sizes).find((one) => isFree(boxOf(point, one, sizes), taken, room));
    if (place !== undefined) taken.push(boxOf(point, place, sizes));
    return place ?? null;
  });
}

function candidates({ width }: LabelledPoint, { marker, lineHeight }: LabelSizes): LabelPlace[] {
  // A label above may stand beside one to the right, which is higher than its point.
  const [aside, above] = [(marker + width) / 2 + 3, (Math.max(marker, lineHeight) + lineHeight) / 2];
  return DIRECTIONS.map(([right, down]) => ({ dx: right * aside, dy: down * above }));
}

function boxOf({ x, y, width }: LabelledPoint, { dx, dy }: LabelPlace, { lineHeight }: LabelSizes): Edges {
  return boxAround(x + dx, y + dy, width, lineHeight);
}

function boxAround(x: number, y: number, width: number, height: number): Edges {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}

function isFree(box: Edges, taken: readonly Edges[], room: Edges): boolean {
  const isInside = box.left >= room.left && box.right <= room.right && box.top >= room.top && box.bottom <= room.bottom;
  return isInside && !taken.some((other) => overlaps(box, other));
}

function overlaps(a: Edges, b: Edges): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
