// Tested by test/loopback/bench.test.ts

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Child, END_WITH_PARENT } from '../shared/child.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';
import { COLLECTING, PROBED, Probe, type Usage } from './probe.js';

/** What benchmarks run with. */
export interface BenchSettings {
  /** How long each measurement takes, without what comes before it. */
  readonly seconds: number;
  /** Where each process leaves a CPU profile; null for none. */
  readonly profileDirectory: string | null;
}

/** Seconds that processes run before they are measured: three of them on two cores have most of their code compiled by then, and carry a fifth more than after two seconds (measured, docs/PERF-LOG.md). */
export const WARM_UP_SECONDS = 4;
/** What a process takes from its start until it measures, besides the warm-up (ours: 0.2 to 0.4 s on idle cores). */
const START_UP_SECONDS = 0.3;
/** What a process may take to leave its profile before it is killed (ours). */
const STOP_MS = 3_000;

/** Processor time by role. */
export type Cores = ReadonlyMap<string, number>;

/** A process of the benchmark that runs. */
interface Running {
  readonly role: string;
  readonly probe: Probe;
  stop(): Promise<void>;
}

/** The processes of the benchmark that runs. None of them outlives it. */
export class Workbench {
  readonly settings: BenchSettings;
  private readonly running = new Set<Running>();
  private benchmark = '';
  private started = 0;
  private isClosed = false;
  private readonly shared = new Map<string, unknown>();

  constructor(settings: BenchSettings) {
    this.settings = settings;
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
    const child = new Child(`xpass ${args.join(' ')}`, args, node, { hasChannel: true });
    this.running.add({ role, probe: new Probe(child.process), stop: () => child.stop() });
    return child;
  }

  /** Starts a process that says when it is ready, and returns where it listens. */
  async listen(...args: string[]): Promise<{ address: string; control: string }> {
    const { address, control } = await this.start(...args, '--json').event('listening');
    return { address: String(address), control: String(control) };
  }

  /** Starts a program of the bench itself, `module` beside this file, which imports probe.child.js, talks by messages and ends when the channel closes. Throws a Failure after `close`. */
  fork(role: string, module: string): ChildProcess {
    this.assertOpen();
    const child = fork(fileURLToPath(new URL(module, import.meta.url)), {
      execArgv: [...COLLECTING, ...this.profiling(role)],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      // JSON has no word for what could not be measured, NaN.
      serialization: 'advanced',
    });
    this.running.add({ role, probe: new Probe(child), stop: () => disconnect(child) });
    return child;
  }

  /** What each process has used by now, by its role. */
  async usage(question: Parameters<Probe['ask']>[0] = {}): Promise<Map<string, Usage>> {
    const answers = [...this.running].map(async ({ role, probe }) => [role, await probe.ask(question)] as const);
    return new Map(await Promise.all(answers));
  }

  /** The same while perf measures, whose client is being started. */
  coresOfPerf(): Promise<Cores> {
    return this.coresAfter(START_UP_SECONDS + WARM_UP_SECONDS);
  }

  /** What each process uses, in cores, over the measurement that begins so many seconds from now. Empty when a process ends meanwhile, whose own failure says more. */
  async coresAfter(seconds: number): Promise<Cores> {
    await sleep(seconds * 1e3);
    return this.cores().catch(() => new Map());
  }

  /** Resolves when all processes have ended. */
  async clear(): Promise<void> {
    await Promise.all([...this.running].map((each) => each.stop()));
    this.running.clear();
  }

  /** The same, for good. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.clear();
  }

  private async cores(): Promise<Cores> {
    const startMs = performance.now();
    const before = await this.usage();
    await sleep(this.settings.seconds * 1e3);
    const after = await this.usage();
    const elapsedS = (performance.now() - startMs) / 1e3;
    return new Map([...after].map(([role, { cpuS }]) => [role, (cpuS - (before.get(role)?.cpuS ?? 0)) / elapsedS]));
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

/** Closes the channel, by which the program ends, and kills one that does not. */
async function disconnect(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await ended;
  clearTimeout(timer);
}
