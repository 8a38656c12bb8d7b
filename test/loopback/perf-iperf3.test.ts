import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePorts, runHere, scratchFile, XpassCommand } from './switch-lab.js';

/** Runs of the installed iperf3 and of ours beside each other: what a program finds in iperf3's document, it finds in ours. */

const HAS_IPERF3 = spawnSync('iperf3', ['--version']).status === 0;
const HAS_JQ = spawnSync('jq', ['--version']).status === 0;

/** Arguments of iperf3, and ours for the same. */
const RUNS = [['-P', '2'], ['-u', '-b', '5M'], ['--bidir']].map((theirs) => ({
  theirs,
  ours: theirs.filter((arg) => arg !== '-u'),
}));

/** What scripts ask of iperf3's document. */
const QUESTIONS = [
  '.end.sum_received.bits_per_second / 1000000',
  '.end.sum_sent.bits_per_second',
  '.end.sum_sent.retransmits',
  '.end.sum_received.bytes // .end.sum_sent.bytes',
  '[.intervals[].sum.bits_per_second] | add / length',
  '[.intervals[].streams[0].retransmits] | add',
  '.end.streams[0].sender.mean_rtt / 1000',
  '.end.cpu_utilization_percent.host_total + .end.cpu_utilization_percent.remote_total',
  '.start.timestamp.timesecs + .start.test_start.duration',
];

/**
 * What three readers of iperf3's document take from it, as numbers or texts; `?` where null will do. In no package of npm or Debian, so that their own
 * code runs here only where XPASS_IPERF3_READERS names a folder that has it.
 */
const READERS: Readonly<Record<string, readonly string[]>> = {
  // contrib/iperf3_to_gnuplot.py of iperf3 3.20
  'iperf3_to_gnuplot.py': ['start', 'bytes', 'bits_per_second', 'retransmits', 'snd_cwnd'].map(
    (key) => `intervals[].streams[].${key}`,
  ),
  // TestResult of iperf3-python 0.1.11 (iperf3/iperf3.py), of a test over UDP
  'iperf3.py': [
    ...['timestamp.time', 'timestamp.timesecs', 'system_info', 'version'].map((key) => `start.${key}`),
    ...['local_host', 'local_port', 'remote_host', 'remote_port'].map((key) => `start.connected[].${key}`),
    ...['protocol', 'num_streams', 'blksize', 'omit', 'duration', 'reverse'].map((key) => `start.test_start.${key}`),
    ...['host_total', 'host_user', 'host_system', 'remote_total', 'remote_user', 'remote_system'].map(
      (key) => `end.cpu_utilization_percent.${key}`,
    ),
    ...['bytes', 'bits_per_second', 'jitter_ms?', 'packets', 'lost_packets', 'lost_percent', 'seconds'].map(
      (key) => `end.sum.${key}`,
    ),
  ],
  // pscheduler-tool-iperf3/iperf3/iperf3_parser.py of perfSONAR's pScheduler 5
  'iperf3_parser.py': [
    ...['socket', 'start', 'end', 'bytes', 'bits_per_second', 'omitted', 'retransmits', 'snd_cwnd', 'rtt?'].map(
      (key) => `intervals[].streams[].${key}`,
    ),
    ...['start', 'end', 'bytes', 'bits_per_second', 'omitted', 'retransmits'].map((key) => `intervals[].sum.${key}`),
    ...['socket', 'bytes', 'bits_per_second', 'packets', 'lost_packets'].map((key) => `end.streams[].udp.${key}`),
    ...['bytes', 'bits_per_second', 'retransmits'].map((key) => `end.sum_sent.${key}`),
    'end.sum_received.bits_per_second',
  ],
};

const READERS_FOLDER = process.env.XPASS_IPERF3_READERS;

/** Programs of Python that call a reader with the document, and print a figure that it makes of it. */
const CALLS: Readonly<Record<string, string>> = {
  'iperf3_to_gnuplot.py':
    "import iperf3_to_gnuplot as r, types; print(len(list(r.summed_output(doc, types.SimpleNamespace(verbose=False)))) and doc['end']['sum']['bytes'])",
  'iperf3.py': 'import iperf3 as r; t = r.TestResult(text); print(t.bytes if t.error is None else t.error)',
  'iperf3_parser.py':
    "import types; sys.modules['pscheduler'] = types.SimpleNamespace(Log=lambda **_: None); import iperf3_parser as r; p = r.parse_output([text]); print(p['summary']['summary']['throughput-bytes'] if p['succeeded'] else p)",
};

/** For a test of a second on a busy machine. */
const PATIENCE_MS = 20_000;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** `end.streams[].sender.bytes` with the type of what stands there, of each value in a document. */
function leaves(value: Json, path = ''): Map<string, string> {
  const found = new Map<string, string>();
  if (typeof value !== 'object' || value === null) return found.set(path, value === null ? 'null' : typeof value);
  const entries = Array.isArray(value)
    ? value.map((one: Json) => ['[]', one] as const)
    : Object.entries(value).map(([key, one]) => [path === '' ? key : `.${key}`, one] as const);
  for (const [step, one] of entries) for (const [at, type] of leaves(one, path + step)) found.set(at, type);
  return found;
}

/** What a document of iperf3 has and ours has not, or as another type; null stands for each. */
function missing(theirs: Json, ours: Json): string[] {
  const have = leaves(ours);
  return [...leaves(theirs)]
    .filter(([path, type]) => have.get(path) !== type && have.get(path) !== 'null')
    .map(([path, type]) => `${path}: ${type}, here ${have.get(path) ?? 'nothing'}`);
}

