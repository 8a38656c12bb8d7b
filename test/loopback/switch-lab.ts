import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { EventEmitter, once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { COMMANDS } from '../../src/apps/cli/commands.js';
import { runProgram } from '../../src/apps/cli/program.js';
import { fastCrc32 } from '../../src/udp/crc.js';
import { Bundle, BundleReader, isBundle } from '../../src/wire/bundle.js';
import { frameType } from '../../src/wire/decode.js';
import { encodeData, seal } from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import { Attach, AttachChallenge, Attached, Detach, KeepAlive } from '../../src/wire/frames.js';
import { FrameType, MAX_BUNDLE_BYTES } from '../../src/wire/layout.js';
import { BITS_BYTES, COOKIE_BYTES } from '../../src/wire/proofs.js';

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

/** A command of `xpass` that runs, and what it has said. */
export abstract class XpassRun {
  abstract readonly ended: Promise<Ended>;
  readonly events: Event[] = [];
  isOver = false;
  protected readonly said = { stdout: '', stderr: '' };
  private readonly lines: string[] = [];
  private readonly listeners = new Set<() => void>();

  protected listen(stdout: Readable, stderr: Readable): void {
    stderr.on('data', (chunk: Buffer) => {
      this.said.stderr += chunk.toString();
    });
    createInterface({ input: stdout }).on('line', (line) => {
      this.said.stdout += `${line}\n`;
      this.lines.push(line);
      if (line.startsWith('{')) this.events.push(JSON.parse(line) as Event);
      for (const listener of this.listeners) listener();
    });
  }

  protected abstract signal(signal: NodeJS.Signals): void;

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
    this.signal(signal);
    return within(this.ended, `the end by ${signal}`);
  }
}

/** A process of `xpass`, killed at the end of the test if it still runs. */
export class XpassProcess extends XpassRun {
  readonly ended: Promise<Ended>;
  protected readonly child: ChildProcessByStdio<Writable, Readable, Readable>;

  /** `node` is the Node.js that runs it, `executable` the xpass.mjs. */
  constructor(args: readonly string[], node = process.execPath, executable = EXECUTABLE, env = process.env) {
    super();
    this.child = spawn(node, [executable, ...args], { stdio: 'pipe', env });
    this.listen(this.child.stdout, this.child.stderr);
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code) => {
        this.isOver = true;
        resolve({ code, ...this.said });
      }),
    );
    onTestFinished(() => this.signal('SIGKILL'));
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  protected signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }
}

/** A command in the process of the test: it starts in milliseconds, where a process takes most of a second. */
export class XpassCommand extends XpassRun {
  readonly ended: Promise<Ended>;
  private readonly signals = Object.assign(new EventEmitter(), { exit: () => undefined });

  constructor(args: readonly string[]) {
    super();
    this.ended = this.run(args);
    onTestFinished(async () => {
      if (!this.isOver) await this.stop('SIGTERM');
    });
  }

  private async run(argv: readonly string[]): Promise<Ended> {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    this.listen(stdout, stderr);
    const code = await runProgram({ argv, commands: COMMANDS, stdout, stderr, signals: this.signals });
    const ends = Promise.all([once(stdout, 'close'), once(stderr, 'close')]);
    stdout.end();
    stderr.end();
    await ends;
    this.isOver = true;
    return { code, ...this.said };
  }

  protected signal(signal: NodeJS.Signals): void {
    expect(signal, 'only a process can be killed').not.toBe('SIGKILL');
    this.signals.emit(signal, signal);
  }
}

/** Runs a command to its end, in a process. */
export function runXpass(...args: string[]): Promise<Ended> {
  return within(new XpassProcess(args).ended, `the end of ${args.join(' ')}`);
}

/** Runs a command to its end, in the process of the test. */
export function runHere(...args: string[]): Promise<Ended> {
  return within(new XpassCommand(args).ended, `the end of ${args.join(' ')}`);
}

/** In which way a command runs. */
export type Starts<T extends XpassRun> = new (args: readonly string[]) => T;

/** A switch that is ready, on a port that is free. */
export const startSwitch = (...args: string[]) => readySwitch(XpassCommand, args);

/** The same in a process of its own, for who kills it or sends more than the test's process can do beside it. */
export const startSwitchProcess = (...args: string[]) => readySwitch(XpassProcess, args);

async function readySwitch<T extends XpassRun>(Run: Starts<T>, args: readonly string[]) {
  const running = new Run(['switch', '--json', '--listen', ':0', ...args]);
  const listening = await running.event('listening');
  const address = String(listening.address);
  return { process: running, listening, control: String(listening.control), port: portOf(address) };
}

export function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(':') + 1));
}

/** What a datagram carries. */
export function framesOf(datagram: Buffer): Buffer[] {
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
  private readonly nonce = randomBytes(BITS_BYTES);
  private counter = 0;
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
    host.ask(new Uint8Array(COOKIE_BYTES));
    const challenge = await host.next();
    expect(frameType(challenge)).toBe(AttachChallenge.type);
    host.ask(AttachChallenge.read.cookie(challenge, new Uint8Array(COOKIE_BYTES)));
    return host;
  }

  /** The same, attached. */
  static async attached(switchPort: number, id: number): Promise<RawHost> {
    const host = await RawHost.attach(switchPort, id);
    expect(frameType(await host.next())).toBe(Attached.type);
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
    this.send((bytes) => KeepAlive.encode(bytes, this.toSwitch, this.proved, fastCrc32));
  }

  detach(): void {
    this.send((bytes) => Detach.encode(bytes, this.toSwitch, this.proved, fastCrc32));
  }

  private get proved() {
    return { token: this.token, counter: ++this.counter, proof: this.nonce };
  }

  private ask(cookie: Uint8Array): void {
    const { token, nonce } = this;
    const fields = { token, maxFrameBytes: 0, nonce, cookie, proof: nonce };
    this.send((bytes) => Attach.encode(bytes, this.toSwitch, fields, fastCrc32));
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

/** A file that is there until the end of the test; returns its path. */
export async function scratchFile(name: string, text: string): Promise<string> {
  const path = join(await scratchFolder(), name);
  await writeFile(path, text);
  return path;
}

/** A UDP socket that says nothing, bound to a free port until the end of the test; returns the port. */
export async function silentPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return socket.address().port;
}

/** A process of this machine. */
export interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes of this machine that have not ended. */
export async function processes(): Promise<Process[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,stat=,args=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined || state.startsWith('Z') ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
}

/** Those of them that one has started. Linux has a list, which costs a tenth of a process of ps. */
export async function childrenOf(parent: number): Promise<Process[]> {
  const pids = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => null);
  if (pids === null) return (await processes()).filter((each) => each.parent === parent);
  const found = pids.match(/\d+/g)?.map(async (pid) => {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    return { pid: Number(pid), parent, command: command.replaceAll('\0', ' ').trim() };
  });
  // Those that have ended have no command line.
  return (await Promise.all(found ?? [])).filter(({ command }) => command !== '');
}

/** Asks until the answer is so: real time passes at its own pace. */
export async function untilSo<T>(ask: () => T | Promise<T>, isSo: (answer: T) => boolean, what: string): Promise<T> {
  let isOver = false;
  const look = async (): Promise<T> => {
    for (;;) {
      const answer = await ask();
      if (isOver || isSo(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  return within(look(), what).finally(() => {
    isOver = true;
  });
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
