import { displayCount, displayPercent, displayRate, displaySize } from '../../base/display.js';
import { countedSince } from '../../base/metric.js';
import { formatDuration } from '../../base/quantities.js';
import { tableLines } from '../../report/table.js';
import { impairmentWords } from '../../scenario/link-text.js';
import type { SwitchReport } from '../../services/control/client.js';
import { DIRECTION_METRICS, type DirectionSnapshot } from '../../switch/link-direction.js';
import { type Column, count, metric, number, tableOf, text } from '../../telemetry/columns.js';
import type { DriverStatistics } from '../../udp/statistics.js';

/** A port: queues, marks and drops since the counts began, the rest since the report before. */
interface PortRow extends DirectionSnapshot {
  /** Time since the report before; null: there is none. */
  readonly spanNs: number | null;
  readonly since: DirectionSnapshot;
  /** Its part of the bytes of all ports among which its switch chooses; null: there is no choice. */
  readonly part: number | null;
}

function of(field: keyof typeof DIRECTION_METRICS, title: string): Column<PortRow> {
  return metric(DIRECTION_METRICS, field, title);
}

function carried({ spanNs, since: { data } }: PortRow): string {
  return spanNs === null ? displaySize(data.wireBytes) : displayRate((8e9 * data.wireBytes) / spanNs);
}

function columnsFor({ ports, choices }: SwitchReport): Column<PortRow>[] {
  const hasLow = ports.some(({ lowCredit }) => lowCredit.frames > 0);
  const low: Column<PortRow>[] = [count('of them low', ({ since }) => since.lowCredit.frames)];
  const paths: Column<PortRow>[] = [
    number('with path id', ({ part, since }) => (part === null ? '-' : displayCount(since.sprayedFrames))),
    number('of equal', ({ part }) => (part === null ? '-' : displayPercent(part))),
  ];
  return [
    of('name', 'port'),
    of('rateBps', 'rate'),
    number('data', carried),
    count('frames', ({ since }) => since.data.frames),
    count('credits', ({ since }) => since.credit.frames),
    ...(hasLow ? low : []),
    count('other', ({ since }) => since.control.frames),
    ...(choices.length > 0 ? paths : []),
    of('dataQueueBytesMean', 'queue mean'),
    of('dataQueueBytesMax', 'queue max'),
    of('creditQueueFramesMax', 'credits max'),
    of('ecnMarks', 'marked'),
    text('dropped', ({ drops }) => counts(drops)),
  ];
}

/**
 * The ports of a switch, one a line: what they carried since the counts began, as rates since `before` where that is given, and what was dropped. Queues of a
 * direction from a host are what the switch holds back of frames that came closer together than the host's NIC would send them. Where a switch
 * chooses among equal paths, two more columns say how; where credits of the low class passed, one more counts them; a line names links that are dead.
 */
export function portLines(report: SwitchReport, before: SwitchReport | null = null): string[] {
  const { columns, rows } = tableOf(columnsFor(report), portRows(report, before));
  const lines = tableLines(columns, rows);
  const { unusedLinks } = report;
  return unusedLinks.length === 0 ? lines : [...lines, `no path uses ${unusedLinks.join(', ')}`];
}

function portRows({ atNs, ports, choices }: SwitchReport, before: SwitchReport | null): PortRow[] {
  const since = ports.map((port, index) =>
    before === null ? port : countedSince(DIRECTION_METRICS, before.ports[index], port),
  );
  const spanNs = before === null ? null : atNs - before.atNs;
  return ports.map((port, index) => {
    const among = choices.find((choice) => choice.includes(index));
    const allBytes = among?.reduce((sum, each) => sum + wireBytes(since[each]), 0);
    const part = allBytes === undefined ? null : wireBytes(since[index]) / allBytes;
    return { ...port, spanNs, since: since[index], part };
  });
}

/** Of all classes: on one side of a network of receivers the choice is that of their credits. */
function wireBytes({ data, credit, control }: DirectionSnapshot): number {
  return data.wireBytes + credit.wireBytes + control.wireBytes;
}

/** Who is attached, and what never entered the switch. */
export function hostLines({ hosts, attachments, door }: SwitchReport): string[] {
  const attached = hosts.filter((host) => host.attached).map(({ name, id }) => `${name} (${id})`);
  const names = attached.length === 0 ? 'none' : attached.join(', ');
  const { expired, refusals } = attachments;
  const lines = [`attached: ${names}, of ${hosts.length} hosts`];
  if (expired + refusals > 0) lines.push(`attachments: ${expired} expired, ${refusals} refused`);
  if (Object.keys(door).length > 0) lines.push(`turned away: ${counts(door)}`);
  return lines;
}

/** What the sockets lost or could not send; nothing when there is nothing to say. */
export function driverLines({ kernelDrops, holdOverflows, problems }: DriverStatistics): string[] {
  const said: string[] = [];
  if (kernelDrops !== null && kernelDrops > 0) said.push(`kernel receive drops ${displayCount(kernelDrops)}`);
  if (holdOverflows > 0) said.push(`frames dropped while held ${displayCount(holdOverflows)}`);
  if (Object.keys(problems).length > 0) said.push(`socket errors ${counts(problems)}`);
  return said.length === 0 ? [] : [`sockets: ${said.join('; ')}`];
}

const SETTING_COLUMNS: readonly Column<DirectionSnapshot>[] = [
  text('port', ({ name }) => name),
  text('rate', ({ rateBps }) => displayRate(rateBps ?? Number.POSITIVE_INFINITY)),
  text('delay', ({ delayNs }) => formatDuration(delayNs)),
  text('impairments', ({ impairment }) => impairmentWords(impairment) || 'none'),
];

/** Ports with their settings. */
export function settingLines(ports: readonly DirectionSnapshot[]): string[] {
  const { columns, rows } = tableOf(SETTING_COLUMNS, ports);
  return tableLines(columns, rows);
}

/** `lost 12, down 3`; a dash for nothing. */
function counts(named: Readonly<Record<string, number>>): string {
  const all = Object.entries(named).map(([name, count]) => `${name} ${displayCount(count)}`);
  return all.length === 0 ? '-' : all.join(', ');
}
