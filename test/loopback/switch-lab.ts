import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { fastCrc32 } from '../../src/udp/crc.js';
import { Bundle, BundleReader, isBundle } from '../../src/wire/bundle.js';
import { frameType } from '../../src/wire/decode.js';
import { encodeAttach, encodeData, encodeDetach, encodeKeepAlive, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { FrameType, MAX_BUNDLE_BYTES } from '../../src/wire/layout.js';

const EXECUTABLE = fileURLToPath(new URL('../../bin/xpass.mjs', import.meta.url));
/** Starting a process on a busy machine takes a second; this is for one that never says anything. */
const PATIENCE_MS = 60_000;

/** One of the JSON lines of a command. */
export type Event = Readonly<Record<string, unknown>> & { readonly event: string };

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A process of `xpass`, killed at the end of the test if it still runs. */
export class XpassProcess {
  readonly ended: Promise<Ended>;
  readonly events: Event[] = [];
  isOver = false;
  private readonly child: ChildProcessByStdio<null, Readable, Readable>;
  private readonly lines: string[] = [];
  private readonly listeners = new Set<() => void>();

  /** `node` is the Node.js that runs it, `executable` the xpass.mjs. */
  constructor(args: readonly string[], node = process.execPath, executable = EXECUTABLE) {
    const child = spawn(node, [executable, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.child = child;
    const said = { stdout: '', stderr: '' };
    child.stderr.on('data', (chunk: Buffer) => {
      said.stderr += chunk.toString();
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      said.stdout += `${line}\n`;
      this.lines.push(line);
      if (line.startsWith('{')) this.events.push(JSON.parse(line) as Event);
      for (const listener of this.listeners) listener();
    });
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
    child.once('close', () => {
      this.isOver = true;
    });
    onTestFinished(() => {
      child.kill('SIGKILL');
    });
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** The first event of this kind, as soon as it is there. */
  event(kind: string): Promise<Event> {
    return this.find(() => this.events.find(({ event }) => event === kind), `the event '${kind}'`);
  }

  /** The first line of standard output that is like this. */
  line(pattern: RegExp): Promise<string> {
    return this.find(() => this.lines.find((line) => pattern.test(line)), `a line like ${pattern}`);
  }

  private find<T>(look: () => T | undefined, what: string): Promise<T> {
    const arrived = new Promise<T>((resolve) => {
      const listener = () => {
        const found = look();
        if (found !== undefined) resolve(found);
      };
      this.listeners.add(listener);
      listener();
    });
    const over = this.ended.then(({ code, stderr }) => Promise.reject(new Error(`ended with ${code}: ${stderr}`)));
    return within(Promise.race([arrived, over]), what);
  }

  stop(signal: NodeJS.Signals = 'SIGINT'): Promise<Ended> {
    this.child.kill(signal);
    return within(this.ended, `the end by ${signal}`);
  }
}

/** Runs a command to its end. */
export function runXpass(...args: string[]): Promise<Ended> {
  return within(new XpassProcess(args).ended, `the end of ${args.join(' ')}`);
}

/** A switch that is ready, on a port that is free. */
export async function startSwitch(...args: string[]) {
  const running = new XpassProcess(['switch', '--json', '--listen', ':0', ...args]);
  const listening = await running.event('listening');
  const address = String(listening.address);
  return { process: running, listening, control: String(listening.control), port: portOf(address) };
}

export function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

/** What a datagram carries. */
function framesOf(datagram: Buffer): Buffer[] {
  if (!isBundle(datagram, datagram.length)) return [datagram];
  const reader = new BundleReader();
  reader.open(datagram, datagram.length);
  const frames: Buffer[] = [];
  while (reader.next()) frames.push(Buffer.from(reader.bytes.subarray(0, reader.length)));
  return frames;
}

/** A host made of a bare socket, which says what the test wants it to say. */
export class RawHost {
  readonly id: number;
  private readonly socket: Socket;
  private readonly switchPort: number;
  private readonly token: number;
  private readonly received: Buffer[] = [];
  /** Datagrams that have come. */
  datagrams = 0;
  private wake: () => void = () => {};

  private constructor(socket: Socket, switchPort: number, { id, token }: { id: number; token: number }) {
    this.socket = socket;
    this.switchPort = switchPort;
    this.id = id;
    this.token = token;
    socket.on('message', (bytes) => {
      this.datagrams++;
      this.received.push(...framesOf(bytes));
      this.wake();
    });
    onTestFinished(() => {
      socket.close();
    });
  }

  /** A host that has asked for its id; the answer is the next frame. */
  static async attach(switchPort: number, id: number, token = id): Promise<RawHost> {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const host = new RawHost(socket, switchPort, { id, token });
    host.send((bytes) => encodeAttach(bytes, host.toSwitch, { token, maxFrameBytes: 0 }, fastCrc32));
    return host;
  }

  /** The same, attached. */
  static async attached(switchPort: number, id: number): Promise<RawHost> {
    const host = await RawHost.attach(switchPort, id);
    expect(frameType(await host.next())).toBe(FrameType.attached);
    return host;
  }

  /** One data frame with this payload. */
  sendData(destination: number, payload: string): void {
    this.send((bytes) => this.encodeData(bytes, destination, payload));
  }

  /** The same for several frames in one datagram. */
  sendTogether(frames: readonly { readonly to: number; readonly payload: string }[]): void {
    const bundle = new Bundle(new Uint8Array(MAX_BUNDLE_BYTES));
    for (const { to, payload } of frames) {
      const frame = new Frame(Buffer.alloc(1472));
      frame.length = this.encodeData(frame.bytes, to, payload);
      bundle.append(frame);
    }
    this.socket.send(bundle.bytes.subarray(0, bundle.length), this.switchPort, '127.0.0.1');
  }

  private encodeData(bytes: Uint8Array, destination: number, payload: string): number {
    const header = { destination, source: this.id, flowId: 77 };
    const fields = { creditSequence: 1, explicitRate: 0, offset: 0, unused: 0, flags: 0, pathId: 0 };
    const start = encodeData(bytes, header, fields);
    const end = start + Buffer.from(payload).copy(bytes, start);
    return seal(bytes, end, fastCrc32);
  }

  keepAlive(): void {
    this.send((bytes) => encodeKeepAlive(bytes, this.toSwitch, { token: this.token }, fastCrc32));
  }

  detach(): void {
    this.send((bytes) => encodeDetach(bytes, this.toSwitch, { token: this.token }, fastCrc32));
  }

  /** The next frame from the switch. */
  async next(): Promise<Buffer> {
    const arrived = new Promise<void>((resolve) => {
      this.wake = resolve;
      if (this.received.length > 0) resolve();
    });
    await within(arrived, `a frame for host ${this.id}`);
    return this.received.shift() as Buffer;
  }

  /** The payload of the next frame, which is one of data. */
  async nextPayload(): Promise<string> {
    const bytes = await this.next();
    expect(frameType(bytes)).toBe(FrameType.data);
    return bytes.toString('utf8', 22, bytes.length - 4);
  }

  /** Frames that have come and that nobody has asked for. */
  get unread(): number {
    return this.received.length;
  }

  private get toSwitch() {
    return { destination: 0, source: this.id, flowId: 0 };
  }

  private send(encode: (bytes: Buffer) => number): void {
    const bytes = Buffer.alloc(1472);
    this.socket.send(bytes.subarray(0, encode(bytes)), this.switchPort, '127.0.0.1');
  }
}

/** Below the ports that Linux gives to whoever asks for any (ip_local_port_range), so that no other process gets one meanwhile. */
const LOWEST_PORT = 20_000;
const PORTS = 12_000;

/** Ports of this machine that are free at the moment, for UDP and, as a switch wants for its control, for TCP. */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = LOWEST_PORT + randomInt(PORTS);
    if (await isFree(port)) found.add(port);
  }
  return [...found];
}

async function isFree(port: number): Promise<boolean> {
  const [udp, tcp] = [createSocket('udp4'), createServer()];
  try {
    udp.bind(port, '127.0.0.1');
    await once(udp, 'listening');
    tcp.listen(port, '127.0.0.1');
    await once(tcp, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    udp.close();
    tcp.close();
  }
}

/** A folder that is there until the end of the test. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'xpass-switch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Fails with `what` when it does not come. */
export async function within<T>(promise: Promise<T>, what: string, patienceMs = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${patienceMs} ms for ${what}`)), patienceMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
