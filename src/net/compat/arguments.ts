// Tested by test/net/compat/arguments.test.ts
import type { ListenOptions, NetConnectOpts, TcpSocketConnectOpts } from 'node:net';
import type { FlowOptions, HostOptions } from '../host-options.js';
import { codedRangeError, codedTypeError } from './errors.js';

/** Options of xpass, in the property `xpass` of the options of `connect`, `new Socket` and `createServer`. */
export interface XpassOptions
  extends Omit<HostOptions, 'listen' | 'switch' | 'hostId' | 'peer' | 'signal'>,
    Pick<FlowOptions, 'weight' | 'class'> {}

/** What `connect` takes: the options of node:net, those of xpass, and a signal. */
export type ConnectOptions = NetConnectOpts & {
  readonly xpass?: XpassOptions;
  readonly signal?: AbortSignal | undefined;
};

/** Checked: there is a port, or a path, which is refused later. */
export type ConnectTarget = Partial<TcpSocketConnectOpts> & {
  readonly path?: string;
  readonly timeout?: number;
  readonly xpass?: XpassOptions;
};

type Callback = () => void;

export interface ConnectCall {
  readonly options: ConnectTarget;
  readonly callback: Callback | undefined;
}

export interface ListenCall {
  readonly options: ListenOptions & { readonly port: number };
  readonly callback: Callback | undefined;
}

/** The forms of `connect`: options, port and host, or path; each with a callback. Throws as node:net does. */
export function connectCall(all: readonly unknown[]): ConnectCall {
  const callback = callbackOf(all);
  return { options: checked(targetOf(all)), callback };
}

function targetOf([first, second]: readonly unknown[]): ConnectTarget {
  if (typeof first === 'object' && first !== null) return first;
  if (isPath(first)) return { path: first };
  return { ...(first !== undefined && { port: first as number }), ...(isText(second) && { host: second }) };
}

function checked(options: ConnectTarget): ConnectTarget {
  const { port, path, host } = options;
  if (path !== undefined && path !== null) return options;
  if (port === undefined) {
    throw codedTypeError('ERR_MISSING_ARGS', 'The "options" or "port" or "path" argument must be specified');
  }
  if (host !== undefined && host !== null && typeof host !== 'string') throw wrongType('options.host', 'string', host);
  return { ...options, port: portNumber(port, 'options.port') };
}

/** The forms of `listen`: nothing, options, or port, host and backlog; each with a callback. Throws as node:net does. */
export function listenCall(all: readonly unknown[]): ListenCall {
  const callback = callbackOf(all);
  const [first, second] = all;
  if (first === undefined || first === null || typeof first === 'function') return { options: { port: 0 }, callback };
  if (typeof first === 'object') return { options: listenOptions(first), callback };
  if (isPath(first)) throw noPaths(first);
  return { options: { port: portNumber(first, 'options.port'), ...(isText(second) && { host: second }) }, callback };
}

function listenOptions(options: ListenOptions): ListenCall['options'] {
  const { port, path } = options;
  if (path !== undefined) throw noPaths(path);
  if (port === undefined && 'port' in options) return { ...options, port: 0 };
  if (port === undefined) {
    throw codedTypeError('ERR_INVALID_ARG_VALUE', 'The argument \'options\' must have the property "port".');
  }
  return { ...options, port: portNumber(port, 'options.port') };
}

/** Sockets of UDP have no paths. */
export function noPaths(path: string): TypeError {
  return codedTypeError(
    'ERR_INVALID_ARG_VALUE',
    `The argument 'path' must be left out, since xpass runs over UDP: give a port. Received '${path}'`,
  );
}

function callbackOf(all: readonly unknown[]): Callback | undefined {
  const last = all.at(-1);
  return typeof last === 'function' ? (last as Callback) : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** As in node:net: a text that is no number. */
const isPath = (value: unknown): value is string => isText(value) && !(Number(value) >= 0);

const MAX_PORT = 65_535;

function portNumber(port: unknown, name: string): number {
  if (typeof port !== 'number' && typeof port !== 'string') throw wrongType(name, 'number or string', port);
  const value = isText(port) && port.trim() === '' ? Number.NaN : Number(port);
  if (Number.isInteger(value) && value >= 0 && value <= MAX_PORT) return value;
  throw codedRangeError('ERR_SOCKET_BAD_PORT', `${name} should be >= 0 and < 65536. Received ${port}.`);
}

function wrongType(name: string, allowed: string, value: unknown): TypeError {
  return codedTypeError(
    'ERR_INVALID_ARG_TYPE',
    `The "${name}" property must be of type ${allowed}. Received ${value === null ? 'null' : `type ${typeof value}`}`,
  );
}
