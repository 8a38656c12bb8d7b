// Tested by test/loopback/bench.test.ts

import type { Percentiles } from '../../services/perf/histogram.js';
import type { Forked } from '../shared/companion.js';
import type { RawMeasured, RawOpened, RawOrder, RawReady } from './raw.child.js';
import type { Cores, Usage, Workbench } from './workbench.js';

/** Credits outstanding in the bare program: more makes no difference, fewer leave a process waiting (measured with 16 to 1,024). */
const WINDOW = 64;
/** There is so little code that it is compiled by then: after four seconds it is no faster (measured). */
const WARM_UP_SECONDS = 1;

/** What the bare program does. */
export type RawKind = 'echo' | 'relay';

export interface RawFigures {
  readonly framesPerSecond: number;
  /** Between a credit and its data frame. */
  readonly rtt: Percentiles | null;
  /** What the processes `raw-client`, `raw-server` and `raw-relay` used. */
  readonly cores: Cores;
  /** Bytes a second that they allocate on V8's heap; empty unless it was asked for. */
  readonly allocated: ReadonlyMap<string, number>;
}

export interface RawWork {
  readonly kind: RawKind;
  readonly payloadBytes: number;
  /** Credits outstanding; with one, round-trip times are measured. */
  readonly window?: number;
  /** Between round trips, mean of a Poisson process, with one credit outstanding; none without it. */
  readonly gapMs?: number;
  /** The ends take the CRC of each data frame. */
  readonly isChecked?: boolean;
  /** Measure what is allocated, which costs a little. */
  readonly allocations?: boolean;
}

/** What the bare program does with this work; its processes end with it. */
export async function measureRaw(bench: Workbench, work: RawWork): Promise<RawFigures> {
  const { kind, payloadBytes, window = WINDOW, gapMs = 0, isChecked = false, allocations = false } = work;
  const { seconds } = bench.settings;
  const warmUpSeconds = Math.min(WARM_UP_SECONDS, bench.warmUpSeconds);
  const times = { warmUpMs: warmUpSeconds * 1e3, measureMs: seconds * 1e3 };
  const order = { payloadBytes, window, gapMs, isChecked, ...times };
  try {
    const client = await startRaw(bench, order, kind);
    const measured = client.next<RawMeasured>((message) => 'framesPerSecond' in message, 'report', {
      takesMs: times.warmUpMs + times.measureMs,
    });
    if (allocations) await bench.usage({ allocations });
    const [cores, { framesPerSecond, rtt }] = await Promise.all([bench.coresAfter(warmUpSeconds), measured]);
    const allocated = allocations ? allocationRates(await bench.usage()) : new Map();
    return { framesPerSecond, rtt, cores, allocated };
  } finally {
    await bench.clear();
  }
}

/** Starts the processes, each of which knows the ports of its neighbours before the first datagram; returns the client. */
async function startRaw(
  bench: Workbench,
  order: Omit<RawOrder, 'role' | 'clientPort' | 'serverPort'>,
  kind: RawKind,
): Promise<Forked> {
  const server = await openRaw(bench, 'server');
  const relay = kind === 'relay' ? await openRaw(bench, 'relay') : null;
  const client = await openRaw(bench, 'client');
  await begin(server, { ...order, clientPort: (relay ?? client).port, serverPort: 0 });
  if (relay !== null) await begin(relay, { ...order, clientPort: client.port, serverPort: server.port });
  await begin(client, { ...order, clientPort: 0, serverPort: (relay ?? server).port });
  return client.process;
}

interface RawProcess {
  readonly role: RawOrder['role'];
  readonly process: Forked;
  readonly port: number;
}

async function openRaw(bench: Workbench, role: RawOrder['role']): Promise<RawProcess> {
  const process = bench.fork(`raw-${role}`, 'raw');
  const { port } = await process.next<RawOpened>((message) => 'port' in message, 'open its socket');
  return { role, process, port };
}

async function begin({ role, process }: RawProcess, order: Omit<RawOrder, 'role'>): Promise<void> {
  const ready = process.next<RawReady>((message) => 'ready' in message, 'get ready');
  process.tell({ ...order, role });
  await ready;
}

/** Bytes a second that each process has allocated since it was first asked to count them. */
export function allocationRates(usage: ReadonlyMap<string, Usage>): Map<string, number> {
  return new Map(
    [...usage].map(([role, { allocatedBytes, allocatedMs }]) => [role, (allocatedBytes * 1e3) / allocatedMs]),
  );
}
