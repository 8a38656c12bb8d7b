import { ConfigError } from '../../base/config-error.js';
import { printable } from '../../base/display.js';
import type { CreditChoice } from '../../core/application.js';
import { findCreditAlgorithm, resolveCreditParameters } from '../../core/credit/registry.js';
import { CREDIT_CLASSES, MAX_WEIGHT, type ShareOptions } from '../../core/flow-terms.js';
import { isWindowAlgorithm } from '../../core/window/registry.js';
import { Fault } from '../file/fault.js';
import type { Message } from '../file/message.js';

/** Kind of every stream of a test that opens with a request or carries data. docs/APPLICATIONS.md, "perf" */
export const PERF_KIND = 'perf';

/** Flows of one test: as many as leave room for other streams of a daemon (ours). */
export const MAX_FLOWS = 512;
/** A day (ours): long enough for any soak, short enough that a forgotten client ends. */
export const MAX_DURATION_NS = 86_400e9;

/** Of one message or one write (ours): what a flow holds in its buffers at most. */
export const MAX_LENGTH_BYTES = 64 * 1024 * 1024;

/** Of a block that nobody gave a length: iperf3's of TCP (its help). */
export const DEFAULT_BLOCK_BYTES = 131_072;

/**
 * `forward`: the client sends the data; `reverse`: the server does; `both`: both do; `exchange`: the server answers each message of the client with
 * one as long.
 */
export const DIRECTIONS = ['forward', 'reverse', 'both', 'exchange'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** How fast each flow writes. */
export interface Pace {
  readonly rateBps: number;
  /** Written at once, then nothing until the rate allows as much again; 0: smoothly. */
  readonly burstBytes: number;
}

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
  /** Absent: as fast as the credits come. */
  readonly pace?: Pace;
  /** Of one write, of a block that is timed, or of one message of an exchange; absent: as the sender likes. */
  readonly lengthBytes?: number;
  /**
   * Algorithm for the data, and its parameters; '' for credits as the data's receiver issues them. A window algorithm counts where the server
   * sends, a credit algorithm where it receives. (Both in one
   * field: a server that does not know the second kind refuses the test.)
   */
  readonly window: string;
  readonly windowParameters: Readonly<Record<string, number>>;
  /** Of the flows of data; absent where the client wants nothing else than usual. */
  readonly share?: ShareOptions;
  /** The server's results are to come with what it printed of this test, or would have. */
  readonly output?: OutputKind;
}

/** Lines for people, or the server's document. */
export type OutputKind = 'text' | 'json';

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
  const known = DIRECTIONS.find((name) => name === direction);
  if (known === undefined) return malformed(`its direction is none of ${DIRECTIONS.join(', ')}`);
  if (!isCount(flows, 1, MAX_FLOWS)) return malformed(`its flows are not a number from 1 to ${MAX_FLOWS}`);
  const isTimed = isCount(durationNs, 1, MAX_DURATION_NS) && bytes === null;
  const isSized = isCount(bytes, 1, Number.MAX_SAFE_INTEGER) && durationNs === null;
  if (!isTimed && !isSized) return malformed('it has not exactly one of durationNs and bytes');
  if (!isCount(omitNs, 0, isTimed ? MAX_DURATION_NS : 0)) return malformed('its omitNs makes no sense');
  const algorithm = parseAlgorithm(message, known);
  if (algorithm instanceof Fault) return algorithm;
  const share = parseShare(message.share);
  if (share instanceof Fault) return share;
  const writes = parseWrites(message, known);
  if (writes instanceof Fault) return writes;
  const limits = { durationNs: durationNs as number | null, bytes: bytes as number | null, omitNs };
  return {
    kind: PERF_KIND,
    role: 'control',
    test,
    direction: known,
    flows,
    ...limits,
    ...writes,
    ...algorithm,
    ...(share !== null && { share }),
    ...((message.output === 'text' || message.output === 'json') && { output: message.output }),
  };
}

/** How the flows of data are written. */
function parseWrites(
  { pace, lengthBytes }: Message,
  direction: Direction,
): Pick<PerfRequest, 'pace' | 'lengthBytes'> | Fault {
  const isLength = isCount(lengthBytes, 1, MAX_LENGTH_BYTES);
  if (!isLength && (lengthBytes !== undefined || direction === 'exchange'))
    return malformed(`its lengthBytes is not a number from 1 to ${MAX_LENGTH_BYTES}`);
  const { rateBps, burstBytes } = (typeof pace === 'object' && pace !== null ? pace : {}) as Record<string, unknown>;
  const isPace = typeof rateBps === 'number' && rateBps >= 1 && isCount(burstBytes, 0, Number.MAX_SAFE_INTEGER);
  if (pace !== undefined && !isPace) return malformed('its pace makes no sense');
  return { ...(isPace && { pace: { rateBps, burstBytes } }), ...(isLength && { lengthBytes }) };
}

function parseShare(share: unknown): ShareOptions | null | Fault {
  if (share === undefined) return null;
  if (typeof share !== 'object' || share === null) return malformed('its share is no object');
  const { weight = 1, creditClass = 'high' } = share as Record<string, unknown>;
  const known = CREDIT_CLASSES.find((name) => name === creditClass);
  if (!isCount(weight, 1, MAX_WEIGHT) || known === undefined) return malformed('its weight or class makes no sense');
  return { weight, creditClass: known };
}

type Algorithm = Pick<PerfRequest, 'window' | 'windowParameters'>;

function parseAlgorithm({ window = '', windowParameters = {} }: Message, direction: Direction): Algorithm | Fault {
  if (typeof window !== 'string' || typeof windowParameters !== 'object' || windowParameters === null)
    return malformed('its window is no name with parameters');
  const entries = Object.entries(windowParameters);
  if (!entries.every(([, value]) => typeof value === 'number'))
    return malformed('the parameters of its window are no numbers');
  const parameters = Object.fromEntries(entries) as Record<string, number>;
  const fault = window === '' || isWindowAlgorithm(window) ? null : creditFault(window, parameters, direction);
  return fault ?? { window, windowParameters: parameters };
}

/** Why a test cannot run with this credit algorithm; null if it can. */
function creditFault(name: string, parameters: Record<string, number>, direction: Direction): Fault | null {
  if (direction === 'reverse') return malformed('its client receives and chooses the credit algorithm itself');
  try {
    resolveCreditParameters(findCreditAlgorithm(name), parameters);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return new Fault('unsupported', printable(error.message));
  }
}

/** The credit algorithm that the test's server is to use for the data; null for its own, and where it receives none. */
export function creditChoice({ direction, window, windowParameters }: PerfRequest): CreditChoice | null {
  const isChosen = direction !== 'reverse' && window !== '' && !isWindowAlgorithm(window);
  return isChosen ? { name: window, parameters: windowParameters } : null;
}

function isCount(value: unknown, least: number, most: number): value is number {
  return Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
}

function malformed(why: string): Fault {
  return new Fault('badMessage', `a perf stream's header makes no sense: ${why}`);
}
