import { describe, expect, it } from 'vitest';
import { driverLines, hostLines, portLines, settingLines } from '../../../src/apps/switch/tables.js';
import { NO_IMPAIRMENT } from '../../../src/switch/impairment.js';
import { driver, port, report } from './reports.js';

describe('tables of a switch', () => {
  it('have a line a port, with its queues and why it dropped', () => {
    const busy = port('s1->h1', {
      rateBps: 1e8,
      data: { frames: 1234, wireBytes: 1234 * 1538 },
      dataQueueBytesMax: 12 * 1538,
      creditQueueFramesMax: 8,
      ecnMarks: 2,
      drops: { creditQueueFull: 12, lost: 3 },
    });
    const [titles, row, idle] = portLines(report({ ports: [busy, port('h1->s1')] }));
    expect(titles).toMatch(
      /^port +rate +data +frames +credits +other +queue mean +queue max +credits max +marked +dropped$/,
    );
    expect(row).toMatch(
      /^s1->h1 +100\.0 Mbit\/s +1\.810 MiB +1,234 +0 +0 +0 B +18\.02 KiB +8 +2 +creditQueueFull 12, lost 3$/,
    );
    expect(idle).toMatch(/^h1->s1 +unlimited +0 B .* -$/);
  });

  it('have rates where there is a report to compare with', () => {
    const before = report({ atNs: 1e9, ports: [port('a->b', { data: { frames: 1, wireBytes: 1000 } })] });
    const after = report({ atNs: 1.1e9, ports: [port('a->b', { data: { frames: 9, wireBytes: 126_000 } })] });
    expect(portLines(after, before)[1]).toMatch(/^a->b +unlimited +10\.00 Mbit\/s +8 /);
  });

  it('count the credits of the low class where there were any', () => {
    const classes = (all: number, low: number) => ({
      credit: { frames: all, wireBytes: 88 * all },
      lowCredit: { frames: low, wireBytes: 88 * low },
    });
    const before = report({ ports: [port('s1->h1', classes(5, 2)), port('h1->s1')] });
    const after = report({ atNs: 1e9, ports: [port('s1->h1', classes(9, 3)), port('h1->s1')] });
    const cells = (lines: string[]) => lines.map((line) => line.split(/ {2,}/).slice(4, 6));
    expect(cells(portLines(before))).toEqual([
      ['credits', 'of them low'],
      ['5', '2'],
      ['0', '0'],
    ]);
    expect(cells(portLines(after, before))[1]).toEqual(['4', '1']);
  });

  it('say how a switch chooses among equal paths, since the counts began or the time before', () => {
    const halves = (bytes: number, frames: number) => ({
      data: { frames, wireBytes: bytes / 2 },
      credit: { frames, wireBytes: bytes / 2 },
    });
    const uplink = (name: string, bytes: number, frames: number) =>
      port(name, { ...halves(bytes, frames), sprayedFrames: 2 * frames });
    const ports = (bytes: number[]) => [
      port('h1->leaf1', { sprayedFrames: 7 }),
      ...bytes.map((each, at) => uplink(`leaf1->spine${at + 1}`, each, each / 100)),
    ];
    const before = report({ ports: ports([100, 300, 0]), choices: [[1, 2, 3]] });
    const after = report({ atNs: 1e9, ports: ports([200, 400, 600]), choices: [[1, 2, 3]] });
    const cells = (lines: string[]) => lines.map((line) => line.split(/ {2,}/).slice(6, 8));
    expect(cells(portLines(before))).toEqual([
      ['with path id', 'of equal'],
      ['-', '-'],
      ['2', '25.00 %'],
      ['6', '75.00 %'],
      ['0', '0.000 %'],
    ]);
    expect(cells(portLines(after, before)).slice(2)).toEqual([
      ['2', '12.50 %'],
      ['2', '12.50 %'],
      ['12', '75.00 %'],
    ]);
    expect(portLines({ ...after, unusedLinks: ['leaf1-spine2', 'west'] }).at(-1)).toBe(
      'no path uses leaf1-spine2, west',
    );
  });

  it('say who is attached, and only the trouble that there was', () => {
    expect(hostLines(report())).toEqual(['attached: h1 (1), of 2 hosts']);
    const attachments = { attached: 0, attaches: 4, detaches: 0, expired: 1, refusals: 2 };
    const door = { short: 1000, spoofed: 5 };
    expect(hostLines(report({ hosts: [], attachments, door }))).toEqual([
      'attached: none, of 0 hosts',
      'attachments: 1 expired, 2 refused',
      'turned away: short 1,000, spoofed 5',
    ]);
    expect(driverLines(driver)).toEqual([]);
    expect(driverLines({ ...driver, kernelDrops: null })).toEqual([]);
    expect(driverLines({ ...driver, kernelDrops: 4, holdOverflows: 2, problems: { ENOBUFS: 1 } })).toEqual([
      'sockets: kernel receive drops 4; frames dropped while held 2; socket errors ENOBUFS 1',
    ]);
  });

  it('show the settings of ports', () => {
    const lossy = port('a->b', { rateBps: 1e7, delayNs: 5e6, impairment: { ...NO_IMPAIRMENT, lossRate: 0.05 } });
    expect(settingLines([lossy, port('b->a')])).toEqual([
      'port  rate          delay  impairments',
      'a->b  10.00 Mbit/s  5ms    loss 5%',
      'b->a  unlimited     0ns    none',
    ]);
  });
});
