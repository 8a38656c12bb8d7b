import { execFile, execFileSync } from 'node:child_process';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { areSame, randomFile, received } from '../send-lab.js';
import {
  type Ended,
  freePorts,
  runHere,
  scratchFile,
  scratchFolder,
  within,
  XpassCommand,
  XpassProcess,
  type XpassRun,
} from '../switch-lab.js';
import type { Row, Who } from './rows.js';

const EXECUTABLE = fileURLToPath(new URL('../../../bin/xpass.mjs', import.meta.url));
const CLOCK_STEP = fileURLToPath(new URL('clock-step.mjs', import.meta.url));
/** Slow enough for eight cases at a time on two cores. */
const LINK_RATE = '10mbit';
/** Parts of the file that have arrived when something happens. */
const MIDDLE = 0.15;
const END = 0.9;
/** For a whole case on a machine that is busy: the longest takes 30 s on a quiet one. */
const PATIENCE_MS = 90_000;
/** A host id is free four seconds after its process was killed (PROTOCOL §3.9); a start that finds it taken is tried again. */
const TRIES = 40;
const TRY_MS = 300;
/** Above any process here; a file's window is 4 MiB, and V8 starts with 60 MB. */
const MOST_RESIDENT_KB = 400_000;
/** Room for less than the file. */
const SMALL_DISK = '1m';

/** The processes of one case: a switch, a daemon and a sender. Who something happens to is a process of its own, the others run in this one. */
export class ChaosBed {
  readonly file: string;
  readonly directory: string;
  readonly isMounted: boolean;
  fabric: XpassRun | null = null;
  daemon!: XpassRun;
  sender!: XpassRun;
  private nat: Nat | null = null;
  private natPort = 0;
  private readonly row: Row;
  private readonly ports: { fabric: number; daemon: number };
  private readonly started: XpassProcess[] = [];

  private constructor(row: Row, parts: { file: string; directory: string; ports: number[]; isMounted: boolean }) {
    const [fabric, daemon] = parts.ports as [number, number];
    this.row = row;
    this.ports = { fabric, daemon };
    this.file = parts.file;
    this.directory = parts.directory;
    this.isMounted = parts.isMounted;
  }

  static async make(row: Row): Promise<ChaosBed> {
    const [file, directory, ports] = await Promise.all([
      randomFile('chaos.bin', row.fileBytes),
      scratchFolder(),
      freePorts(2),
    ]);
    const isMounted = row.what.kind === 'full' && mountSmall(directory);
    return new ChaosBed(row, { file, directory, ports, isMounted });
  }

  async startSwitch(): Promise<void> {
    if (this.row.isDirect) return;
    const at = ['--listen', `127.0.0.1:${this.ports.fabric}`, '--hosts', '3', '--link-rate', LINK_RATE];
    this.fabric = await this.run('switch', ['switch', '--json', ...at]);
    await this.fabric.event('listening');
  }

  /** Tried until the id of the one before is free. */
  async startDaemon(): Promise<void> {
    const where = this.row.isDirect
      ? ['--listen', `127.0.0.1:${this.ports.daemon}`, '--rate', LINK_RATE]
      : [...this.atSwitch, '--host-id', '2'];
    const args = ['daemon', '--json', '-d', this.directory, '--interval', '20ms', ...this.idle, ...where];
    for (let attempt = 1; ; attempt++) {
      this.daemon = await this.run('daemon', args);
      const isReady = await this.daemon.event('listening').then(
        () => true,
        () => false,
      );
      if (isReady) return;
      const { code, stderr } = await this.daemon.ended;
      if (code !== 2 || attempt === TRIES) throw new Error(`the daemon does not start: ${code} ${stderr}`);
      await sleep(TRY_MS);
    }
  }

  async startSender(hostId = 1, who: Who = 'sender'): Promise<void> {
    if (this.row.what.kind === 'rebinding') await this.startNat();
    this.sender = await this.run(who, this.sending(this.file, hostId));
  }

  /** The end of a sender that starts when its host id is free. */
  async sendAgain(file: string, hostId: number): Promise<Ended> {
    for (let attempt = 1; ; attempt++) {
      const ended = await within(new XpassCommand(this.sending(file, hostId)).ended, 'a later transfer', PATIENCE_MS);
      if (ended.code !== 2 || attempt === TRIES) return ended;
      await sleep(TRY_MS);
    }
  }

  async untilMoment(): Promise<void> {
    if (this.row.when === 'opening') await sleep(this.row.who === 'sender' ? TRY_MS : 0);
    else {
      const part = this.row.when === 'middle' ? MIDDLE : END;
      await received({ process: this.daemon }, part * this.row.fileBytes);
    }
  }

  /** Of the row; it is a process. */
  get victim(): XpassProcess {
    const { who } = this.row;
    const run = who === 'switch' ? this.fabric : who === 'daemon' ? this.daemon : this.sender;
    return run as XpassProcess;
  }

  async control(...words: readonly string[]): Promise<void> {
    const { code, stderr } = await runHere('switch', 'ctl', '--port', String(this.ports.fabric), ...words);
    if (code !== 0) throw new Error(`switch ctl ${words.join(' ')}: ${stderr}`);
  }

