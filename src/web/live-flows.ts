// Tested by test/loopback/live-page.test.ts
/** Flows over time: goodput of those that the reader picks, Jain's index and round trips of all, and what their algorithms have in mind. */
import { displayDuration, displayRate, displaySize } from '../base/display.js';
import type { LiveFlow, LiveScene } from '../report/live-data.js';
import type { PageMark } from '../report/page-data.js';
import { type LiveHistory, PERCENTILE_NAMES } from './live-history.js';
import { LiveTable } from './live-tables.js';
import { Picker } from './picker.js';
import { TimePlot } from './time-plot.js';

/** Flows that are drawn before the reader picks: more cannot be told apart at a glance (ours). */
const FIRST_SHOWN = 8;

interface FlowRow extends LiveFlow {
  readonly goodputBps: number | null;
}

const orDash = (value: number | null, format: (value: number) => string): string =>
  value === null ? '-' : format(value);
const stateText = (state: LiveFlow['state']): string =>
  Object.entries(state)
    .map(([name, value]) => `${name} ${value === null ? '-' : Number(value.toPrecision(4))}`)
    .join(', ');

export class FlowView {
  private readonly goodput = new TimePlot({ title: 'Goodput', group: 'live', format: displayRate });
  private readonly jain = new TimePlot({
    title: "Jain's index",
    group: 'live',
    format: (value) => value.toFixed(3),
    top: 1,
  });
  private readonly rtt = new TimePlot({ title: 'Round-trip time', group: 'live', format: displayDuration });
  private readonly table = new LiveTable<FlowRow>('Flows', [
    { title: 'flow', isText: true, cell: ({ name }) => name },
    { title: 'algorithm', isText: true, cell: ({ algorithm }) => algorithm || '-' },
    { title: 'goodput', cell: ({ goodputBps }) => orDash(goodputBps, displayRate) },
    { title: 'delivered', cell: ({ bytes }) => displaySize(bytes) },
    { title: 'credit rate', cell: ({ rateBps }) => (rateBps === 0 ? '-' : displayRate(rateBps)) },
    { title: 'RTT', cell: ({ rttNs }) => (rttNs === 0 ? '-' : displayDuration(rttNs)) },
    { title: 'state', isText: true, cell: ({ state }) => stateText(state) || '-' },
  ]);
  private readonly place = document.querySelector('#pick-flows') as HTMLElement;
  private picker: Picker | null = null;
  private picked: Set<string> | null = null;
  private names = '';

  constructor() {
    document.querySelector('#flow-charts')?.append(this.goodput.element, this.jain.element, this.rtt.element);
    document.querySelector('#flows')?.append(this.table.element);
  }

  draw({ flowsAre }: LiveScene, history: LiveHistory, marks: readonly PageMark[]): void {
    const { timesS, flows, jain, rttNs, latest } = history;
    this.offer([...flows.keys()]);
    const shown = [...flows].filter(([name], at) => this.picked?.has(name) ?? at < FIRST_SHOWN);
    this.goodput.draw(
      timesS,
      shown.map(([name, { goodputBps }]) => ({ name, y: goodputBps })),
      { marks },
    );
    this.jain.draw(timesS, [{ name: 'index', y: jain }], { marks });
    this.rtt.draw(
      timesS,
      rttNs.map((y, at) => ({ name: PERCENTILE_NAMES[at], y })),
      { marks },
    );
    this.goodput.text = `Goodput over the last second of ${flowsAre}`;
    this.jain.text = `Jain's index of their goodput, all ${flows.size} flows`;
    this.rtt.text = 'Smoothed round-trip times of all flows within the last second';
    const hasRtts = rttNs[0].some((value) => value !== null);
    this.rtt.element.hidden = !hasRtts;
    this.table.show(
      (latest?.flows ?? []).map((flow) => ({ ...flow, goodputBps: flows.get(flow.name)?.goodputBps.at(-1) ?? null })),
    );
    const values: readonly (readonly [string, string])[] = [
      ['flows', String(latest?.flows.length ?? 0)],
      ['goodput', displayRate(sumOf(history))],
      ["Jain's index", orDash(jain.at(-1) ?? null, (value) => value.toFixed(3))],
      ...(hasRtts
        ? PERCENTILE_NAMES.map(
            (name, at) => [`RTT, ${name}`, orDash(rttNs[at].at(-1) ?? null, displayDuration)] as const,
          )
        : []),
    ];
    showFacts(values);
  }

  /** A list to pick from where all cannot be drawn; what the reader has picked stays picked when flows come and go. */
  private offer(names: readonly string[]): void {
    const key = names.join('\n');
    if (key === this.names) return;
    this.names = key;
    this.picker?.element.remove();
    this.picker = null;
    if (names.length <= FIRST_SHOWN) return;
    const isOpen = this.place.querySelector('details')?.open ?? false;
    this.picker = new Picker('flows', names, this.picked ?? new Set(names.slice(0, FIRST_SHOWN)));
    this.picker.element.open = isOpen;
    this.picker.onChange((picked) => {
      this.picked = picked;
    });
    this.place.append(this.picker.element);
  }
}

function sumOf({ flows, latest }: LiveHistory): number {
  return (latest?.flows ?? []).reduce((sum, { name }) => sum + (flows.get(name)?.goodputBps.at(-1) ?? 0), 0);
}

function showFacts(values: readonly (readonly [name: string, value: string])[]): void {
  const list = document.querySelector('#facts') as HTMLElement;
  if (list.children.length !== values.length) {
    list.replaceChildren(
      ...values.map(([name]) => {
        const [entry, term] = [document.createElement('div'), document.createElement('dt')];
        term.textContent = name;
        entry.append(term, document.createElement('dd'));
        return entry;
      }),
    );
  }
  values.forEach(([, value], at) => {
    const cell = list.children[at].lastElementChild as HTMLElement;
    if (cell.textContent !== value) cell.textContent = value;
  });
}
