// Tested by test/loopback/bench.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import { compiledModule } from '../../scenario/play/package-files.js';
import { patienceMs } from '../../scenario/play/patience.js';
import { SwitchControl } from '../../services/control/client.js';
import type { Companion } from '../shared/companion.js';
import { Child, END_WITH_PARENT, Forked, Roster } from '../shared/companion.js';
import type { ProbeAnswer, ProbeQuestion, Usage } from './probe.child.js';

export type { Usage } from './probe.child.js';

/** Arguments of Node.js for a process that can collect its garbage when it is asked. */
const COLLECTING: readonly string[] = ['--expose-gc'];
/**
 * The same for a program that knows nothing of probes. One that gets messages of its own imports probe.child.js instead: loaded before, it would take
 * the first of them.
 */
const PROBED: readonly string[] = [...COLLECTING, '--import', compiledModule('apps/bench/probe.child').href];

/** Asks one process what it uses. */
class Probe {
  private readonly process: Companion;
  private asked = 0;

  constructor(process: Companion) {
    this.process = process;
  }

  /** Null from a process that has ended in order; rejects with a Failure when it does not answer. */
  async ask({ collect = false, allocations = false }: Partial<ProbeQuestion> = {}): Promise<Usage | null> {
    const question: ProbeQuestion = { probe: ++this.asked, collect, allocations };
    try {
      return await this.process.ask<ProbeAnswer>('probe', question);
    } catch (error) {
      if (this.process.isOver) return null;
      throw error;
    }
  }
}

/** What benchmarks run with. */
export interface BenchSettings {
  /** How long each measurement takes, without what comes before it. */
  readonly seconds: number;
  /** Only whether it runs is asked for: hardly a warm-up, and no measurement is made longer so that it means something. */
  readonly isSmoke?: boolean;
  /** Where each process leaves a CPU profile; null for none. */
  readonly profileDirectory: string | null;
}

/**
 * Seconds that processes run before they are measured: three of them on two cores have most of their code compiled by then, and carry a fifth more
 * than after two seconds (measured, docs/PERF-LOG.md).
 */
const WARM_UP_SECONDS = 4;
const SMOKE_WARM_UP_SECONDS = 0.2;
/** What a process takes from its start until it measures, besides the warm-up (0.15 to 0.4 s on idle cores, by the version of Node.js). */
const START_UP_SECONDS = 0.3;

/** Processor time by role. */
export type Cores = ReadonlyMap<string, number>;

/** A process of the benchmark that runs. */
interface Running {
  readonly role: string;
  readonly probe: Probe;
}

/** A program of the bench that is open. */
export class Program<Ready> {
  /** Its answer to its order. */
  readonly ready: Ready;
  private readonly process: Forked;
  private asked = 0;

  constructor(process: Forked, ready: Ready) {
    this.process = process;
    this.ready = ready;
  }

  /** Has it carry out a command, which takes it `takesMs`. */
  ask<Answer extends object>(verb: object, takesMs: number): Promise<Answer> {
    return this.process.ask('command', { command: ++this.asked, ...verb }, { takesMs });
  }
}

/** The processes of the benchmark that runs. None of them outlives it. */
export class Workbench {
  readonly settings: BenchSettings;
  private readonly roster = new Roster();
  private readonly running = new Set<Running>();
  private benchmark = '';
  private started = 0;
  private isClosed = false;
  private readonly shared = new Map<string, unknown>();

  constructor(settings: BenchSettings) {
    this.settings = settings;
  }

  /** How long processes run before they are measured. */
  get warmUpSeconds(): number {
    return this.settings.isSmoke === true ? SMOKE_WARM_UP_SECONDS : WARM_UP_SECONDS;
  }

  /** How long a measurement takes that means nothing in less than `leastSeconds`. */
  secondsOf(leastSeconds: number): number {
    const { seconds, isSmoke } = this.settings;
    return isSmoke === true ? seconds : Math.max(seconds, leastSeconds);
  }

  /** What follows belongs to this benchmark; its profiles are named after it. */
  begin(benchmark: string): void {
    this.benchmark = benchmark;
    this.started = 0;
  }

  /** A new round begins: what the one before shared is old. */
  beginRound(): void {
    this.shared.clear();
  }

  /** What `measure` finds, in the first benchmark of a round that asks for it. */
  async oncePerRound<T>(key: string, measure: () => Promise<T>): Promise<T> {
    if (!this.shared.has(key)) this.shared.set(key, await measure());
    return this.shared.get(key) as T;
  }

  /** Starts an `xpass` process. Throws a Failure after `close`. */
  start(...args: string[]): Child {
    this.assertOpen();
    const role = roleOf(args);
    const node = [...PROBED, ...END_WITH_PARENT, ...this.profiling(role)];
    return this.add(role, new Child(this.nameOf(role), args, node, { hasChannel: true, roster: this.roster }));
  }

