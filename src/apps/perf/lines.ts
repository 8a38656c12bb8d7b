import type { Interval } from './intervals.js';
import type { Format } from './kinds.js';
import { lostOf, type Stream, streamOf } from './streams.js';
import type { ClientResult, TestTerms } from './test-terms.js';

/** iperf3's lines for people (its manual has samples): the columns where its users look for them. */

const RULE = '- '.repeat(25).trimEnd();
const LETTERS = ['', 'K', 'M', 'G', 'T'];
/** Sizes in powers of 1024, rates in powers of 1000, as iperf3 has them. */
const SIZE_BASE = 1024;
const RATE_BASE = 1000;

interface Row {
  readonly id: string;
  readonly role: string;
  readonly startS: number;
  readonly endS: number;
  readonly bytes: number;
  readonly retransmits?: number | null;
  readonly tail?: string;
}

/** Writes the rows of one test. */
export class TestLines {
  private readonly terms: Pick<TestTerms, 'request' | 'streams'>;
  private readonly format: Format | undefined;

  constructor(terms: Pick<TestTerms, 'request' | 'streams'>, format: Format | undefined) {
    this.terms = terms;
    this.format = format;
  }

  header(): string {
    return `[ ID]${this.isBidir ? '[Role]' : ''} Interval           Transfer     Bitrate         Retr`;
  }

  interval(interval: Interval): string[] {
    const { startS, endS, isOmitted, flowBytes, retransmits } = interval;
    const { streams } = this.terms;
    const rows = streams.map((stream, at) => ({
      ...this.nameOf(stream),
      startS,
      endS,
      bytes: flowBytes[at] ?? 0,
      retransmits: retransmits[at] ?? null,
      tail: isOmitted ? '(omitted)' : '',
    }));
    const lines = this.withSums(rows, (row) => this.row(row));
    return rows.length > 1 ? [...lines, RULE] : lines;
  }

  /** By the word of the receivers; what was sent besides is not data of the test. */
  end(result: ClientResult): string[] {
    const rows = this.terms.streams.map((stream, at) => {
      const { report, index } = streamOf(result.reports, at);
      const lost = lostOf(result, stream, at);
      const bytes = report.received.flowBytes[index] ?? 0;
      return { ...this.nameOf(stream), startS: 0, endS: report.received.durationNs / 1e9, bytes, retransmits: lost };
    });
    const both = (row: Row): string[] => [
      this.row({ ...row, tail: 'sender' }),
      this.row({ ...row, retransmits: null, tail: 'receiver' }),
    ];
    // Several rows have had it behind their last interval.
    const rule = rows.length > 1 && result.intervals.length > 0 ? [] : [RULE];
    return [...rule, this.header(), ...this.withSums(rows, both)];
  }

  private get isBidir(): boolean {
    return this.terms.request.direction === 'both';
  }

  private nameOf({ socket, isSender }: Stream): Pick<Row, 'id' | 'role'> {
    return { id: String(socket).padStart(3), role: this.isBidir ? `[${isSender ? 'TX' : 'RX'}-C]` : '' };
  }

  /** The rows of each direction, and behind them their sum where there are several. */
  private withSums(rows: readonly Row[], say: (row: Row) => string | string[]): string[] {
    const { flows } = this.terms.request;
    return rows.flatMap((row, at) => {
      const isLast = flows > 1 && at % flows === flows - 1;
      const group = rows.slice(at + 1 - flows, at + 1);
      return [say(row), isLast ? say(sumOf(group)) : []].flat();
    });
  }

  private row({ id, role, startS, endS, bytes, retransmits = null, tail = '' }: Row): string {
    const span = `${startS.toFixed(2).padStart(6)}-${endS.toFixed(2).padEnd(6)}`;
    const size = transfer(bytes, this.format);
    const rate = bitrate((bytes * 8) / (endS - startS), this.format);
    const lost = (retransmits === null ? '' : String(retransmits)).padStart(4);
    return `[${id}]${role} ${span} sec  ${size}  ${rate} ${lost}  ${tail}`.trimEnd();
  }
}

function sumOf(rows: readonly Row[]): Row {
  const retransmits = rows.map((row) => row.retransmits ?? null);
  return {
    ...rows[0],
    id: 'SUM',
    bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
    retransmits: retransmits.includes(null) ? null : retransmits.reduce<number>((sum, count) => sum + (count ?? 0), 0),
  };
}

/** ` 121 MBytes`: in the unit that fits, or that of a format in capitals. */
export function transfer(bytes: number, format?: Format): string {
  const isForced = format !== undefined && format === format.toUpperCase();
  return `${scaled(bytes, SIZE_BASE, isForced ? format : undefined)}Bytes`;
}

/** `1.02 Gbits/sec`, or bytes for a format in capitals. */
export function bitrate(rateBps: number, format?: Format): string {
  if (format !== undefined && format === format.toUpperCase())
    return `${scaled(rateBps / 8, SIZE_BASE, format)}Bytes/sec`;
  return `${scaled(rateBps, RATE_BASE, format)}bits/sec`;
}

function scaled(value: number, base: number, format: Format | undefined): string {
  if (!Number.isFinite(value)) return '   - ';
  const fitting = Math.floor(Math.log(Math.max(1, value)) / Math.log(base));
  const power = format === undefined ? Math.min(LETTERS.length - 1, fitting) : LETTERS.indexOf(format.toUpperCase());
  const number = value / base ** power;
  const digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return `${number.toFixed(digits).padStart(4)} ${LETTERS[power]}`;
}

/** Bars of a distribution over its classes, at most `columns` wide. */
export function histogramLines(bars: readonly (readonly [upToUs: number, count: number])[], columns = 40): string[] {
  const most = Math.max(1, ...bars.map(([, count]) => count));
  return bars.map(([upToUs, count]) => {
    const bar = '#'.repeat(count === 0 ? 0 : Math.max(1, Math.round((columns * count) / most)));
    return `< ${String(upToUs).padStart(9)} us ${String(count).padStart(9)} ${bar}`.trimEnd();
  });
}
