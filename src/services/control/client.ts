// Tested by test/loopback/switch-control.test.ts
import { connect, type Socket } from 'node:net';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import type { ImpairmentConfig } from '../../switch/impairment.js';
import type { DirectionSnapshot } from '../../switch/link-direction.js';
import type { PortConfig } from '../../switch/port.js';
import type { PortSample, SwitchStatistics } from '../../switch/switch.js';
import type { DriverStatistics } from '../../udp/statistics.js';
import { CONTROL_ADDRESS, type ControlAddress, formatControlAddress, netOptions } from './address.js';
import { LineSplitter } from './lines.js';

/** What a switch says of itself: counts since the last reset, as plain JSON. */
export interface SwitchReport extends SwitchStatistics {
  /** The switch's own time, ns since its start: rates are differences between two reports over the difference of these. */
  atNs: number;
}

/** What the switch's process takes: of the processor since its start, which was at this time of the system's clock, and of memory. */
export interface ProcessUse {
  readonly startedAtS: number;
  readonly cpuS: number;
  readonly residentBytes: number;
}

/** Settings of a link that change while it runs; Infinity is unlimited and "never marks". */
export type LinkSettingChanges = Partial<PortConfig & ImpairmentConfig>;

/** One line from the switch. */
export type ControlReply =
  | { readonly ok: true; readonly result: object }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };

export interface SwitchControlOptions {
  /** How long the switch has for the connection, and for each answer. */
  readonly timeoutMs?: number;
  /** What the failure of a switch that does not answer ends with: what was last heard of the caller's processes. */
  readonly lastHeard?: () => string;
  /** For a switch that takes commands by TCP. */
  readonly token?: string;
}

/** A switch that is busy forwarding answers within milliseconds; this is for one that is stopped (ours). */
const DEFAULT_TIMEOUT_MS = 5_000;
/** Answers grow with the topology, by 1 KiB a port. Ours: 16,000 ports. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

interface Waiting {
  resolve(result: object): void;
  reject(failure: Failure): void;
  timer: NodeJS.Timeout;
}

/**
 * A kept connection to the control of a switch: newline-delimited JSON, one answer a request, in their order (docs/decisions/0006).
 * All requests reject with a Failure: `peer` (3) when the switch does not answer or went away, `usage` (2) with the switch's own sentence when it does not
 * take the command. After the first kind the connection is over; connect anew.
 */
export class SwitchControl {
  /** Of the switch, as people write it. */
  readonly address: string;
  private readonly socket: Socket;
  private readonly timeoutMs: number;
  private readonly lastHeard: (() => string) | undefined;
  private readonly lines = new LineSplitter(MAX_ANSWER_BYTES);
  private readonly waiting: Waiting[] = [];
  private over: Failure | null = null;

