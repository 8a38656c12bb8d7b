// Tested by test/loopback/demo.test.ts and test/loopback/bench.test.ts

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ExitCode } from './exit-codes.js';
import { Failure } from './failure.js';

/** A JSON line of a command's standard output. */
export interface ChildEvent {
  readonly event?: string;
  readonly [field: string]: unknown;
}

const EXECUTABLE = fileURLToPath(new URL('../../../bin/xpass.mjs', import.meta.url));
/** What a process may still do after it was asked to end before it is killed (ours). */
const STOP_MS = 3_000;
/** Lines of standard error that are kept for the report of a failure. */
const MAX_ERROR_LINES = 20;

/** Arguments of Node.js for processes that nobody tells anything by their standard input: they end in order when it does, and so with their parent, however that ends. */
export const END_WITH_PARENT: readonly string[] = [
  '--import',
  new URL('end-with-parent.child.js', import.meta.url).href,
];

/** Another `xpass` process: its JSON lines as events, its end, and its errors for when it fails. */
export class Child {
  readonly name: string;
  /** Resolves with the exit status; 128 and more for a signal. */
  readonly ended: Promise<number>;
  /** The process itself, for whoever talks to it by messages. */
  readonly process: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable; readonly stderr: Readable };
  private readonly listeners: ((event: ChildEvent) => void)[] = [];
  private readonly errors: string[] = [];
  private readonly endsWithInput: boolean;
  private isOver = false;

  /** `nodeArguments` are for Node.js itself. With a channel the process and whoever started it can exchange messages. */
  constructor(name: string, args: readonly string[], nodeArguments: readonly string[] = [], hasChannel = false) {
    this.name = name;
    this.endsWithInput = END_WITH_PARENT.every((argument) => nodeArguments.includes(argument));
    // Node's types know the pipes only where there is no channel.
    this.process = spawn(process.execPath, [...nodeArguments, EXECUTABLE, ...args], {
      stdio: ['pipe', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])],
    }) as Child['process'];
    this.process.stdin.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.process.once('error', () => resolve(ExitCode.failed));
      this.process.once('close', (code) => {
        this.isOver = true;
        resolve(code ?? ExitCode.failed);
      });
    });
    createInterface({ input: this.process.stdout }).on('line', (line) => this.onLine(line));
    createInterface({ input: this.process.stderr }).on('line', (line) => this.keepError(line));
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  onEvent(listener: (event: ChildEvent) => void): void {
    this.listeners.push(listener);
  }

  /** The next event of this name. Throws a Failure with the process's own words when it ends before. */
  async event(name: string): Promise<ChildEvent> {
    const arrived = new Promise<ChildEvent>((resolve) => {
      this.onEvent((event) => {
        if (event.event === name) resolve(event);
      });
    });
    const gone = this.ended.then((code) => {
      throw this.failure(code);
    });
    return Promise.race([arrived, gone]);
  }

  /** The object that a command prints at its end. Throws a Failure with the process's own words when it fails. */
  async result(): Promise<ChildEvent> {
    const found: ChildEvent[] = [];
    this.onEvent((event) => found.push(event));
    const code = await this.ended;
    const last = found.at(-1);
    if (code !== ExitCode.done || last === undefined) throw this.failure(code);
    return last;
  }

  /** Why the process ended, in its own words. */
  failure(code: number): Failure {
    const words = this.errors.length > 0 ? `: ${this.errors.join('; ')}` : '';
    return new Failure(ExitCode.failed, `${this.name} ended with status ${code}${words}`);
  }

  /** Writes a line to the process's standard input. */
  say(line: string): void {
    this.process.stdin.write(`${line}\n`);
  }

  /**
   * Asks the process to end in order, and kills one that does not. END_WITH_PARENT asks by the end of its input, since SIGTERM ends a process of Windows at once
   * (https://nodejs.org/api/process.html#signal-events).
   */
  async stop(): Promise<void> {
    if (this.isOver) return;
    if (this.endsWithInput) this.process.stdin.end();
    else this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(timer);
  }

  /** SIGKILL: as a crash would end it. */
  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
  }

  private onLine(line: string): void {
    let event: ChildEvent;
    try {
      event = JSON.parse(line) as ChildEvent;
    } catch {
      return;
    }
    for (const listener of this.listeners) listener(event);
  }

  private keepError(line: string): void {
    if (this.errors.length < MAX_ERROR_LINES) this.errors.push(line);
  }
}
