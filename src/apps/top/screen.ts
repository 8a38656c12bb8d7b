// Tested by test/apps/top/view.test.ts
import { styleText } from 'node:util';
import { displayCount, displayDuration, printable } from '../../base/display.js';
import { tableLines } from '../../report/table.js';
import type { FlowRow, PortRow, TopView } from './view.js';

/** By what the rows of ports are sorted, the largest first; `name` in their own order. */
export const SORTS = ['load', 'queue', 'credits', 'drops', 'marks', 'name'] as const;
export type Sort = (typeof SORTS)[number];

export interface ScreenState {
  readonly address: string;
  readonly sort: Sort;
  readonly isPaused: boolean;
  /** Why the process does not answer; null while it does. */
  readonly trouble: string | null;
  /** The first port that is shown. */
  readonly from: number;
  /** Lines that there is room for. */
  readonly rows: number;
  readonly hasColors: boolean;
}

/** Lines of drops and of flows at most, so that ports keep half of a small terminal (ours). */
const MOST_FLOWS = 5;
const MOST_DROPS = 3;
const KEYS = 'q quit  p pause  s or left/right sort  up/down scroll';

/** Everything for a terminal, in at most `rows` lines of 80 columns. */
export function screenLines(view: TopView | null, state: ScreenState): string[] {
  const bold = (text: string): string => (state.hasColors ? styleText('bold', text, { validateStream: false }) : text);
  const marks = [state.isPaused ? '[paused]' : '', state.trouble === null ? '' : `[${state.trouble}]`].filter(Boolean);
  const title = bold(printable(['xpass top', state.address, ...marks].join('  ')).slice(0, COLUMNS));
  if (view === null)
    return [title, state.trouble === null ? 'waiting for two readings' : '', KEYS].slice(0, state.rows);
  const flows = flowLines(view.flows.slice(0, MOST_FLOWS));
  const drops = dropLines(view);
  const fixed = 2 + flows.length + drops.length + 1;
  const ports = portLines(view, state, Math.max(0, state.rows - fixed - 2));
  const titled = (lines: string[]): string[] => lines.map((line, at) => (at === 0 ? bold(line) : line));
  return [title, summaryLine(view), ...titled(ports), ...titled(flows), ...drops, KEYS].slice(0, state.rows);
}

const COLUMNS = 80;
const MEBIBYTE = 2 ** 20;

/** The same as text that stays: all ports, no keys. */
export function onceLines(view: TopView, state: Pick<ScreenState, 'address' | 'sort'>): string[] {
  const whole: ScreenState = {
    ...state,
    isPaused: false,
    trouble: null,
    from: 0,
    rows: Number.MAX_SAFE_INTEGER,
    hasColors: false,
  };
  return [
    `xpass top  ${state.address}`,
    summaryLine(view),
    ...portLines(view, whole, view.ports.length),
    ...flowLines(view.flows),
    ...dropLines(view),
  ];
}

function summaryLine({ cpu, memoryBytes, upS, associations, attached, inPerS, outPerS }: TopView): string {
  const parts = [
    upS === null ? '' : `up ${displayDuration(upS * 1e9)}`,
    cpu === null ? '' : `cpu ${(cpu * 100).toFixed(0)}%`,
    memoryBytes === null ? '' : `memory ${(memoryBytes / MEBIBYTE).toFixed(0)} MiB`,
    associations === null ? '' : `associations ${associations}`,
    attached === null ? '' : `attached ${attached}`,
    `in ${scaled(inPerS)}/s`,
    `out ${scaled(outPerS)}/s`,
  ];
  return parts.filter(Boolean).join('  ').slice(0, COLUMNS);
}

const VALUES: Readonly<Record<Exclude<Sort, 'name'>, (row: PortRow) => number>> = {
  load: ({ load, rateBps }) => load ?? rateBps / Number.MAX_SAFE_INTEGER,
  queue: ({ queueBytes }) => queueBytes,
  credits: ({ creditsPerS }) => creditsPerS,
  drops: ({ creditDropsPerS, dropsPerS }) => dropsPerS + creditDropsPerS,
  marks: ({ marksPerS }) => marksPerS,
};

