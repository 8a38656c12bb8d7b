// Tested by test/loopback/bench.test.ts
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from '../../base/assert.js';
import { formatKey, type HostKey, makeKey, writeKeyFile } from '../../net/key-file.js';
import type { Benchmark, BenchRow } from './benchmark.js';
import type { HandshakeFigures, HandshakeOrder, HandshakeReady } from './handshakes.child.js';
import type { Program, Workbench } from './workbench.js';

const MODES = ['none', 'secret', 'identities'] as const;
type Mode = (typeof MODES)[number];

/** Of each end in the other's peers file. */
const NAME = 'peer';
/** Handshakes at a time that keep an answerer busy (ours: some round trips' worth; more would only wait in its socket). */
const PARALLEL = 8;
/** Round trips until data may go. https://www.wireguard.com/papers/wireguard.pdf, 5.4 */
const WIREGUARD_TRIPS = 1;
const RAW_IS = "WireGuard's model";

/** What a handshake costs its answerer, and how long it takes, in each mode of docs/SECURITY.md. */
export const HANDSHAKES: readonly Benchmark[] = MODES.map((mode) => ({
  name: `handshakes/${mode}`,
  group: 'handshakes',
  run: (bench) => measure(bench, mode),
}));

/** Key files of the two ends; both of them know each other. */
async function filesOf(
  mode: Mode,
  directory: string,
): Promise<Record<HandshakeOrder['role'], Partial<HandshakeOrder>>> {
  if (mode === 'none') return { answerer: {}, initiator: {} };
  const path = (name: string): string => join(directory, name);
  if (mode === 'secret') {
    await writeKeyFile(path('key'), makeKey('secret'));
    return { answerer: { key: path('key') }, initiator: { key: path('key') } };
  }
  const [answerer, initiator] = [makeKey('identity'), makeKey('identity')];
  await Promise.all([writeKeyFile(path('answerer'), answerer), writeKeyFile(path('initiator'), initiator)]);
  await writeFile(path('of-answerer'), peersLine(initiator));
  await writeFile(path('of-initiator'), peersLine(answerer));
  return {
    answerer: { key: path('answerer'), peers: path('of-answerer') },
    initiator: { key: path('initiator'), peers: path('of-initiator') },
  };
}

function peersLine(key: HostKey): string {
  assert(key.kind === 'identity', 'a peers file names identities');
  return `${NAME} ${formatKey(key.identity.public)}\n`;
}

async function measure(bench: Workbench, mode: Mode): Promise<BenchRow[]> {
  const directory = await mkdtemp(join(tmpdir(), 'xpass-bench-'));
  try {
    const files = await filesOf(mode, directory);
    const answerer = await start(bench, { role: 'answerer', port: 0, name: NAME, ...files.answerer });
    const port = Number(answerer.ready.address.split(':').at(-1));
    const initiator = await start(bench, { role: 'initiator', port, name: NAME, ...files.initiator });
    const rows = await measureWith(bench, initiator);
    await bench.clear();
    return rows;
  } finally {
    await rm(directory, { recursive: true });
  }
}

type HandshakeProgram = Program<HandshakeReady>;

function start(bench: Workbench, order: HandshakeOrder): Promise<HandshakeProgram> {
  return bench.open<HandshakeReady>(order.role, order, 0, 'handshakes');
}

async function measureWith(bench: Workbench, initiator: HandshakeProgram): Promise<BenchRow[]> {
  const ms = bench.settings.seconds * 1e3;
  const shake = (hasCookie: boolean, parallel: number, forMs = ms) =>
    initiator.ask<HandshakeFigures>({ verb: 'shake', hasCookie, parallel, ms: forMs }, forMs);
  const { us: bareUs } = await initiator.ask<{ us: number }>({ verb: 'bare', ms }, ms);
  await shake(true, PARALLEL, bench.warmUpSeconds * 1e3);
  const cost = async (hasCookie: boolean) => {
    const beforeS = await answererSeconds(bench);
    const figures = await shake(hasCookie, PARALLEL);
    return { ...figures, us: ((await answererSeconds(bench)) - beforeS) * (1e6 / figures.count) };
  };
  const [first, again] = [await cost(false), await cost(true)];
  const [alone, aloneAgain] = [await shake(false, 1), await shake(true, 1)];
  const raw = { raw: bareUs, rawIs: RAW_IS };
  const trips = { unit: 'round trips', raw: WIREGUARD_TRIPS, rawIs: RAW_IS };
  return [
    { value: again.count / again.seconds, unit: 'a second', raw: 1e6 / bareUs, rawIs: RAW_IS, ...repeats(again) },
    { part: 'cpu', value: again.us, unit: 'us of CPU', ...raw },
    {
      part: 'first',
      value: first.count / first.seconds,
      unit: 'a second',
      raw: 1e6 / bareUs,
      rawIs: RAW_IS,
      ...repeats(first),
    },
    { part: 'first/cpu', value: first.us, unit: 'us of CPU', ...raw },
    { part: 'trips', value: alone.trips / alone.count, ...trips },
    { part: 'trips/cookie', value: aloneAgain.trips / aloneAgain.count, ...trips },
    { part: 'time', value: alone.times.p50, unit: 'us' },
    { part: 'time/cookie', value: aloneAgain.times.p50, unit: 'us' },
  ];
}

/** An answerer answers 10,000 HELLOs a second (PROTOCOL §7.2). */
function repeats({ count, repeated }: HandshakeFigures): { note?: string } {
  return repeated === 0 ? {} : { note: `${((100 * repeated) / (count + repeated)).toFixed(1)} % of HELLOs unanswered` };
}

async function answererSeconds(bench: Workbench): Promise<number> {
  return (await bench.usage()).get('answerer')?.cpuS ?? Number.NaN;
}