  private constructor(address: string, socket: Socket, { timeoutMs, lastHeard }: SwitchControlOptions) {
    this.address = address;
    this.socket = socket;
    this.timeoutMs = timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.lastHeard = lastHeard;
    socket.on('data', (chunk: Buffer) => this.handleBytes(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => this.end(`went away (${error.code ?? error.message})`));
    socket.on('close', () => this.end('closed the connection'));
  }

  /** Connects to the address that the `control` of the switch's ready line names. Throws a Failure (3) that names it when no switch answers there. */
  static async connect(at: ControlAddress | string, options: SwitchControlOptions = {}): Promise<SwitchControl> {
    const to = typeof at === 'string' ? CONTROL_ADDRESS.parse(at) : at;
    if (to === undefined) throw usageFailure(`control '${at}' is not allowed; allowed: ${CONTROL_ADDRESS.allowed}`);
    const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const address = formatControlAddress(to);
    const socket = await openSocket(to, { address, timeoutMs });
    const control = new SwitchControl(address, socket, options);
    if (options.token !== undefined) await control.request({ token: options.token });
    return control;
  }

  get isClosed(): boolean {
    return this.over !== null;
  }

  /** Every port with its counters, and who is attached. */
  async ports(): Promise<SwitchReport> {
    return (await this.request({ verb: 'ports' })) as SwitchReport;
  }

  /** Changes a link, both directions by its name or one as `from->to`; returns the changed directions as they are now. */
  async setLink(link: string, changes: LinkSettingChanges): Promise<DirectionSnapshot[]> {
    const result = await this.request({ verb: 'set', link, changes });
    return (result as { ports: DirectionSnapshot[] }).ports;
  }

  /** One point of a series for every port. */
  async sample(): Promise<PortSample[]> {
    return ((await this.request({ verb: 'sample' })) as { ports: PortSample[] }).ports;
  }

  /** Starts all of the switch's counts anew, those of its sockets left out. */
  async reset(): Promise<void> {
    await this.request({ verb: 'reset' });
  }

  /** One switch of the topology loses what its ports hold, and what comes to it until `startSwitch`. */
  async stopSwitch(name: string): Promise<void> {
    await this.request({ verb: 'stop', switch: name });
  }

  async startSwitch(name: string): Promise<void> {
    await this.request({ verb: 'start', switch: name });
  }

  /** What the switch's sockets and its event loop count. */
  async driver(): Promise<DriverStatistics> {
    return (await this.request({ verb: 'driver' })) as DriverStatistics;
  }

  /** What the switch's process takes of its machine. */
  async process(): Promise<ProcessUse> {
    return (await this.request({ verb: 'process' })) as ProcessUse;
  }

  /** Ends the connection; requests that have no answer yet reject. */
  close(): void {
    this.end('was left by this process');
  }

  /** Sends any command of the protocol. JSON has no Infinity, so that is sent as null. */
  request(command: object): Promise<object> {
    if (this.over !== null) return Promise.reject(this.over);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.end(`did not answer within ${this.timeoutMs} ms${this.heard()}`),
        this.timeoutMs,
      );
      this.waiting.push({ resolve, reject, timer });
      this.socket.write(`${JSON.stringify(command)}\n`);
    });
  }

  private heard(): string {
    return this.lastHeard === undefined ? '' : `; last heard: ${this.lastHeard()}`;
  }

  private handleBytes(chunk: Buffer): void {
    for (const line of this.lines.push(chunk)) {
      if (this.over !== null) return;
      if (line === null) this.end(`sent a line of more than ${MAX_ANSWER_BYTES} bytes`);
      else this.handleLine(line);
    }
  }

  private handleLine(line: string): void {
    const reply = readReply(line);
    if (reply === null) {
      this.end('sent what is no answer: something else than a switch listens there');
      return;
    }
    const request = this.waiting.shift();
    // A switch that ends a connection says why without being asked.
    if (request === undefined) {
      if (!reply.ok) this.end(`said: ${reply.error.message}`);
      return;
    }
    clearTimeout(request.timer);
    if (reply.ok) request.resolve(reply.result);
    else request.reject(usageFailure(reply.error.message));
  }

  private end(why: string): void {
    this.over ??= new Failure(ExitCode.peer, `the switch at ${this.address} ${why}`);
    this.socket.destroy();
    for (const { reject, timer } of this.waiting.splice(0)) {
      clearTimeout(timer);
      reject(this.over);
    }
  }
}

function openSocket(to: ControlAddress, about: { address: string; timeoutMs: number }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(netOptions(to));
    const fail = (why: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new Failure(ExitCode.peer, `no switch answers at ${about.address} (${why})`));
    };
    const timer = setTimeout(() => fail(`${about.timeoutMs} ms`), about.timeoutMs);
    const onError = (error: NodeJS.ErrnoException): void => fail(error.code ?? error.message);
    socket.once('error', onError);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', onError);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

function readReply(line: string): ControlReply | null {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return null;
  }
  const reply = value as Partial<{ ok: unknown; result: unknown; error: { message?: unknown } }> | null;
  if (reply?.ok === true && typeof reply.result === 'object') return value as ControlReply;
  return reply?.ok === false && typeof reply.error?.message === 'string' ? (value as ControlReply) : null;
}
