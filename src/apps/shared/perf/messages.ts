import { isWindowAlgorithm } from '../../../core/window/registry.js';
import { Fault } from '../files/fault.js';
import type { Message } from '../files/message.js';
import type { SideResults } from './results.js';

/** Kind of every stream of a test that opens with a request or carries data. docs/APPLICATIONS.md, "perf" */
export const PERF_KIND = 'perf';

/** Flows of one test: as many as leave room for other streams of a daemon (ours). */
export const MAX_FLOWS = 512;
/** A day (ours): long enough for any soak, short enough that a forgotten client ends. */
export const MAX_DURATION_NS = 86_400e9;

/** `forward`: the client sends the data; `reverse`: the server does. */
export type Direction = 'forward' | 'reverse';

/** What a client wants, the header of the test's control stream. Exactly one of `durationNs` and `bytes` is there. */
export interface PerfRequest extends Message {
  readonly kind: typeof PERF_KIND;
  readonly role: 'control';
  /** Chosen at random by the client; the data streams name it. */
  readonly test: string;
  readonly direction: Direction;
  readonly flows: number;
  readonly durationNs: number | null;
  /** Of each flow. */
  readonly bytes: number | null;
  /** Time at the start of each flow that is not measured and does not count towards the duration; 0 with `bytes`. */
  readonly omitNs: number;
  /** Window algorithm for the data of a test in reverse, and its parameters; '' for credits. */
  readonly window: string;
  readonly windowParameters: Readonly<Record<string, number>>;
}

/** Header of a stream of data, which lasts until the stream ends. */
export interface PerfData extends Message {
  readonly kind: typeof PERF_KIND;
  readonly role: 'data';
  readonly test: string;
  /** From 0 up; each flow of a test has its own. */
  readonly index: number;
}

/** Header of the server's answer to the control stream: data may come. */
export interface PerfReady extends Message {
  readonly kind: 'perf-ready';
}

/** Trailer of both control streams. */
export interface PerfResults extends SideResults, Message {
  readonly kind: 'perf-results';
}

/** The first message of a stream of the kind `perf`. */
export function parseHeader(header: Message): PerfRequest | PerfData | Fault {
  const { test, role } = header;
  if (typeof test !== 'string' || !/^[0-9a-f]{1,32}$/.test(test)) return malformed('it names no test');
  if (role === 'data') return parseData(test, header);
  if (role === 'control') return parseRequest(test, header);
  return malformed("its role is neither 'control' nor 'data'");
}

function parseData(test: string, { index }: Message): PerfData | Fault {
  if (!isCount(index, 0, MAX_FLOWS - 1)) return malformed(`its index is not a number from 0 to ${MAX_FLOWS - 1}`);
  return { kind: PERF_KIND, role: 'data', test, index };
}

function parseRequest(test: string, message: Message): PerfRequest | Fault {
  const { direction, flows, durationNs, bytes, omitNs = 0 } = message;
  if (direction !== 'forward' && direction !== 'reverse')
    return malformed("its direction is not 'forward' or 'reverse'");
  if (!isCount(flows, 1, MAX_FLOWS)) return malformed(`its flows are not a number from 1 to ${MAX_FLOWS}`);
  const isTimed = isCount(durationNs, 1, MAX_DURATION_NS) && bytes === null;
  const isSized = isCount(bytes, 1, Number.MAX_SAFE_INTEGER) && durationNs === null;
  if (!isTimed && !isSized) return malformed('it has not exactly one of durationNs and bytes');
  if (!isCount(omitNs, 0, isTimed ? MAX_DURATION_NS : 0)) return malformed('its omitNs makes no sense');
  const window = parseWindow(message);
  if (window === null) return malformed('its window is no algorithm with numbers for parameters');
  const limits = { durationNs: durationNs as number | null, bytes: bytes as number | null, omitNs };
  return { kind: PERF_KIND, role: 'control', test, direction, flows, ...limits, ...window };
}

function parseWindow({
  window = '',
  windowParameters = {},
}: Message): Pick<PerfRequest, 'window' | 'windowParameters'> | null {
  if (typeof window !== 'string' || (window !== '' && !isWindowAlgorithm(window))) return null;
  if (typeof windowParameters !== 'object' || windowParameters === null) return null;
  const entries = Object.entries(windowParameters);
  if (!entries.every(([, value]) => typeof value === 'number')) return null;
  return { window, windowParameters: Object.fromEntries(entries) as Record<string, number> };
}

function isCount(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function malformed(why: string): Fault {
  return new Fault('badMessage', `a perf stream's header makes no sense: ${why}`);
}
