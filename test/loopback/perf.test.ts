import { exec, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { PERF_DOCUMENT_SHAPE } from '../../src/apps/perf/document-shape.js';
import {
  freePorts,
  runHere,
  scratchFolder,
  silentPort,
  startSwitch,
  XpassCommand,
  XpassProcess,
  type XpassRun,
} from './switch-lab.js';

const EXECUTABLE = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));

/** A server that is ready, on a port that is free. */
async function startServer(...args: string[]) {
  return ready(new XpassCommand(['perf', '-s', '--json-stream', '--listen', ':0', ...args]));
}

async function ready<T extends XpassRun>(server: T) {
  const { data } = await server.event('listening');
  return { server, address: String((data as { address: unknown }).address) };
}

/** A server behind a switch, as host 2. */
async function startSwitched(switchArgs: readonly string[]) {
  const { port } = await startSwitch('--hosts', '3', ...switchArgs);
  const switchAddress = `127.0.0.1:${port}`;
  const server = new XpassCommand(['perf', '-s', '--json-stream', '--switch', switchAddress, '--host-id', '2']);
  expect(await server.event('listening')).toMatchObject({ data: { host_id: 2, switch: switchAddress } });
  return { server, switchAddress };
}

interface Report {
  readonly bytes: number;
  readonly duration_s: number;
  readonly goodput_bps: number;
  readonly jain: number;
  readonly speculative_frames: number;
  readonly filled_frames: number;
  readonly chunks: number;
  readonly intervals: readonly { streams: readonly { bytes: number }[]; sum: { bytes: number } }[];
  readonly rtt_us: { readonly p50: number; readonly count: number };
  readonly credit_gap_us: { readonly p50: number; readonly count: number };
  readonly credits: Record<'sent' | 'used' | 'wasted' | 'dropped', number>;
  readonly driver: Record<'client' | 'server', Record<string, number>>;
}

/** Runs a client to its end, which must be good. */
async function measure(...args: string[]): Promise<Report> {
  const { code, stdout, stderr } = await runHere('perf', '--json', ...args);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  const { intervals, end } = PERF_DOCUMENT_SHAPE.parse(JSON.parse(stdout));
  return { intervals, ...end.xpass } as unknown as Report;
}

interface End {
  readonly sum_received: { readonly bytes: number };
}

const PERCENTILES = ['min', 'mean', 'p50', 'p90', 'p99', 'p999', 'max', 'count'];
const KEYS = [
  'algorithm',
  'direction',
  'flows',
  'frame_bytes',
  'datapath',
  'duration_s',
  'bytes',
  'goodput_bps',
  'frames_per_s',
  'speculative_frames',
  'repaired_frames',
  'filled_frames',
  'chunks',
  'jain',
  'rtt_us',
  'rtt_histogram',
  'completion_us',
  'completion_histogram',
  'credit_gap_us',
  'credit_send_gap_us',
  'marked_frames',
  'data_lost_frames',
  'credits',
  'cpu',
  'driver',
  'intervals_omitted',
  'reverse',
  'exchange',
  'repeats',
  'compare',
];

/** Payload that a link of 20 Mbit/s carries: 1446 bytes in 1626 of credit and data on the wire. */
const PAYLOAD_BPS = (20e6 * 1446) / 1626;

