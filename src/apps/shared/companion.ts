// Tested by test/loopback/companion.test.ts
// Tested by test/apps/shared/companion.test.ts
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import { compiledModule, packageFile } from '../../scenario/play/package-files.js';
import { type Bound, patienceMs, withPatience } from '../../scenario/play/patience.js';

/** A process that a command has started. */
export interface Member {
  readonly name: string;
  /** `'listening' 29.0 s ago`. */
  lastHeard(): string;
  /** Resolves when it has ended; never waits for ever. */
  stop(): Promise<void>;
}

/**
 * The processes of a command. Every wait for one of them goes through its roster: it fails when a process is lost or when it lasts longer than its bound, and
 * says what was last heard of each process.
 */
export class Roster {
  private readonly members = new Set<Member>();
  private readonly onLoss = new Set<(failure: Error) => void>();
  private loss: Error | null = null;

  add(member: Member): void {
    this.members.add(member);
  }

  /** Ends one of them; the others go on. */
  async dismiss(member: Member): Promise<void> {
    await member.stop();
    this.members.delete(member);
  }

  /** A process cannot go on: every wait fails, the present ones and those that follow until `stop`. The first loss counts. */
  lose(failure: Error): void {
    this.loss ??= failure;
    for (const reject of [...this.onLoss]) reject(this.loss);
  }

  /** Waits no longer than the bound. Rejects with a Failure that begins with `late`: `the switch did not answer`. */
  within<T>(awaited: Promise<T>, late: string, bound: Bound = {}): Promise<T> {
    const waited = withPatience(this.unlessLost(awaited), late, { ...bound, lastHeard: () => this.lastHeard() });
    // Whoever began this wait may have failed for another reason before it gets to it.
    waited.catch(() => undefined);
    return waited;
  }

  /** A wait that ends by itself: rejects as soon as a process is lost. */
  async unlessLost<T>(awaited: Promise<T>): Promise<T> {
    let reject: (failure: Error) => void = () => undefined;
    const lost = new Promise<never>((_, rejectLost) => {
      reject = rejectLost;
    });
    if (this.loss !== null) reject(this.loss);
    this.onLoss.add(reject);
    try {
      return await Promise.race([lost, awaited]);
    } finally {
      this.onLoss.delete(reject);
    }
  }

  /** `client: 'ready' 12.1 s ago; server: ended with SIGKILL 0.5 s ago`. */
  lastHeard(): string {
    const said = [...this.members].map((member) => `${member.name}: ${member.lastHeard()}`);
    return said.length === 0 ? 'no process' : said.join('; ');
  }

  /** Resolves when all processes have ended; forgets them, and that one was lost. */
  async stop(): Promise<void> {
    const members = [...this.members];
    await Promise.all(members.map((member) => member.stop()));
    for (const member of members) this.members.delete(member);
    this.loss = null;
  }
}

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

interface ForkedOptions extends CompanionOptions {
  /** For Node.js itself. */
  readonly nodeArguments?: readonly string[];
}

/** A module of ours that runs as a process of its own: both exchange structured clones, which may hold Infinity and NaN, and it ends with the channel. */
export class Forked extends Companion {
  constructor(name: string, module: URL, { nodeArguments = [], ...options }: ForkedOptions = {}) {
    const child = fork(fileURLToPath(module), {
      execArgv: [...nodeArguments],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    super(name, child, options);
  }

  protected askToEnd(): void {
    if (!this.process.connected) return;
    // Node.js says 'close' only of a channel that the other end has closed.
    this.process.once('exit', (code, signal) => this.handleEnd(code, signal));
    this.process.disconnect();
  }
}

/** A JSON line of a command's standard output. */
export interface ChildEvent {
  readonly event?: string;
  readonly [field: string]: unknown;
}

const EXECUTABLE = fileURLToPath(packageFile('bin/xpass.mjs'));

/** Node.js arguments for processes that end in order when their standard input ends, and so with their parent. */
export const END_WITH_PARENT: readonly string[] = [
  '--import',
  compiledModule('apps/shared/end-with-parent.child').href,
];

interface ChildOptions extends CompanionOptions {
  /** The process and whoever started it can exchange messages. */
  readonly hasChannel?: boolean;
}

/** Another `xpass` process: its JSON lines as events, its end, and its errors for when it fails. */
export class Child extends Companion {
  // Node's types know the pipes only where there is no channel.
  declare readonly process: ChildProcess & { readonly stdin: Writable; readonly stdout: Readable };
  private readonly endsWithInput: boolean;
  private lastLine: ChildEvent | null = null;

  /** `nodeArguments` are for Node.js itself. */
  constructor(
    name: string,
    args: readonly string[],
    nodeArguments: readonly string[] = [],
    { hasChannel = false, ...options }: ChildOptions = {},
  ) {
    const stdio = ['pipe', 'pipe', 'pipe', ...(hasChannel ? (['ipc'] as const) : [])] as const;
    super(name, spawn(process.execPath, [...nodeArguments, EXECUTABLE, ...args], { stdio: [...stdio] }), options);
    this.endsWithInput = END_WITH_PARENT.every((argument) => nodeArguments.includes(argument));
    this.process.stdin.on('error', () => {});
    createInterface({ input: this.process.stdout }).on('line', (line) => this.onLine(line));
  }

  onEvent(listener: (event: ChildEvent) => void): void {
    this.onSaid((said) => listener(said as ChildEvent));
  }

  /** The next event of this name. Throws a Failure with the process's own words when it ends before, and when it does not come within the bound. */
  event(name: string, bound: Bound = {}): Promise<ChildEvent> {
    return this.next<ChildEvent>((said) => (said as ChildEvent).event === name, `say '${name}'`, bound);
  }

  /** The object that a command prints at its end. Throws a Failure with the process's own words when it fails, and when it does not end within the bound. */
  async result(bound: Bound = {}): Promise<ChildEvent> {
    const status = await this.within(this.ended, 'report its result', bound);
    if (status !== ExitCode.done || this.lastLine === null) throw this.failure();
    return this.lastLine;
  }

  /** Writes a line to the process's standard input. */
  say(line: string): void {
    this.process.stdin.write(`${line}\n`);
  }

  /** END_WITH_PARENT asks by the end of the input, since SIGTERM ends a process of Windows at once (https://nodejs.org/api/process.html#signal-events). */
  protected askToEnd(): void {
    if (this.endsWithInput) this.process.stdin.end();
    else this.process.kill('SIGTERM');
  }

  private onLine(line: string): void {
    let event: ChildEvent;
    try {
      event = JSON.parse(line) as ChildEvent;
    } catch {
      return;
    }
    this.lastLine = event;
    this.hear(event);
  }
}