export function sortedPorts(ports: readonly PortRow[], sort: Sort): readonly PortRow[] {
  if (sort === 'name') return ports;
  const value = VALUES[sort];
  return [...ports].sort((a, b) => value(b) - value(a));
}

/** Longer names of ports lose their middle. */
const MOST_NAME = 18;
const MOST_FLOW_NAME = 24;

function portLines(view: TopView, { sort, from }: ScreenState, room: number): string[] {
  if (view.ports.length === 0) return [];
  const sorted = sortedPorts(view.ports, sort);
  const first = Math.max(0, Math.min(from, sorted.length - room));
  const shown = sorted.slice(first, first + room);
  const rest = sorted.length - shown.length;
  const titles = ['load', 'bit/s', 'queue', 'credits/s', 'c-drops/s', 'marks/s', 'drops/s'];
  const head = numbers(titles.map((title) => (title.split('/')[0] === sort ? title.toUpperCase() : title)));
  const rows = shown.map((row) => [
    short(row.name, MOST_NAME),
    row.load === null ? '-' : `${(row.load * 100).toFixed(1)}%`,
    ...[row.rateBps, row.queueBytes, row.creditsPerS, row.creditDropsPerS, row.marksPerS, row.dropsPerS].map(scaled),
  ]);
  const name = rest === 0 ? 'port' : `port (of ${sorted.length})`;
  return tableLines([{ title: name }, ...head], rows);
}

function flowLines(flows: readonly FlowRow[]): string[] {
  if (flows.length === 0) return [];
  const titles = ['open', 'bit/s', 'credits/s', 'c-drops/s', 'marks/s', 'repairs/s'];
  const rows = flows.map((row) => [
    short(`${row.direction} ${row.algorithm}`, MOST_FLOW_NAME),
    displayCount(row.open),
    ...[row.payloadBps, row.creditsPerS, row.creditDropsPerS, row.marksPerS, row.repairsPerS].map(scaled),
  ]);
  return tableLines([{ title: 'flows' }, ...numbers(titles)], rows);
}

function dropLines({ drops, rtt }: TopView): string[] {
  const shown = drops
    .slice(0, MOST_DROPS)
    .map(({ reason, total, perS }) => `${printable(reason)} ${displayCount(total)} (${scaled(perS)}/s)`);
  const dropped = shown.length === 0 ? 'none' : shown.join(', ');
  const times =
    rtt === null ? [] : [`RTT below: ${bound('p50', rtt.p50)}  ${bound('p90', rtt.p90)}  ${bound('p99', rtt.p99)}`];
  return [...times, `drops: ${dropped}`.slice(0, COLUMNS)];
}

function bound(name: string, seconds: number): string {
  return `${name} ${Number.isFinite(seconds) ? displayDuration(seconds * 1e9) : 'beyond all buckets'}`;
}

function numbers(titles: readonly string[]): { title: string; align: 'right' }[] {
  return titles.map((title) => ({ title, align: 'right' }));
}

/** Three digits and a letter, for columns that have to be narrow: `47.6M`, `3.88k`, `12`. */
export function scaled(value: number): string {
  const power = value < 999.5 ? 0 : Math.min(4, Math.floor((Math.log10(value) + PER_MILLE) / 3));
  const size = value / 1000 ** power;
  const decimals = power === 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;
  return `${size.toFixed(decimals)}${' kMGT'[power].trim()}`;
}

/** 999.6 is written with the next letter. */
const PER_MILLE = Math.log10(1000 / 999.5);

function short(text: string, most: number): string {
  const name = printable(text);
  if (name.length <= most) return name;
  return `${name.slice(0, most / 2 - 1)}..${name.slice(1 - most / 2)}`;
}
