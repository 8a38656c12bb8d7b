// Tested by test/web/live-layout.test.ts
/** Where hosts and switches stand in a drawing: hosts around their switch or below their switches, switches in rows by their distance from hosts. */
import type { LiveScene } from '../report/live-data.js';

export interface Place {
  readonly x: number;
  readonly y: number;
}

/** Distance of rows, and the least of neighbours within one, px. */
const ROW = 92;
const LEAST_GAP = 34;
const MARGIN = 26;

export interface Layout {
  readonly height: number;
  readonly places: ReadonlyMap<string, Place>;
}

export function layOut({ nodes, directions }: Pick<LiveScene, 'nodes' | 'directions'>, width: number): Layout {
  const switches = nodes.filter(({ isHost }) => !isHost).map(({ name }) => name);
  const hosts = nodes.filter(({ isHost }) => isHost).map(({ name }) => name);
  if (switches.length <= 1) return around(switches[0], hosts, width);
  const neighbours = new Map<string, string[]>(nodes.map(({ name }) => [name, []]));
  for (const { from, to } of directions) neighbours.get(from)?.push(to);
  return inRows(rowsOf(hosts, neighbours), width);
}

/** Hosts on an ellipse around the only switch. */
function around(centre: string | undefined, hosts: readonly string[], width: number): Layout {
  const height = Math.min(416, Math.max(200, width * 0.5));
  const [middle, centreY] = [width / 2, height / 2];
  const places = new Map<string, Place>();
  if (centre !== undefined) places.set(centre, { x: middle, y: centreY });
  hosts.forEach((name, at) => {
    const angle = Math.PI + (2 * Math.PI * at) / hosts.length;
    const x = middle + (middle - 2 * MARGIN) * Math.cos(angle);
    places.set(name, { x, y: centreY + (centreY - MARGIN) * Math.sin(angle) });
  });
  return { height, places };
}

/** Nodes by their distance from the hosts, farthest first; each row in the order of the row below. */
function rowsOf(hosts: readonly string[], neighbours: ReadonlyMap<string, readonly string[]>): string[][] {
  const distances = new Map(hosts.map((name) => [name, 0]));
  const queue = [...hosts];
  for (const name of queue) {
    for (const next of neighbours.get(name) ?? []) {
      if (distances.has(next)) continue;
      distances.set(next, (distances.get(name) ?? 0) + 1);
      queue.push(next);
    }
  }
  // Behind trunks nodes have no hosts here.
  for (const name of neighbours.keys()) if (!distances.has(name)) distances.set(name, 1);
  const rows: string[][] = [];
  for (const [name, distance] of distances) {
    rows[distance] ??= [];
    rows[distance].push(name);
  }
  return rows.reverse();
}

function inRows(rows: readonly string[][], width: number): Layout {
  const perLine = Math.max(1, Math.floor((width - 2 * MARGIN) / LEAST_GAP));
  const lines = rows.flatMap((row) =>
    Array.from({ length: Math.ceil(row.length / perLine) }, (_, at) => row.slice(at * perLine, (at + 1) * perLine)),
  );
  const places = new Map<string, Place>();
  lines.forEach((line, row) => {
    const gap = width / line.length;
    line.forEach((name, at) => {
      places.set(name, { x: gap * (at + 0.5), y: MARGIN + row * ROW });
    });
  });
  return { height: 2 * MARGIN + (lines.length - 1) * ROW, places };
}