async function iperf3(...args: string[]): Promise<Json> {
  const [port] = await freePorts(1);
  const server = spawn('iperf3', ['-s', '-1', '-p', `${port}`, '--forceflush'], { timeout: PATIENCE_MS });
  onTestFinished(() => {
    server.kill();
  });
  for await (const text of server.stdout) if (String(text).includes('listening')) break;
  const client = spawn('iperf3', ['-c', '127.0.0.1', '-p', `${port}`, '-t', '1', '-J', ...args], {
    timeout: PATIENCE_MS,
  });
  let text = '';
  client.stdout.on('data', (chunk) => {
    text += chunk;
  });
  expect(await once(client, 'close')).toEqual([0, null]);
  return JSON.parse(text);
}

async function ours(...args: string[]): Promise<Json> {
  const server = new XpassCommand(['perf', '-s', '--json-stream', '--listen', ':0']);
  const { data } = await server.event('listening');
  const { address } = data as { address: string };
  const { code, stdout } = await runHere('perf', '-c', address, '-t', '1', '-J', ...args);
  expect(code).toBe(0);
  return JSON.parse(stdout);
}

/** One run without options, for all who look at it. */
let plain: Promise<Json> | null = null;
function plainRun(): Promise<Json> {
  plain ??= ours();
  return plain;
}

describe("the document beside iperf3's", () => {
  it('has each of its keys, with its type or null', async ({ skip }) => {
    skip(!HAS_IPERF3, 'iperf3 is not installed');
    const runs = RUNS.map(async (args) => missing(await iperf3(...args.theirs), await ours(...args.ours)));
    expect(await Promise.all(runs)).toEqual(RUNS.map(() => []));
  });

  it('answers jq as iperf3 does: with a number', async ({ skip }) => {
    skip(!HAS_IPERF3 || !HAS_JQ, 'iperf3 or jq is not installed');
    for (const document of await Promise.all([iperf3(), plainRun()])) {
      const { stdout, stderr } = spawnSync('jq', ['-c', `[${QUESTIONS.map((one) => `(${one})`).join()}] | map(type)`], {
        input: JSON.stringify(document),
        encoding: 'utf8',
        timeout: PATIENCE_MS,
      });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual(QUESTIONS.map(() => 'number'));
    }
  });

  it('has what known readers take from it', async () => {
    const have = leaves(await plainRun());
    const types = ['number', 'string', 'boolean'];
    const absent = Object.entries(READERS).flatMap(([reader, paths]) =>
      paths
        .filter((path) => {
          const type = have.get(path.replace('?', '')) ?? '';
          return !types.includes(type) && !(path.endsWith('?') && type === 'null');
        })
        .map((path) => `${reader}: ${path}`),
    );
    expect(absent).toEqual([]);
  });

  it.for(Object.entries(CALLS))('is read by %s itself', async ([reader, call], { skip }) => {
    skip(READERS_FOLDER === undefined, 'XPASS_IPERF3_READERS names no folder that has it');
    const document = (await plainRun()) as { readonly end: { readonly sum: { readonly bytes: number } } };
    const program = `import json, sys; sys.path.insert(0, ${JSON.stringify(READERS_FOLDER)}); text = sys.stdin.read(); doc = json.loads(text); ${call}`;
    const { stdout, stderr } = spawnSync('python3', ['-c', program], {
      input: JSON.stringify(document),
      encoding: 'utf8',
      timeout: PATIENCE_MS,
    });
    expect([stderr, stdout.trim(), reader]).toEqual(['', String(document.end.sum.bytes), reader]);
  });

  it('is compared by what a reader would miss', () => {
    expect(missing({ a: [{ b: 1 }], c: 'x', d: true }, { a: [{ b: 'x' }], c: null })).toEqual([
      'a[].b: number, here string',
      'd: boolean, here nothing',
    ]);
  });
});

describe('TCP beside xpass', () => {
  it('runs over the same path, and stands in the document and on the page', async ({ skip }) => {
    skip(!HAS_IPERF3, 'iperf3 is not installed');
    const [port] = await freePorts(1);
    const server = spawn('iperf3', ['-s', '-1', '-p', `${port}`, '--forceflush'], { timeout: PATIENCE_MS });
    onTestFinished(() => {
      server.kill();
    });
    for await (const text of server.stdout) if (String(text).includes('listening')) break;
    const page = await scratchFile('page.html', '');
    const document = (await ours('--compare', `iperf3:${port}`, '--report', page)) as unknown as Compared;
    const { compare, goodput_bps: goodputBps } = document.end.xpass;
    expect(compare).toMatchObject({ protocol: 'TCP', version: expect.stringContaining('iperf 3') });
    expect(compare.goodput_bps).toBeGreaterThan(0);
    expect(compare.ratio).toBeCloseTo(goodputBps / compare.goodput_bps);
    const html = readFileSync(page, 'utf8');
    expect(html).toContain('TCP over the same path');
    expect(html).toContain('as the server measures it');
  });

  it('says how to start its server where none answers, in the one document', async ({ skip }) => {
    skip(!HAS_IPERF3, 'iperf3 is not installed');
    const [port] = await freePorts(1);
    const { code, stdout, stderr } = await runHere('perf', '-c', '127.0.0.1', '--compare', `iperf3:${port}`, '-J');
    const wanted = `start one there with iperf3 -s -p ${port}`;
    expect([code, stderr, JSON.parse(stdout).error]).toEqual([
      3,
      expect.stringContaining(wanted),
      expect.stringContaining(wanted),
    ]);
  });
});

interface Compared {
  readonly end: {
    readonly xpass: {
      readonly goodput_bps: number;
      readonly compare: { readonly goodput_bps: number; readonly ratio: number };
    };
  };
}