describe('xpass perf', () => {
  it('shares frames among flows of little data where it is told to', async () => {
    const { server, switchAddress } = await startSwitched(['--link-rate', '10mbit']);
    const args = ['-c', '2', '--switch', switchAddress, '-P', '32', '-n', '6400', '--no-speculative'];
    const without = await measure(...args);
    const filled = await measure(...args, '--fill-frames');
    expect([without.bytes, filled.bytes]).toEqual([6_400, 6_400]);
    expect([without.filled_frames, without.chunks]).toEqual([0, 0]);
    expect(filled.filled_frames).toBeGreaterThan(0);
    expect(filled.chunks).toBeGreaterThanOrEqual(filled.filled_frames);
    await server.stop();
  });

  it('begins with speculative data through a switch, and every byte arrives', async () => {
    const { server, switchAddress } = await startSwitched(['--link-rate', '100mbit']);
    const args = ['-c', '2', '--switch', switchAddress, '-P', '4', '-n', '80KB'];
    const without = await measure(...args, '--no-speculative');
    const speculative = await measure(...args);
    expect([without.bytes, speculative.bytes]).toEqual([80_000, 80_000]);
    expect(without.speculative_frames).toBe(0);
    expect(speculative.speculative_frames).toBeGreaterThan(0);
    await server.stop();
  });

  it('measures in both directions, on one flow and on several, with one server', async () => {
    const { server, address } = await startServer();
    const forward = await measure('-c', address, '-t', '1', '-i', '250ms');
    expect(Object.keys(forward).sort()).toEqual(['intervals', ...KEYS].sort());
    expect(forward).toMatchObject({
      algorithm: 'steady',
      direction: 'forward',
      flows: 1,
      frame_bytes: 1472,
      jain: 1,
    });
    expect(Object.keys(forward.rtt_us)).toEqual(PERCENTILES);
    expect(Object.keys(forward.credit_gap_us)).toEqual(PERCENTILES);
    expect(forward.duration_s).toBeGreaterThan(0.5);
    expect(forward.duration_s).toBeLessThan(2);
    expect(forward.goodput_bps).toBeGreaterThan(10e6);
    expect(forward.intervals.length).toBeGreaterThanOrEqual(2);
    const { sent, used, wasted, dropped } = forward.credits;
    expect(used).toBeGreaterThan(500);
    expect(used + wasted + dropped).toBeLessThanOrEqual(sent);
    expect(forward.rtt_us.count).toBeGreaterThan(0.9 * used);
    const { client, server: receiving } = forward.driver;
    expect(client.datagrams_out).toBeGreaterThan(used);
    // Credits that leave together share a frame; one of them has 20 at most, and a datagram one of it.
    expect(receiving.datagrams_out).toBeGreaterThan(used / 40);
    expect(receiving.datagrams_out).toBeLessThan(used);

    const reverse = await measure('-c', address, '-n', '800000', '-P', '4', '-R');
    expect(reverse).toMatchObject({ direction: 'reverse', flows: 4, bytes: 800_000, jain: 1 });
    const parallel = await measure('-c', address, '-n', '800000', '-P', '4');
    expect(parallel).toMatchObject({ direction: 'forward', flows: 4, bytes: 800_000, jain: 1 });

    const { code, stderr } = await server.stop();
    expect([code, stderr]).toEqual([0, '']);
    const ends = server.events
      .filter(({ event }) => event === 'end')
      .map(({ data }) => (data as End).sum_received.bytes);
    expect(ends).toEqual([forward.bytes, 800_000, 800_000]);
  });

  it('prints a line an interval and a summary for people', async () => {
    const { address } = await startServer();
    const { code, stdout } = await runHere('perf', '-c', address, '-t', '0.6', '-i', '0.2', '-P', '2');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^\[ {2}5\] {3}0\.00-0\.2\d {3}sec {1,3}[\d.]+ [KMG]Bytes {1,3}[\d.]+ [KMG]bits\/sec {1,5}\d+$/m,
    );
    expect(stdout).toMatch(/^\[SUM\] {3}0\.00-[\d. ]+sec .*receiver$/m);
    for (const start of ['goodput', 'run', 'credits', 'RTT', 'credits in', 'credits out'])
      expect(stdout).toContain(`\n${start} `);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('measures through a switch in both directions', async () => {
    const { switchAddress } = await startSwitched(['--link-rate', '20mbit']);
    const report = await measure('-c', '2', '--switch', switchAddress, '-t', '1', '-P', '4');
    expect(report.goodput_bps / PAYLOAD_BPS).toBeLessThan(1.05);
    expect(report.intervals[0].streams).toHaveLength(4);
    const reverse = await measure('-c', '2', '--switch', switchAddress, '-n', '100kB', '-R');
    expect(reverse.bytes).toBe(100_000);
  });

  it('has large frames', async () => {
    const { address } = await startServer('--frame-size', '8972');
    const report = await measure('-c', address, '-n', '5MB', '--frame-size', '8972');
    expect(report).toMatchObject({ frame_bytes: 8972, bytes: 5_000_000 });
    expect(report.credits.used).toBeLessThan(1_000);
  });

  it('is served by a daemon too', async () => {
    const daemon = new XpassCommand(['daemon', '--json', '--listen', ':0', '--directory', await scratchFolder()]);
    const { address } = await daemon.event('listening');
    expect((await measure('-c', String(address), '-n', '100kB')).bytes).toBe(100_000);
  });

  it('ends when whoever reads it has gone', async () => {
    const { address } = await startServer();
    const pipe = `"${process.execPath}" "${EXECUTABLE}" perf -c ${address} -t 600 -i 100ms --json-stream | head -n 1`;
    const { stdout } = await promisify(exec)(pipe, { timeout: 30_000 });
    expect(JSON.parse(stdout)).toMatchObject({ event: 'start' });
  });

  it('tells what there is when it is interrupted: good for a time, bad for bytes', async () => {
    const { address } = await startServer();
    for (const [wanted, status] of [
      [['-t', '60'], 0],
      [['-t', '60', '-R'], 0],
      [['-n', '100GB'], 1],
      [['-n', '100GB', '-R'], 1],
    ] as const) {
      const client = new XpassCommand(['perf', '-c', address, '-i', '100ms', ...wanted]);
      await client.line(/bits\/sec/);
      const { code, stdout, stderr } = await client.stop('SIGINT');
      expect([code, stdout, stderr]).toEqual([status, expect.stringContaining('\ngoodput '), expect.any(String)]);
      if (status === 1)
        expect(stderr).toMatch(/^xpass perf: \d+ of 100000000000 bytes arrived before the test was ended$/m);
    }
  });

  it('waits for the figures as long when it had no core after the interrupt', async () => {
    const { address } = await startServer();
    const client = new XpassCommand(['perf', '-c', address, '-i', '100ms', '-t', '60', '-R', '-b', '5M']);
    await client.line(/bits\/sec/);
    const stopped = client.stop('SIGINT');
    // Client and server share this process: neither reads for longer than the client waits.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_200);
    const { code, stdout } = await stopped;
    expect([code, stdout]).toEqual([0, expect.stringContaining('\ngoodput ')]);
  });

  it.each([[[]], [['-R']]])('ends with 3 when the server is killed %j', async (direction) => {
    const { server, address } = await ready(new XpassProcess(['perf', '-s', '--json-stream', '--listen', ':0']));
    const client = new XpassCommand(['perf', '-c', address, '-i', '100ms', ...direction]);
    await client.line(/bits\/sec/);
    await server.stop('SIGKILL');
    const { code, stderr } = await client.ended;
    const sentence = /^xpass perf: 127\.0\.0\.1:\d+ is lost: nobody listens at its port \(ECONNREFUSED\)$/m;
    expect([code, stderr]).toEqual([3, expect.stringMatching(sentence)]);
  });

  it('ends with 3 when the server ends in the middle', async () => {
    const { server, address } = await startServer();
    const client = new XpassCommand(['perf', '-c', address, '-i', '100ms']);
    await client.line(/bits\/sec/);
    expect((await server.stop('SIGTERM')).code).toBe(0);
    const { code, stderr } = await client.ended;
    expect([code, stderr]).toEqual([3, expect.stringContaining('is shutting down')]);
  });

  it('ends with 3 when nobody answers, within the connect timeout', async () => {
    const [free] = await freePorts(1);
    for (const [port, reason] of [
      [await silentPort(), 'nothing came within the connect timeout of 500ms'],
      [free, 'nobody listens at its port (ECONNREFUSED)'],
    ]) {
      const { code, stderr } = await runHere('perf', '-c', `127.0.0.1:${port}`, '--connect-timeout', '500ms');
      expect([code, stderr]).toEqual([3, expect.stringContaining(`does not answer: ${reason}`)]);
    }
  });

  it('ends with 2 when the port is in use', async () => {
    const { address } = await startServer();
    const { code, stderr } = await runHere('perf', '-s', '--listen', address);
    expect([code, stderr]).toEqual([2, expect.stringContaining('in use')]);
  });

  it.each([
    [['--frame-size', '9000'], []],
    [[], ['--frame-size', '9000']],
  ])('ends with 2 when one side takes no frames as large as the other sends %j %j', async (server, client) => {
    const { address } = await startServer(...server);
    const { code, stderr } = await runHere('perf', '-c', address, ...client);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--frame-size')]);
  });
});

describe('a path of a small MTU', () => {
  /** A network of its own, whose loopback interface takes 1,400 B: a server and a client with frames of 1,472 B. */
  const IN_SMALL_NETWORK = `
    ip link set lo mtu 1400 up || exit 77
    "$@" perf -s --listen 127.0.0.1:30100 --datapath mmsg > "$OUT" 2>/dev/null &
    while ! [ -s "$OUT" ]; do sleep 0.1; done
    "$@" perf -c 127.0.0.1:30100 --datapath mmsg --rate 50mbit -t 300ms --json
    status=$?
    kill %1
    exit $status`;

  it('is told of with the frame size that fits, and frames of mmsg go in fragments', async ({ skip }) => {
    const out = join(await scratchFolder(), 'listening');
    const args = ['-n', 'bash', '-c', IN_SMALL_NETWORK, 'bash', process.execPath, EXECUTABLE];
    const { status, stdout, stderr } = spawnSync('unshare', args, {
      env: { ...process.env, OUT: out },
      encoding: 'utf8',
    });
    skip(status === null || status === 77 || /unshare/.test(stderr), 'it needs root, for a network of its own');
    expect([status, stderr]).toEqual([0, expect.stringContaining('--frame-size 1372 on both hosts')]);
    expect(JSON.parse(stdout).end.sum_received.bytes).toBeGreaterThan(100_000);
  });
});
