import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { crc32 } from '../../../src/base/crc32.js';
import { PORT_DROP_NAMES, PortDrop } from '../../../src/switch/port-statistics.js';
import { Capture, type CaptureOptions } from '../../../src/telemetry/capture/capture.js';
import { addressBytes } from '../../../src/telemetry/capture/ip-headers.js';
import { readBlocks } from '../../../src/telemetry/capture/pcapng.js';
import { addCredit, beginCredits, endCredits } from '../../../src/wire/credits.js';
import { Frame } from '../../../src/wire/frame.js';
import { markCe } from '../../../src/wire/rewrite.js';
import { scratchDirectory } from '../../harness/scratch.js';
import { creditFrame, dataFrame } from '../../switch/frames.js';
import { TSHARK_MISSING, tsharkFields } from '../tshark.js';

const ORIGIN_NS = 1_795_623_901_123_456_789n;
const PORTS = [
  { name: 'h1->s1', link: 'h1', description: 'up' },
  { name: 's1->h1', link: 'h1', description: 'down' },
];

async function open(
  changes: Partial<CaptureOptions> = {},
): Promise<{ capture: Capture; path: string; ends: string[] }> {
  const path = join(await scratchDirectory(), 'frames.pcapng');
  const ends: string[] = [];
  const capture = new Capture({
    ...{ path, filter: undefined, sizeBytes: 100_000_000, files: 1, snapBytes: 65_507, ports: PORTS },
    ...{ dropNames: PORT_DROP_NAMES, originNs: ORIGIN_NS, isSync: true, onEnd: (sentence) => ends.push(sentence) },
    ...changes,
  });
  return { capture, path, ends };
}

/** A disk of 1 MiB, without which the test is skipped; it goes when the test ends. */
async function smallDisk(skip: (condition: boolean, reason: string) => void): Promise<string> {
  skip(process.platform !== 'linux' || process.getuid?.() !== 0, 'needs the right to mount a tmpfs');
  const directory = await scratchDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    skip(true, 'needs the right to mount a tmpfs');
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', directory]));
  return directory;
}

const packets = (path: string) => (readBlocks(readFileSync(path)) ?? []).filter(({ type }) => type === 'packet');

