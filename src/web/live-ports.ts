// Tested by test/loopback/live-page.test.ts
/** Ports: a card with queue and credits for each that the reader chooses, and the counts of all. */
import { displayCount, displayPercent, displayRate, displaySize } from '../base/display.js';
import type { LiveDirection, LiveScene, PortNumbers } from '../report/live-data.js';
import type { PageMark } from '../report/page-data.js';
import type { LiveHistory } from './live-history.js';
import { LiveTable } from './live-tables.js';
import { loadPart } from './live-topology.js';
import { Picker } from './picker.js';
import { BINARY, type Level, TimePlot } from './time-plot.js';

/** Cards at most (ours: each is two charts that are drawn ten times a second). */
const MOST_CHOSEN = 8;
/** A direction is busy from this part of its rate on (ours). */
const BUSY = 0.2;
/** The limit of a queue is drawn where the queue comes near it: from this part of it on (ours). */
const NEAR_LIMIT = 0.25;

interface PortRow extends PortNumbers {
  readonly name: string;
  readonly load: number;
  readonly direction: LiveDirection;
}

interface Card {
  readonly element: HTMLElement;
  readonly queue: TimePlot;
  readonly credits: TimePlot;
}

export class PortView {
  /** Directions that have a card. */
  chosen: Set<string> = new Set();
  private isChosen = false;
  private scene: LiveScene | null = null;
  private readonly cards = new Map<string, Card>();
  private readonly place = document.querySelector('#pick-ports') as HTMLElement;
  private readonly target = document.querySelector('#port-charts') as HTMLElement;
  private names = '';
  private picker: Picker | null = null;
  private offered = '';
  private readonly table = new LiveTable<PortRow>('Ports', [
    { title: 'port', isText: true, cell: ({ name }) => name },
    { title: 'rate', cell: ({ direction: { rateBps } }) => (rateBps === null ? 'unlimited' : displayRate(rateBps)) },
    { title: 'load', cell: ({ load, direction }) => (direction.isDown ? 'down' : displayPercent(load)) },
    { title: 'data frames', cell: ({ dataFrames }) => displayCount(dataFrames) },
    { title: 'data', cell: ({ dataBytes }) => displaySize(dataBytes) },
    { title: 'queue', cell: ({ queueBytes }) => displaySize(queueBytes) },
    { title: 'marks', cell: ({ marks }) => displayCount(marks) },
    { title: 'credits', cell: ({ credits }) => displayCount(credits) },
    { title: 'credits dropped', cell: ({ creditDrops }) => displayCount(creditDrops) },
    { title: 'data dropped', cell: ({ dataDrops }) => displayCount(dataDrops) },
    { title: 'lost', cell: ({ lost }) => displayCount(lost) },
  ]);

  constructor() {
    document.querySelector('#ports')?.append(this.table.element);
  }

  show(scene: LiveScene): void {
    this.scene = scene;
    const names = scene.directions.map(({ name }) => name).join('\n');
    if (names === this.names) return;
    this.names = names;
    this.isChosen = false;
    this.choose(new Set());
  }

  /** A card more or less. */
  toggle(name: string): void {
    const chosen = new Set(this.chosen);
    if (!chosen.delete(name)) chosen.add(name);
    this.isChosen = true;
    this.choose(chosen);
  }

  draw(history: LiveHistory, marks: readonly PageMark[]): void {
    const { directions } = this.scene ?? { directions: [] };
    const rows = directions.map((direction, at) => {
      const load = loadPart(direction, history.ports[at]?.loadBps.at(-1) ?? 0);
      return { ...history.numbers(at), name: direction.name, load, direction };
    });
    this.table.show(rows);
    if (!this.isChosen) this.chooseBusiest(rows);
    directions.forEach((direction, at) => {
      const card = this.cards.get(direction.name);
      if (card !== undefined) drawCard(card, direction, { history, at, marks });
    });
  }

  /** Before the reader chooses: the busiest direction, and the other one of its link, in which the credits for it go. */
  private chooseBusiest(rows: readonly PortRow[]): void {
    const [first] = rows.filter(({ load }) => load > BUSY).sort((a, b) => b.load - a.load);
    if (first === undefined) return;
    this.isChosen = true;
    const { link } = first.direction;
    const other = rows.find(({ name, direction }) => direction.link === link && name !== first.name);
    this.choose(new Set([first.name, ...(other === undefined ? [] : [other.name])]));
  }

  private choose(wanted: ReadonlySet<string>): void {
    this.chosen = new Set([...wanted].slice(0, MOST_CHOSEN));
    for (const [name, { element, queue, credits }] of this.cards) {
      if (this.chosen.has(name)) continue;
      for (const plot of [queue, credits]) plot.close();
      element.remove();
      this.cards.delete(name);
    }
    for (const name of this.chosen) if (!this.cards.has(name)) this.addCard(name);
    this.offer();
  }

  private addCard(name: string): void {
    const element = document.createElement('div');
    const title = document.createElement('h3');
    element.className = 'card';
    title.textContent = name;
    const queue = new TimePlot({
      title: `Data queue of ${name}`,
      group: 'live',
      format: displaySize,
      increments: BINARY,
      top: 2048,
    });
    const credits = new TimePlot({
      title: `Credits of ${name}`,
      group: 'live',
      format: (value) => `${displayCount(Math.round(value))}/s`,
      top: 10,
    });
    element.append(title, queue.element, credits.element);
    this.target.append(element);
    this.cards.set(name, { element, queue, credits });
  }

  /** A list that says the same stays, and the focus in it. */
  private offer(): void {
    const { picker: old, chosen } = this;
    if (
      old !== null &&
      this.offered === this.names &&
      old.picked.size === chosen.size &&
      [...chosen].every((name) => old.picked.has(name))
    )
      return;
    this.offered = this.names;
    const isOpen = this.place.querySelector('details')?.open ?? false;
    const picker = new Picker('ports', this.names.split('\n'), this.chosen);
    picker.element.open = isOpen;
    picker.onChange((picked) => {
      this.isChosen = true;
      this.choose(picked);
    });
    this.picker = picker;
    this.place.replaceChildren(picker.element);
  }
}

interface Drawing {
  readonly history: LiveHistory;
  readonly at: number;
  readonly marks: readonly PageMark[];
}

function drawCard({ queue, credits }: Card, direction: LiveDirection, { history, at, marks }: Drawing): void {
  const track = history.ports[at];
  if (track === undefined) return;
  const { queueLimitBytes, markBytes, creditLimit } = direction;
  const highest = track.queueBytes.reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  const levels: Level[] = [
    ...(markBytes === null ? [] : [{ name: 'marks from here', y: markBytes }]),
    ...(highest > NEAR_LIMIT * queueLimitBytes ? [{ name: 'limit', y: queueLimitBytes }] : []),
  ];
  queue.draw(history.timesS, [{ name: 'queue', y: track.queueBytes }], { levels, marks });
  const marking = markBytes === null ? 'marks nothing' : `marks from ${displaySize(markBytes)}`;
  queue.text = `Data queue: limit ${displaySize(queueLimitBytes)}, ${marking}`;
  credits.draw(
    history.timesS,
    [
      { name: 'sent', y: track.creditsPerS },
      { name: 'dropped', y: track.creditDropsPerS },
    ],
    { marks },
  );
  credits.text = `Credits a second: the queue takes ${creditLimit}, more are dropped`;
}
