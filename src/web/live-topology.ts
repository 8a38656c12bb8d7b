// Tested by test/loopback/live-page.test.ts
/** The network as a drawing: each direction of a link has its own lane, in which its load moves. */
import { displayPercent, displayRate } from '../base/display.js';
import type { LiveDirection, LiveScene } from '../report/live-data.js';
import { layOut, type Place } from './live-layout.js';

const SVG = 'http://www.w3.org/2000/svg';
/** From the middle of a link to each lane, px. */
const LANE = 3.5;
/** Below this part of its rate a direction is empty to an eye (ours). */
const LEAST_LOAD = 0.002;
/** More names than this cannot be read (ours). */
const MAX_NAMES = 40;
const NODE = { width: 34, height: 22, radius: 13 } as const;

interface Lane {
  readonly group: SVGElement;
  readonly load: SVGElement;
  readonly title: SVGElement;
}

export class Topology {
  private readonly target: HTMLElement;
  private readonly pick: (name: string) => void;
  private scene: LiveScene | null = null;
  private readonly lanes = new Map<string, Lane>();
  private svg: SVGElement = make('svg');
  private width = 0;

  /** `pick` is called with the direction that the reader points at. */
  constructor(target: HTMLElement, pick: (name: string) => void) {
    this.target = target;
    this.pick = pick;
    new ResizeObserver(() => {
      if (this.scene !== null && Math.abs(target.clientWidth - this.width) > 1) this.draw(this.scene);
    }).observe(target);
  }

  draw(scene: LiveScene): void {
    this.scene = scene;
    this.width = this.target.clientWidth;
    const { height, places } = layOut(scene, Math.max(240, this.width));
    this.svg = make('svg', { class: 'topology', viewBox: `0 0 ${Math.max(240, this.width)} ${height}`, role: 'img' });
    this.lanes.clear();
    for (const direction of scene.directions) this.addLane(direction, places);
    const isNamed = scene.nodes.length <= MAX_NAMES;
    for (const node of scene.nodes) {
      const place = places.get(node.name);
      if (place !== undefined) this.svg.append(nodeOf(node, place, isNamed));
    }
    this.target.replaceChildren(this.svg);
  }

  /** `loads`: of each direction, bit/s, in their order. */
  show(loads: readonly (number | null)[], chosen: ReadonlySet<string>): void {
    const { scene } = this;
    if (scene === null) return;
    let busiest = { name: '', part: 0 };
    scene.directions.forEach((direction, at) => {
      const part = loadPart(direction, loads[at] ?? 0);
      if (part > busiest.part) busiest = { name: direction.name, part };
      this.showLane(direction, { bps: loads[at] ?? 0, part, isChosen: chosen.has(direction.name) });
    });
    const hosts = scene.nodes.filter(({ isHost, isThere }) => isHost && isThere).length;
    const busy =
      busiest.name === '' ? 'no data moves' : `busiest is ${busiest.name}, ${displayPercent(busiest.part)} loaded`;
    this.svg.setAttribute('aria-label', `Network of ${scene.nodes.length} nodes, ${hosts} hosts attached; ${busy}`);
  }

  private showLane(
    direction: LiveDirection,
    { bps, part, isChosen }: { bps: number; part: number; isChosen: boolean },
  ): void {
    const lane = this.lanes.get(direction.name);
    if (lane === undefined) return;
    const { group, load, title } = lane;
    group.setAttribute('class', `${direction.isDown ? 'down' : ''} ${isChosen ? 'chosen' : ''}`);
    const hidden = part < LEAST_LOAD || direction.isDown;
    load.style.visibility = hidden ? 'hidden' : 'visible';
    const percent = Math.round(100 * Math.min(1, part));
    load.style.stroke = `color-mix(in oklab, var(--orange) ${percent}%, var(--blue))`;
    load.style.strokeWidth = String(1.5 + 3.5 * Math.min(1, part));
    // A dash that starts anew at each sample would jump: the pace has steps.
    load.style.animationDuration = `${[2.4, 1.6, 1.1, 0.8, 0.6][Math.min(4, Math.floor(part * 5))]}s`;
    const state = direction.isDown ? 'down' : `${displayPercent(part)} loaded, ${displayRate(bps)}`;
    title.textContent = `${direction.name}: ${state}`;
  }

  private addLane(direction: LiveDirection, places: ReadonlyMap<string, Place>): void {
    const [from, to] = [places.get(direction.from), places.get(direction.to)];
    if (from === undefined || to === undefined) return;
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [x, y] = [(-(to.y - from.y) * LANE) / length, ((to.x - from.x) * LANE) / length];
    const line = { x1: from.x + x, y1: from.y + y, x2: to.x + x, y2: to.y + y };
    const group = make('g', { 'data-name': direction.name });
    const title = make('title');
    const load = make('line', { class: 'load', ...line });
    // A broad line that nobody sees is easier to point at.
    const target = make('line', { ...line, stroke: 'transparent', 'stroke-width': 9, style: 'cursor: pointer' });
    group.append(title, make('line', { class: 'road', 'stroke-width': 2, ...line }), load, target);
    group.addEventListener('click', () => this.pick(direction.name));
    this.svg.append(group);
    this.lanes.set(direction.name, { group, load, title });
  }
}

/** Part of its rate that data takes. */
export function loadPart({ rateBps }: LiveDirection, bps: number): number {
  return rateBps === null || rateBps === 0 ? 0 : bps / rateBps;
}

function nodeOf({ name, isHost, isThere }: LiveScene['nodes'][number], { x, y }: Place, isNamed: boolean): SVGElement {
  const group = make('g', { class: isThere ? 'node' : 'node away' });
  const title = make('title');
  title.textContent = `${isHost ? 'host' : 'switch'} ${name}${isThere ? '' : ', not attached'}`;
  const { width, height, radius } = NODE;
  const shape = isHost
    ? make('circle', { cx: x, cy: y, r: isNamed ? radius : 5 })
    : make('rect', { x: x - width / 2, y: y - height / 2, width, height, rx: 5 });
  group.append(title, shape);
  if (!isNamed && isHost) return group;
  const label = make('text', { x, y });
  label.textContent = name.length > 4 ? `${name.slice(0, 3)}…` : name;
  group.append(label);
  return group;
}

function make(tag: string, attributes: Readonly<Record<string, string | number>> = {}): SVGElement {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}
