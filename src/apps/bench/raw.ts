// Tested by test/loopback/bench.test.ts

import type { ChildProcess } from 'node:child_process';
import type { Percentiles } from '../shared/perf/histogram.js';
import { nextMessage } from './ipc.js';
import type { Usage } from './probe.js';
import type { RawOrder, RawReply } from './raw.child.js';
import type { Cores, Workbench } from './workbench.js';

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
  const warmUpSeconds = Math.min(WARM_UP_SECONDS, bench.warmUpSeconds);
  const times = { warmUpMs: warmUpSeconds * 1e3, measureMs: bench.settings.seconds * 1e3 };
  const order = { payloadBytes, port: 0, window, gapMs, isChecked, ...times };
  const start = (role: RawOrder['role'], port: number) => startRaw(bench, { ...order, role, port });
  try {
    const server = await start('server', 0);
    const target = kind === 'echo' ? server : await start('relay', server.port);
    const client = await start('client', target.port);
    const measured = nextReply(client.child);
    if (allocations) await bench.usage({ allocations });
    const [cores, reply] = await Promise.all([bench.coresAfter(warmUpSeconds), measured]);
    const allocated = allocations ? allocationRates(await bench.usage()) : new Map();
    return { framesPerSecond: reply.framesPerSecond ?? Number.NaN, rtt: reply.rtt ?? null, cores, allocated };
  } finally {
    await bench.clear();
  }
}

async function startRaw(bench: Workbench, order: RawOrder): Promise<{ child: ChildProcess; port: number }> {
  const child = bench.fork(`raw-${order.role}`, 'raw.child.js');
  child.send(order);
  return { child, port: (await nextReply(child)).port ?? 0 };
}

function nextReply(child: ChildProcess): Promise<RawReply> {
  return nextMessage<RawReply>(child, (message) => !('probe' in message));
}

/** Bytes a second that each process has allocated since it was first asked to count them. */
export function allocationRates(usage: ReadonlyMap<string, Usage>): Map<string, number> {
  return new Map(
    [...usage].map(([role, { allocatedBytes, allocatedMs }]) => [role, (allocatedBytes * 1e3) / allocatedMs]),
  );
}
