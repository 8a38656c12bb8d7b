// Tested by test/loopback/perf.test.ts and test/loopback/perf-server.test.ts
import { printable } from '../../base/display.js';
import type { Document } from '../../telemetry/document.js';
import type { Results } from '../shared/results.js';
import { type Compared, compared } from './compare.js';
import { endDocument, intervalDocument, NO_END, type Place, startDocument } from './document.js';
import type { Interval } from './intervals.js';
import { bitrate, histogramLines, TestLines } from './lines.js';
import type { PerfOptions } from './options.js';
import { goodputBps, lostFrames, percentileLines, summaryLines, verboseLines } from './report.js';
import type { ClientResult, TestTerms } from './test-terms.js';

export interface PrinterParts {
  readonly results: Pick<Results, 'line' | 'json'>;
  readonly options: Pick<
    PerfOptions,
    'json' | 'jsonStream' | 'jsonStreamFullOutput' | 'format' | 'verbose' | 'getServerOutput'
  >;
  readonly terms: TestTerms;
  readonly version: string;
  /** Of --repeat; only the last run prints the document. */
  readonly isLast: boolean;
  /** Of the runs so far, bit/s, and TCP's of --compare; this one adds its own. */
  readonly goodputs: { readonly ours: number[]; readonly peers: number[] };
}

/** What a client prints of one test: lines for people, events, or one document; the document in any case when the test is over. */
export class ClientPrinter {
  private readonly parts: PrinterParts;
  private readonly lines: TestLines;
  private readonly start: Document[] = [];
  private readonly intervals: Document[] = [];

  constructor(parts: PrinterParts) {
    this.parts = parts;
    this.lines = new TestLines(parts.terms, parts.options.format);
  }

  /** For people alone. */
  say(line: string): void {
    if (this.isForPeople) this.parts.results.line(line);
  }

  /** The host is open. */
  begin(connected: { local: Place; remote: Place } | null): void {
    const { terms, version } = this.parts;
    this.start.push(startDocument({ terms, version, nowMs: Date.now(), connected }));
    this.event('start', this.start[0]);
    if (this.isForPeople) for (const line of this.startLines(connected)) this.parts.results.line(line);
  }

  interval(interval: Interval, isKept: boolean): void {
    const { terms, options, results } = this.parts;
    if (this.isForPeople) {
      for (const line of this.lines.interval(interval)) results.line(line);
      return;
    }
    const document = intervalDocument(interval, terms);
    if (isKept && (options.json || options.jsonStreamFullOutput)) this.intervals.push(document);
    this.event('interval', document);
  }

  /** The test is over: well, with an error, or with figures up to an interrupt and an error. */
  end(result: ClientResult | null, error: string | null): void {
    const { terms, options, results, isLast, goodputs } = this.parts;
    if (result !== null) goodputs.ours.push(goodputBps(result.reports[0].received));
    if (result?.peer) goodputs.peers.push(result.peer.goodputBps);
    const end = result === null ? NO_END : endDocument(result, terms, goodputs);
    if (result !== null && this.isForPeople) for (const line of this.endLines(result)) results.line(line);
    if (error !== null) this.event('error', error);
    this.event('end', end);
    const isWhole = options.jsonStream ? options.jsonStreamFullOutput : options.json;
    if (isWhole && (isLast || error !== null)) results.json(this.document(end, result, error));
  }

  private document(end: Document, result: ClientResult | null, error: string | null): Document {
    const { terms, version, options } = this.parts;
    const start = this.start[0] ?? startDocument({ terms, version, nowMs: Date.now(), connected: null });
    const told = options.getServerOutput ? (result?.serverOutput ?? null) : null;
    return {
      start,
      intervals: this.intervals,
      end,
      ...(typeof told === 'object' && told !== null && { server_output_json: told }),
      ...(error !== null && { error }),
    };
  }

  private get isForPeople(): boolean {
    const { json, jsonStream } = this.parts.options;
    return !json && !jsonStream;
  }

  private event(event: string, data: unknown): void {
    const { options, results } = this.parts;
    if (options.jsonStream) results.json({ event, data });
  }

  private startLines(connected: { local: Place; remote: Place } | null): string[] {
    const { terms, options, version } = this.parts;
    const { request, to } = terms;
    const { direction } = request;
    const where = to === null ? 'a host behind a switch' : `host ${to.host}, port ${to.port}`;
    const named = terms.streams.map(({ socket }) => `[${String(socket).padStart(3)}]`);
    const reverse = `Reverse mode, remote host ${to?.host ?? ''} is sending`;
    return [
      ...(options.verbose ? [`xpass ${version}`, `Cookie: ${request.test}`] : []),
      `Connecting to ${where}`,
      ...(direction === 'reverse' ? [reverse.replace('  ', ' ')] : []),
      ...(connected === null
        ? []
        : named.map((id) => {
            const { local, remote } = connected;
            return `${id} local ${local.host} port ${local.port} connected to ${remote.host} port ${remote.port}`;
          })),
      this.lines.header(),
    ];
  }

  private endLines(result: ClientResult): string[] {
    const { options, goodputs } = this.parts;
    const { exchange, reports, peer } = result;
    return [
      ...this.lines.end(result),
      ...reports.flatMap((report) => ['', ...summaryLines(report), ...(options.verbose ? verboseLines(report) : [])]),
      ...(exchange === null ? [] : exchangeLines(exchange, options.verbose)),
      ...(peer === null ? [] : compareLines(result, compared(peer, goodputs), options.format)),
      ...(options.getServerOutput ? ['', 'Server output:', ...serverLines(result.serverOutput)] : []),
      '',
      'xpass perf done.',
    ];
  }
}

function compareLines(
  { reports: [report] }: ClientResult,
  { goodputsBps, ratio, retransmits, version, congestion }: Compared,
  format: PerfOptions['format'],
): string[] {
  const row = (name: string, rateBps: number, lost: number | null, what: string): string =>
    `${name.padEnd(8)} ${bitrate(rateBps, format)} ${String(lost ?? '').padStart(4)}  ${what}`.trimEnd();
  const isOne = goodputsBps.length === 1;
  return [
    '',
    'over the same path one after the other: goodput and retransmits',
    row('xpass', goodputBps(report.received), lostFrames(report), report.algorithm),
    row('TCP', goodputsBps[goodputsBps.length - 1], retransmits, `${congestion}, ${version}`),
    `ratio    ${ratio.toFixed(3)} of xpass over TCP${isOne ? '' : `, by the means of ${goodputsBps.length} runs`}`,
  ];
}

function serverLines(output: unknown): string[] {
  if (typeof output !== 'string') return ['none: this server does not tell what it printed'];
  return output.split('\n').map(printable);
}

function exchangeLines(exchange: NonNullable<ClientResult['exchange']>, isVerbose: boolean): string[] {
  const { completion, forwardDelay, reverseDelay, uncertaintyUs, histogram } = exchange;
  const clocks =
    uncertaintyUs === null ? [] : [`one way  each off by at most ${uncertaintyUs.toFixed(1)} us, by the clocks`];
  return [
    '',
    `messages ${completion.count} there and back`,
    ...percentileLines([
      ['there and back', completion],
      ['there', forwardDelay],
      ['back', reverseDelay],
    ]),
    ...clocks,
    ...(isVerbose ? histogramLines(histogram) : []),
  ];
}
