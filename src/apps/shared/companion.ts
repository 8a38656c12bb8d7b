// Tested by test/loopback/companion.test.ts

import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import { ExitCode } from './exit-codes.js';
import { Failure } from './failure.js';
import { patienceMs } from './patience.js';
import { type Bound, type Member, Roster } from './roster.js';

export interface CompanionOptions {
  /** Waits for this process fail with the others of its roster; one of its own by default. */
  readonly roster?: Roster;
  /** Its exit status is a result, whatever it is: only a signal is a loss. */
  readonly mayFail?: boolean;
  /** It ends only when it is told to: any other end is a loss. */
  readonly isServer?: boolean;
}

/** What a process may still do after it was asked to end before it is killed (ours). */
const STOP_MS = 3_000;
/** Lines of standard error that are kept for the report of a failure. */
const MAX_ERROR_LINES = 20;

interface Ending {
  /** `SIGKILL`, `status 3`. */
  readonly how: string;
  readonly atMs: number;
}

/** A process that this one has started: what it says, its end, and its errors for when it fails. */
export abstract class Companion implements Member {
  readonly name: string;
  /** The process itself. */
  readonly process: ChildProcess;
  /** Resolves with the exit status when nothing more can come from it; 128 and more for a signal. */
  readonly ended: Promise<number>;
  private readonly roster: Roster;
  private readonly isLoss: (status: number) => boolean;
  private readonly listeners = new Set<(said: object) => void>();
  private readonly errors: string[] = [];
  private heard: { readonly what: string; readonly atMs: number };
  private ending: Ending | null = null;
  private isStopping = false;
  private resolveEnded: (status: number) => void = () => undefined;

  protected constructor(name: string, process: ChildProcess, options: CompanionOptions) {
    const { roster = new Roster(), mayFail = false, isServer = false } = options;
    this.name = name;
    this.process = process;
    this.roster = roster;
    this.isLoss = (status) => isServer || status > SIGNALLED || (status !== ExitCode.done && !mayFail);
    this.heard = { what: 'nothing since its start', atMs: performance.now() };
    this.ended = new Promise((resolve) => {
      this.resolveEnded = resolve;
    });
    process.once('error', (error) => {
      if (process.pid === undefined) this.end(ExitCode.failed, `no start: ${error.message}`);
    });
    process.once('close', (code, signal) => this.handleEnd(code, signal));
    process.on('message', (message) => this.hear(message as object));
    if (process.stderr !== null) createInterface({ input: process.stderr }).on('line', (line) => this.keepError(line));
    roster.add(this);
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  get isOver(): boolean {
    return this.ending !== null;
  }

  lastHeard(): string {
    const { what, atMs } =
      this.ending === null ? this.heard : { what: `ended with ${this.ending.how}`, ...this.ending };
    return `${what} ${((performance.now() - atMs) / 1e3).toFixed(1)} s ago`;
  }

  /** Of everything that it says. */
  onSaid(listener: (said: object) => void): void {
    this.listeners.add(listener);
  }

  /** Sends it a message. A process that is gone is reported by its end. */
  tell(message: object): void {
    if (this.process.connected) this.process.send(message, () => undefined);
  }

  /**
   * The next that it says for which `isIt` holds. Rejects with a Failure when the process ends or has ended, and when the bound is over, as
   * `NAME did not WHAT`.
   */
  next<T extends object>(isIt: (said: object) => boolean, what: string, bound: Bound = {}): Promise<T> {
    let listener: (said: object) => void = () => undefined;
    const said = new Promise<T>((resolve) => {
      listener = (each) => {
        if (isIt(each)) resolve(each as T);
      };
    });
    this.listeners.add(listener);
    const gone = this.ended.then(() => {
      throw this.failure();
    });
    const waited = this.within(Promise.race([said, gone]), what, bound).finally(() => this.listeners.delete(listener));
    waited.catch(() => undefined);
    return waited;
  }

  /** Tells it a question and waits for the answer that bears the question's number under `field`. */
  ask<T extends object>(field: string, question: object, bound: Bound = {}): Promise<T> {
    const number = fieldOf(question, field);
    const answer = this.next<T>((said) => fieldOf(said, field) === number, `answer '${field}'`, bound);
    this.tell(question);
    return answer;
  }

  /** Why the process ended, in its own words. */
  failure(): Failure {
    const words = this.errors.length > 0 ? `: ${this.errors.join('; ')}` : '';
    return new Failure(ExitCode.failed, `${this.name} ended with ${this.ending?.how ?? 'nothing'}${words}`);
  }

  /** Asks it to end, and kills a process that does not. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.isOver) return;
    this.askToEnd();
    const timer = setTimeout(() => this.process.kill('SIGKILL'), Math.min(STOP_MS, patienceMs()));
    await this.ended;
    clearTimeout(timer);
  }

  /** SIGKILL: as a crash would end it. */
  async kill(): Promise<void> {
    this.isStopping = true;
    this.process.kill('SIGKILL');
    await this.ended;
  }

  protected abstract askToEnd(): void;

  /** A wait that concerns this process: `NAME did not WHAT`. */
  protected within<T>(awaited: Promise<T>, what: string, bound: Bound): Promise<T> {
    return this.roster.within(awaited, `${this.name} did not ${what}`, bound);
  }

  /** It said this. */
  protected hear(said: object): void {
    this.heard = { what: labelOf(said), atMs: performance.now() };
    for (const listener of [...this.listeners]) listener(said);
  }

  /** Nothing more comes from it. */
  protected handleEnd(code: number | null, signal: NodeJS.Signals | null): void {
    if (signal === null) this.end(code ?? ExitCode.failed, `status ${code}`);
    else this.end(SIGNALLED + constants.signals[signal], signal);
  }

  private end(status: number, how: string): void {
    if (this.ending !== null) return;
    this.ending = { how, atMs: performance.now() };
    if (!this.isStopping && this.isLoss(status)) this.roster.lose(this.failure());
    this.resolveEnded(status);
  }

  private keepError(line: string): void {
    if (this.errors.length < MAX_ERROR_LINES) this.errors.push(line);
  }
}

/** Of exit statuses: above it is the number of a signal, as shells report it. */
const SIGNALLED = 128;

function fieldOf(message: object, field: string): unknown {
  return (message as Record<string, unknown>)[field];
}

/** `'listening'`: the kind of an event, or the first field of a message. */
function labelOf(said: object): string {
  const event = fieldOf(said, 'event');
  return `'${typeof event === 'string' ? event : (Object.keys(said)[0] ?? '')}'`;
}
