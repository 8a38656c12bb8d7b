// Tested by test/loopback/bench.test.ts
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Benchmark, BenchRow } from './benchmark.js';
import type { Workbench } from './workbench.js';

const FLOWS = 64;
/** All flows send, and what they take of a core varies by less than the page takes (ours). */
const RATE = '5mbit';
/** Extra processor time of the process that serves the page to one client, cores. */
const ALLOWED_CORES = 0.03;
/** Without and with somebody who looks, in turns, so that what changes slowly is in both; the middle difference counts. */
const TURNS = 5;
const LEAST_TURN_S = 1;
/** The client of perf has opened its flows by then (ours). */
const START_S = 1;
/** Longer than the benchmark, which ends it. */
const LONGEST = '600s';
/** From the first look until samples come at their pace (ours). */
const SETTLE_S = 0.3;

/** What a live page costs the process that serves it: a daemon with 64 flows, ten samples a second, one client. */
export const WEB: readonly Benchmark[] = [{ name: 'web', group: 'web', mostRuns: 1, run: measureWeb }];

async function measureWeb(bench: Workbench): Promise<BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'xpass-bench-'));
  try {
    // A process that spins takes what is left of a core, whatever else it does.
    const how = ['--listen', ':0', '--rate', RATE, '--spin', 'never', '-d', folder, '--web', ':0', '--json'];
    const daemon = bench.start('daemon', ...how);
    const { address, web } = await daemon.event('listening');
    bench.start('perf', '-c', String(address), '-P', `${FLOWS}`, '-t', LONGEST, '--json');
    await bench.sleep(START_S + bench.warmUpSeconds);
    return [await measureTurns(bench, String(web).split('#')[0], bench.secondsOf(LEAST_TURN_S))];
  } finally {
    await bench.clear();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureTurns(bench: Workbench, url: string, turnS: number): Promise<BenchRow> {
  const without: number[] = [];
  const extra: number[] = [];
  const seen: Seen = { samples: 0, bytes: 0, flows: 0 };
  const turns = bench.settings.isSmoke === true ? 1 : TURNS;
  for (let turn = 0; turn < turns; turn++) {
    const alone = await daemonCores(bench, turnS);
    without.push(alone);
    const viewer = await look(url, seen);
    extra.push((await daemonCores(bench, turnS)) - alone);
    await viewer.end();
  }
  const pace = `${(seen.samples / (turns * (turnS + SETTLE_S))).toFixed(1)} samples/s of ${Math.round(seen.bytes / Math.max(1, seen.samples))} B`;
  return {
    value: middle(extra),
    unit: 'of a core more',
    raw: ALLOWED_CORES,
    rawIs: 'allowed',
    note: `${middle(without).toFixed(3)} of a core while nobody looks; ${pace}, ${seen.flows} flows`,
  };
}

async function daemonCores(bench: Workbench, seconds: number): Promise<number> {
  return (await bench.coresAfter(SETTLE_S, seconds)).get('daemon') ?? Number.NaN;
}

function middle(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

interface Seen {
  samples: number;
  bytes: number;
  /** Of the last sample. */
  flows: number;
}

/** One page that is open; it counts what it is told. */
async function look(url: string, seen: Seen): Promise<{ end(): Promise<void> }> {
  const ending = new AbortController();
  const { body } = await fetch(`${url}events`, { signal: ending.signal });
  const heard = hear(body as ReadableStream<Uint8Array>, seen).catch(() => {});
  return {
    end: () => {
      ending.abort();
      return heard;
    },
  };
}

async function hear(body: ReadableStream<Uint8Array>, seen: Seen): Promise<void> {
  let text = '';
  for await (const part of body) {
    seen.bytes += part.length;
    text += Buffer.from(part).toString();
    const events = text.split('\n\n');
    text = events.pop() ?? '';
    for (const [, json] of events.flatMap((event) => [...event.matchAll(/^event: sample\ndata: (.*)/g)])) {
      seen.samples++;
      seen.flows = (JSON.parse(json) as { flows: readonly unknown[] }).flows.length;
    }
  }
}