  async limitFiles(count: 'now' | number): Promise<void> {
    const { pid } = this.victim;
    const most = count === 'now' ? lowestFree(await readdir(`/proc/${pid}/fd`)) : count;
    await promisify(execFile)('prlimit', ['--pid', String(pid), `--nofile=${most}:`]);
  }

  /** The NAT forgets its port, and takes another one. */
  async rebind(): Promise<void> {
    await this.nat?.rebind();
  }

  /** Ports of the NAT to which something came. */
  get portsHeard(): number {
    return this.nat?.heard.size ?? 0;
  }

  private async startNat(): Promise<void> {
    const nat = new Nat(this.ports.daemon);
    this.nat = nat;
    onTestFinished(() => nat.close());
    this.natPort = await nat.open();
  }

  makeRoom(): void {
    execFileSync('mount', ['-o', 'remount,size=64m', this.directory]);
  }

  /** Names in the receive directory that a program may read: those that a transfer in the middle has begin with a dot. */
  async published(): Promise<string[]> {
    return (await readdir(this.directory)).filter((name) => !name.startsWith('.'));
  }

  hasArrived(file = this.file): Promise<boolean> {
    return areSame(file, join(this.directory, basename(file))).catch(() => false);
  }

  /** Whether a process of this case took more memory than it may; its peak, so that a short one counts too. */
  tooLarge(): string[] {
    return this.started.flatMap(({ pid }) => {
      const peakKb = residentPeakKb(pid);
      return peakKb > MOST_RESIDENT_KB ? [`process ${pid} took ${peakKb} kB`] : [];
    });
  }

  /** Process ids of this case. */
  get pids(): number[] {
    return this.started.map(({ pid }) => pid!);
  }

  private get atSwitch(): string[] {
    return ['--switch', `127.0.0.1:${this.ports.fabric}`];
  }

  private get idle(): string[] {
    return ['--idle-timeout', `${this.row.idleS}s`];
  }

  private sending(file: string, hostId: number): string[] {
    const where = this.row.isDirect
      ? ['--to', `127.0.0.1:${this.natPort || this.ports.daemon}`, '--rate', LINK_RATE]
      : ['--to', '2', '--host-id', String(hostId), ...this.atSwitch];
    return ['send', file, '--json', ...this.idle, ...where];
  }

  private async run(who: Who, args: readonly string[]): Promise<XpassRun> {
    if (who !== this.row.who) return new XpassCommand(args);
    const made = this.row.what.kind === 'clock' ? await this.withClock(args) : new XpassProcess(args);
    this.started.push(made);
    return made;
  }

  /** A program that loads clock-step.mjs first, and then the command. */
  private async withClock(args: readonly string[]): Promise<XpassProcess> {
    const { what } = this.row;
    if (what.kind !== 'clock') throw new Error('the row has no clock');
    const program = `
      process.env.XPASS_STEP_MS = '${what.stepMs}';
      process.env.XPASS_STEP_ALL = '${what.isAll ? 1 : 0}';
      await import(${JSON.stringify(CLOCK_STEP)});
      process.argv[1] = ${JSON.stringify(EXECUTABLE)};
      await import(${JSON.stringify(EXECUTABLE)});`;
    return new XpassProcess(args, process.execPath, await scratchFile('stepped.mjs', program));
  }
}

/** What a NAT does with one host behind it: passes datagrams on from a port of its own, which may change. */
class Nat {
  /** Ports to which the far end has answered. */
  readonly heard = new Set<Socket>();
  private readonly inside = createSocket('udp4');
  private readonly to: number;
  private outside: Socket | null = null;
  private client = 0;

  constructor(to: number) {
    this.to = to;
    this.inside.on('message', (bytes, { port }) => {
      this.client = port;
      this.outside?.send(bytes, this.to, '127.0.0.1');
    });
  }

  /** Resolves with the port that the host behind it sends to. */
  async open(): Promise<number> {
    this.inside.bind(0, '127.0.0.1');
    await Promise.all([once(this.inside, 'listening'), this.rebind()]);
    return this.inside.address().port;
  }

  /** Nothing of the port before is known any more. */
  async rebind(): Promise<void> {
    const next = createSocket('udp4');
    next.on('message', (bytes) => {
      this.heard.add(next);
      if (this.client !== 0) this.inside.send(bytes, this.client, '127.0.0.1');
    });
    next.bind(0, '127.0.0.1');
    await once(next, 'listening');
    this.outside?.close();
    this.outside = next;
  }

  close(): void {
    this.inside.close();
    this.outside?.close();
  }
}

/** A small file to send when everything is well again. */
export async function laterFile(): Promise<string> {
  return randomFile('later.bin', 100_000);
}

/** Puts a small file system there until the end of the test; false where this process may not. */
function mountSmall(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK}`, 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', directory]));
  return true;
}

/** The number that the next file would get. */
function lowestFree(numbers: readonly string[]): number {
  const taken = new Set(numbers.map(Number));
  let free = 0;
  while (taken.has(free)) free++;
  return free;
}

function residentPeakKb(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
