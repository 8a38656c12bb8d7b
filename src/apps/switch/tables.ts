import { formatDuration } from '../../base/quantities.js';
import type { DirectionSnapshot } from '../../switch/link-direction.js';
import type { DriverStatistics } from '../../udp/statistics.js';
import { displayCount, displayPercent, displayRate, displaySize } from '../shared/display.js';
import { impairmentWords } from '../shared/link-settings.js';
import type { SwitchReport } from '../shared/switch-control.js';
import { type Column, tableLines } from '../shared/table.js';

const PORT_COLUMNS: readonly Column[] = [
  { title: 'port' },
  { title: 'rate', align: 'right' },
  { title: 'data', align: 'right' },
  { title: 'frames', align: 'right' },
  { title: 'credits', align: 'right' },
  { title: 'other', align: 'right' },
  { title: 'queue mean', align: 'right' },
  { title: 'queue max', align: 'right' },
  { title: 'credits max', align: 'right' },
  { title: 'marked', align: 'right' },
  { title: 'dropped' },
];
/** Beside those where a switch has a choice: frames with a path id, and the port's part of the bytes of all ports among which its switch chooses. */
const PATH_COLUMNS: readonly Column[] = [
  { title: 'with path id', align: 'right' },
  { title: 'of equal', align: 'right' },
];
/** They stand behind what the port carried. */
const PATH_COLUMNS_AT = 6;
/** Beside all credits, where a port carried some of that class. */
const LOW_COLUMN: Column = { title: 'of them low', align: 'right' };
const LOW_COLUMN_AT = 5;

/**
 * The ports of a switch, one a line: what they carried since the counts began, as rates since `before` where that is given, and what was dropped. Queues of a
 * direction from a host are what the switch holds back of frames that came closer together than the host's NIC would send them. Where a switch chooses among equal paths,
 * two more columns say how; where credits of the low class passed, one more counts them; a line names links that are dead.
 */
export function portLines(report: SwitchReport, before: SwitchReport | null = null): string[] {
  let [columns, rows] = [PORT_COLUMNS, portRows(report, before)];
  if (report.choices.length > 0) {
    columns = columns.toSpliced(PATH_COLUMNS_AT, 0, ...PATH_COLUMNS);
    rows = rows.map((row, index) => row.toSpliced(PATH_COLUMNS_AT, 0, ...pathCells(index, report, before)));
  }
  if (report.ports.some(({ lowCredit }) => lowCredit.frames > 0)) {
    columns = columns.toSpliced(LOW_COLUMN_AT, 0, LOW_COLUMN);
    rows = rows.map((row, index) => row.toSpliced(LOW_COLUMN_AT, 0, lowCell(index, report, before)));
  }
  const lines = tableLines(columns, rows);
  const { unusedLinks } = report;
  return unusedLinks.length === 0 ? lines : [...lines, `no path uses ${unusedLinks.join(', ')}`];
}

function lowCell(index: number, { ports }: SwitchReport, before: SwitchReport | null): string {
  return displayCount(ports[index].lowCredit.frames - (before?.ports[index].lowCredit.frames ?? 0));
}

/** Of the port at `index`; dashes where its switch has no choice. */
function pathCells(index: number, { ports, choices }: SwitchReport, before: SwitchReport | null): string[] {
  const among = choices.find((choice) => choice.includes(index));
  if (among === undefined) return ['-', '-'];
  const sentBytes = (port: number): number =>
    wireBytes(ports[port]) - (before === null ? 0 : wireBytes(before.ports[port]));
  const allBytes = among.reduce((sum, port) => sum + sentBytes(port), 0);
  const sprayed = ports[index].sprayedFrames - (before?.ports[index].sprayedFrames ?? 0);
  return [displayCount(sprayed), displayPercent(sentBytes(index) / allBytes)];
}

/** Of all classes: on one side of a network of receivers the choice is that of their credits. */
function wireBytes({ data, credit, control }: DirectionSnapshot): number {
  return data.wireBytes + credit.wireBytes + control.wireBytes;
}

function portRows(report: SwitchReport, before: SwitchReport | null): string[][] {
  return report.ports.map((port, index) => {
    const earlier = before?.ports[index];
    const data =
      earlier === undefined || before === null
        ? displaySize(port.data.wireBytes)
        : displayRate((8e9 * (port.data.wireBytes - earlier.data.wireBytes)) / (report.atNs - before.atNs));
    return [
      port.name,
      displayRate(port.rateBps ?? Number.POSITIVE_INFINITY),
      data,
      displayCount(port.data.frames - (earlier?.data.frames ?? 0)),
      displayCount(port.credit.frames - (earlier?.credit.frames ?? 0)),
      displayCount(port.control.frames - (earlier?.control.frames ?? 0)),
      displaySize(port.dataQueueBytesMean),
      displaySize(port.dataQueueBytesMax),
      displayCount(port.creditQueueFramesMax),
      displayCount(port.ecnMarks),
      counts(port.drops),
    ];
  });
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

/** Ports with their settings. */
export function settingLines(ports: readonly DirectionSnapshot[]): string[] {
  const rows = ports.map(({ name, rateBps, delayNs, impairment }) => [
    name,
    displayRate(rateBps ?? Number.POSITIVE_INFINITY),
    formatDuration(delayNs),
    impairmentWords(impairment) || 'none',
  ]);
  return tableLines([{ title: 'port' }, { title: 'rate' }, { title: 'delay' }, { title: 'impairments' }], rows);
}

/** `lost 12, down 3`; a dash for nothing. */
function counts(named: Readonly<Record<string, number>>): string {
  const all = Object.entries(named).map(([name, count]) => `${name} ${displayCount(count)}`);
  return all.length === 0 ? '-' : all.join(', ');
}
