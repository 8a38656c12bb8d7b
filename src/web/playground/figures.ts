// Tested by test/loopback/playground.test.ts
/** What the playground draws of a run, while it goes on and when it is over. Units stay the same from the first sample to the last. */
import type { PageFigure, PageLine } from '../../report/page-data.js';
import { everyFlow, everyLink, jainLine, sampledRun } from '../../report/run-series.js';
import { rateUnit, timeUnit, type Unit } from '../../report/units.js';
import type { FlowResult, LinkSeries, RunSeries } from '../../sim/result.js';

export interface RunSoFar {
  readonly series: RunSeries;
  /** None while the run goes on. */
  readonly flows: readonly FlowResult[];
  /** Of the whole run: axes go to it. */
  readonly durationNs: number;
  readonly jainWindowsNs: readonly number[];
}

const KILOBYTES: Unit = { name: 'kB', factor: 1e-3 };
const PLAIN: Unit = { name: '', factor: 1 };

/** The same figures in the same order each time; of those about flows and of those about links the lines are the same, too. */
export function figuresOf(run: RunSoFar): PageFigure[] {
  const { series, durationNs } = run;
  const time = timeUnit(durationNs);
  const rate = rateUnit(series.links.reduce((most, { rateBps }) => Math.max(most, rateBps ?? 0), 1e6));
  const sampled = sampledRun({ flows: [...run.flows], jainByWindow: [] }, series);
  const goodput = everyFlow(sampled, ({ goodputBps }) => goodputBps, { time, value: rate });
  const ofLinks = (valuesOf: (link: LinkSeries) => Float64Array, value: Unit) =>
    everyLink(sampled, valuesOf, { time, value });
  const drops = ({ creditDrops, utilisation }: LinkSeries) => creditDrops ?? utilisation.map(() => 0);
  const figure = (yName: string, caption: string, kind: PageFigure['kind'], of: Pick<PageFigure, 'x' | 'lines'>) =>
    toTheEnd({ xName: `time (${time.name})`, yName, caption, kind, ...of }, durationNs * time.factor);
  return [
    figure(`goodput (${rate.name})`, 'Payload that arrived of each flow', 'flows', goodput),
    figure("Jain's index", 'How equal the shares are: 1 is equal', 'flows', jain(run, time)),
    figure('data queue (kB)', 'The most in the data queue of each port', 'links', ofLinks(dataQueue, KILOBYTES)),
    figure('credits dropped', 'Credits that found their queue full, in each interval', 'links', ofLinks(drops, PLAIN)),
  ];
}

function dataQueue({ dataQueueBytes }: LinkSeries): Float64Array {
  return dataQueueBytes;
}

/** Over the first of the scenario's windows that has a sample. */
function jain({ series, flows, jainWindowsNs }: RunSoFar, time: Unit): { x: number[]; lines: PageLine[] } {
  const windowNs = jainWindowsNs.find((each) => each >= series.intervalNs) ?? series.intervalNs;
  const { name, x, y } = jainLine(sampledRun({ flows: [...flows], jainByWindow: [] }, series), windowNs, time);
  return { x: Array.from(x), lines: [{ name, y: Array.from(y, known), isShown: true }] };
}

/** From 0 to the end of the run, with empty places where nothing is known, so that lines grow towards the end. */
function toTheEnd({ x, lines, ...figure }: PageFigure, end: number): PageFigure {
  const before = x.filter((each) => each > 0 && each < end);
  const hasEnd = x.length > before.length;
  const last = hasEnd ? x.length - 1 : -1;
  return {
    ...figure,
    x: [0, ...before, end],
    lines: lines.map((line) => ({
      ...line,
      y: [null, ...line.y.slice(0, before.length).map(known), hasEnd ? known(line.y[last]) : null],
    })),
  };
}

/** Charts have gaps where values are null. */
function known(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}
