import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { freePorts, runHere, XpassCommand } from './switch-lab.js';

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

describe("the document beside iperf3's", () => {
  it('has each of its keys, with its type or null', async ({ skip }) => {
    skip(!HAS_IPERF3, 'iperf3 is not installed');
    const runs = RUNS.map(async (args) => missing(await iperf3(...args.theirs), await ours(...args.ours)));
    expect(await Promise.all(runs)).toEqual(RUNS.map(() => []));
  });

  it('answers jq as iperf3 does: with a number', async ({ skip }) => {
    skip(!HAS_IPERF3 || !HAS_JQ, 'iperf3 or jq is not installed');
    for (const document of await Promise.all([iperf3(), ours()])) {
      const { stdout, stderr } = spawnSync('jq', ['-c', `[${QUESTIONS.map((one) => `(${one})`).join()}] | map(type)`], {
        input: JSON.stringify(document),
        encoding: 'utf8',
        timeout: PATIENCE_MS,
      });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual(QUESTIONS.map(() => 'number'));
    }
  });

  it('is compared by what a reader would miss', () => {
    expect(missing({ a: [{ b: 1 }], c: 'x', d: true }, { a: [{ b: 'x' }], c: null })).toEqual([
      'a[].b: number, here string',
      'd: boolean, here nothing',
    ]);
  });
});