  /** Starts a process that says when it is ready, and returns where it listens. */
  async listen(...args: string[]): Promise<{ address: string; control: string }> {
    const isPerf = args[0] === 'perf';
    const event = await this.start(...args, isPerf ? '--json-stream' : '--json').event('listening');
    const { address, control } = isPerf ? (event.data as Record<string, unknown>) : event;
    return { address: String(address), control: String(control) };
  }

  /** Starts the file `src/apps/bench/FILE.child.ts`, which talks by messages and ends when the channel closes. Throws a Failure after `close`. */
  fork(role: string, file: string): Forked {
    this.assertOpen();
    const nodeArguments = [...COLLECTING, ...this.profiling(role)];
    const { roster } = this;
    return this.add(
      role,
      new Forked(this.nameOf(role), compiledModule(`apps/bench/${file}.child`), { nodeArguments, roster }),
    );
  }

  /** The same for a file that calls `serve` (child-program.ts): gives it its order, which takes it `takesMs`. */
  async open<Ready>(role: string, order: object, takesMs = 0, file = role): Promise<Program<Ready>> {
    const process = this.fork(role, file);
    const answer = process.next<{ ready: Ready }>((said) => 'ready' in said, 'get ready', { takesMs });
    process.tell(order);
    return new Program(process, (await answer).ready);
  }

  /** A connection to the control of a switch of the benchmark. */
  connect(control: string): Promise<SwitchControl> {
    return SwitchControl.connect(control, { timeoutMs: patienceMs(), lastHeard: () => this.roster.lastHeard() });
  }

  /** Lets the processes work, until `signal` at the longest. Rejects as soon as one of them is lost. */
  sleep(seconds: number, signal?: AbortSignal): Promise<void> {
    const slept = sleep(seconds * 1e3, undefined, signal === undefined ? {} : { signal });
    return this.roster.unlessLost(
      slept.catch((error: unknown) => {
        if (signal?.aborted !== true) throw error;
      }),
    );
  }

  /** What each process that runs has used by now, by its role. */
  async usage(question: Parameters<Probe['ask']>[0] = {}): Promise<Map<string, Usage>> {
    const asked = [...this.running].map(async ({ role, probe }) => [role, await probe.ask(question)] as const);
    const answers = await this.roster.unlessLost(Promise.all(asked));
    return new Map(answers.filter((answer): answer is readonly [string, Usage] => answer[1] !== null));
  }

  /** The same while perf measures, whose client is being started. The second look comes before even a client that took no time to start has ended. */
  coresOfPerf(): Promise<Cores> {
    const { seconds } = this.settings;
    return this.coresAfter(START_UP_SECONDS + this.warmUpSeconds, Math.max(0, seconds - START_UP_SECONDS));
  }

  /** What perf's client takes from its start to its result, seconds. */
  perfSeconds(seconds: number): number {
    return START_UP_SECONDS + this.warmUpSeconds + seconds;
  }

  /** Cores that each process uses in a window of `forSeconds`, which begins after `seconds`. Empty when a process ends before the window does. */
  async coresAfter(seconds: number, forSeconds = this.settings.seconds): Promise<Cores> {
    await this.sleep(seconds);
    const startMs = performance.now();
    const before = await this.usage();
    // Answers of busy processes come late. A client that has ended by then would be missing.
    await this.sleep(Math.max(0, forSeconds - (performance.now() - startMs) / 1e3));
    const after = await this.usage();
    if (after.size < before.size) return new Map();
    const elapsedS = (performance.now() - startMs) / 1e3;
    return new Map([...after].map(([role, { cpuS }]) => [role, (cpuS - (before.get(role)?.cpuS ?? 0)) / elapsedS]));
  }

  /** Resolves when all processes have ended. */
  async clear(): Promise<void> {
    await this.roster.stop();
    this.running.clear();
  }

  /** The same, for good. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.clear();
  }

  private add<P extends Companion>(role: string, process: P): P {
    this.running.add({ role, probe: new Probe(process) });
    return process;
  }

  /** What messages call it: several of one role have numbers. */
  private nameOf(role: string): string {
    const others = [...this.running].filter((each) => each.role === role).length;
    return others === 0 ? role : `${role} ${others + 1}`;
  }

  private assertOpen(): void {
    if (this.isClosed) throw new Failure(ExitCode.failed, 'the benchmark was ended');
  }

  private profiling(role: string): string[] {
    const { profileDirectory } = this.settings;
    if (profileDirectory === null) return [];
    this.started++;
    const name = `${this.benchmark.replaceAll('/', '-')}.${this.started}-${role}.cpuprofile`;
    return ['--cpu-prof', `--cpu-prof-dir=${profileDirectory}`, `--cpu-prof-name=${name}`];
  }
}

/** `server` and `client` of perf; of other commands their name. */
function roleOf(args: readonly string[]): string {
  if (args[0] !== 'perf') return args[0];
  return args.includes('-s') ? 'server' : 'client';
}