describe('a capture', () => {
  it('ends with its name when the disk is full, and whoever is captured goes on', async ({ skip }) => {
    const path = join(await smallDisk(skip), 'frames.pcapng');
    const { capture, ends } = await open({ path, isSync: false });
    const [tap, frame] = [capture.tap(0), dataFrame({ source: 1, destination: 2, flowId: 7 })];
    for (let count = 0; count < 3_000; count++) {
      tap.sent(frame, count);
      if (count % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    const { seen, written, lost } = await capture.close();
    expect(ends).toEqual([expect.stringMatching(/frames\.pcapng.*no space/)]);
    expect([seen, written + lost]).toEqual([3_000, 3_000]);
    expect(lost).toBeGreaterThan(2_000);
  });

  it('is what tshark reads, to the nanosecond', async ({ skip }) => {
    skip(TSHARK_MISSING !== null, TSHARK_MISSING ?? '');
    const { capture, path } = await open();
    const [up, down] = [capture.tap(0), capture.tap(1)];
    const data = dataFrame({ source: 1, destination: 515, flowId: 7 });
    data.hopLimit = 9;
    markCe(data.bytes);
    up.sent(data, 5);
    down.marked(data);
    down.sent(data, 4_294_967_296.4);
    down.dropped(creditFrame({ source: 515, destination: 1, flowId: 7 }), PortDrop.creditQueueFull, 1e15);
    expect(capture.closeNow()).toEqual({ paths: [path], seen: 3, written: 3, lost: 0 });
    const names = 'frame.time_epoch frame.interface_name ip.src ip.dst ip.dsfield.ecn udp.length frame.comment';
    const rows = tsharkFields(path, names.split(' '));
    expect(rows).toEqual([
      ['1795623901.123456794', 'h1->s1', '10.0.0.1', '10.0.2.3', '3', '1480', ''],
      ['1795623905.418424085', 's1->h1', '10.0.0.1', '10.0.2.3', '3', '1480', 'marked CE'],
      ['1796623901.123456789', 's1->h1', '10.0.2.3', '10.0.0.1', '2', '26', 'dropped: credit queue full'],
    ]);
    expect(execFileSync('capinfos', ['-I', path], { encoding: 'utf8' })).toContain('Number of stat entries = 1');
  });

  it('keeps no more than --capture-snaplen of a frame and says how long it was, counted bytes too', async () => {
    const { capture, path } = await open({ snapBytes: 40 });
    const counted = dataFrame();
    counted.length = 22;
    counted.phantomBytes = 1450;
    capture.tap(0).sent(counted, 0);
    capture.tap(0).sent(dataFrame(), 0);
    capture.closeNow();
    expect(packets(path).map(({ data, original }) => [data.length, original])).toEqual([
      [50, 1500],
      [68, 1500],
    ]);
  });

  it.each([
    ['credit', 1],
    ['data or credit', 2],
    ['not data', 1],
    ['flow 0x7 and dropped', 1],
    ['host 3', 2],
    ['from 3', 1],
    ['port h1', 2],
    ['port s1->h1 and not credit', 0],
    ['marked', 0],
  ])('with the filter "%s" has the frames that it means', async (filter, count) => {
    const { capture, path } = await open({ filter });
    capture.tap(0).sent(dataFrame({ source: 1, destination: 3, flowId: 9 }), 0);
    capture.tap(1).dropped(creditFrame({ source: 3, destination: 1, flowId: 7 }), PortDrop.lost, 0);
    capture.closeNow();
    expect(packets(path)).toHaveLength(count);
  });

  it.each([
    ['credit', 2],
    ['credits', 1],
    ['flow 7', 2],
    ['flow 8', 1],
    ['flow 9', 0],
  ])('with the filter "%s" sees the credits in CREDITS', async (filter, count) => {
    const { capture, path } = await open({ filter });
    const [lead, other] = [7, 8].map((flow) => creditFrame({ source: 0, destination: 0, flowId: flow }));
    const credits = new Frame(new Uint8Array(100));
    beginCredits(credits);
    for (const credit of [lead, other]) addCredit(credits, credit);
    endCredits(credits, crc32);
    for (const frame of [credits, lead]) capture.tap(0).sent(frame, 1);
    await capture.close();
    expect(packets(path)).toHaveLength(count);
  });

  it('refuses a filter by the word that is wrong', async () => {
    await expect(open({ filter: 'data and and' })).rejects.toThrow("'data and and'");
    await expect(open({ filter: 'flow x' })).rejects.toThrow("'flow x'");
  });

  it('keeps the newest files of a ring', async () => {
    const { capture } = await open({ sizeBytes: 200_000, files: 2 });
    for (let index = 0; index < 1000; index++) capture.tap(0).sent(dataFrame({ label: index }), index);
    const { paths, seen, lost } = capture.closeNow();
    expect([paths.length, seen, lost]).toEqual([2, 1000, 0]);
    for (const path of paths) {
      expect(path).toMatch(/frames\.0000[6-9]\.pcapng$/);
      expect(statSync(path).size).toBeLessThan(210_000);
    }
  });

  it('ends by name at --capture-size and counts what it leaves out', async () => {
    const { capture, ends, path } = await open({ sizeBytes: 200_000 });
    for (let index = 0; index < 1000; index++) capture.tap(0).sent(dataFrame(), index);
    const { seen, written, lost } = capture.closeNow();
    expect(ends).toEqual([`${path} has as many bytes as --capture-size allows`]);
    expect([seen, written + lost, packets(path).length]).toEqual([1000, 1000, written]);
    expect(lost).toBeGreaterThan(800);
  });

  it('does not begin on a full disk', async ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux has /dev/full');
    await expect(open({ path: '/dev/full' })).rejects.toThrow('ENOSPC');
  });

  it('ends by name where a file cannot be written any more', async () => {
    const { capture, path, ends } = await open({ sizeBytes: 200_000, files: 2 });
    rmSync(dirname(path), { recursive: true });
    for (let index = 0; index < 1000; index++) capture.tap(0).sent(dataFrame(), index);
    const { seen, written, lost } = capture.closeNow();
    expect(ends).toEqual([`'${path.replace('.pcapng', '.00002.pcapng')}' does not exist: name something that does`]);
    expect([seen, written + lost]).toEqual([1000, 1000]);
  });

  it('never waits for the disk: beyond 64 MiB frames are counted, not kept', async () => {
    const { capture, path } = await open({ isSync: false });
    const frame = dataFrame();
    const tap = capture.tap(0);
    for (let index = 0; index < 60_000; index++) tap.sent(frame, index);
    const { seen, written, lost } = await capture.close();
    expect(seen).toBe(60_000);
    expect(lost).toBeGreaterThan(10_000);
    expect(packets(path)).toHaveLength(written);
    expect(written + lost).toBe(seen);
  });

  it('writes IPv6 addresses where a socket has them', async () => {
    expect(addressBytes('::1')).toEqual(Uint8Array.from([...new Array(15).fill(0), 1]));
    expect(addressBytes('fe80::2:3%lo')?.slice(-4)).toEqual(Uint8Array.of(0, 2, 0, 3));
    expect(addressBytes('::ffff:10.0.0.1')?.slice(-6)).toEqual(Uint8Array.of(255, 255, 10, 0, 0, 1));
    expect(addressBytes('10.1.2.3')).toEqual(Uint8Array.of(10, 1, 2, 3));
  });
});
