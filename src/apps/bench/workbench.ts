// Tested by test/loopback/bench.test.ts

import { Child } from '../shared/child.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';

/** What benchmarks run with. */
export interface BenchSettings {
  /** How long each measurement takes, without what comes before it. */
  readonly seconds: number;
}

/** Seconds that processes run before they are measured: as long as it takes until their code is compiled (measured). */
export const WARM_UP_SECONDS = 2;

/** The `xpass` processes of the benchmark that runs. None of them outlives it. */
export class Workbench {
  readonly settings: BenchSettings;
  private readonly children = new Set<Child>();
  private isClosed = false;

  constructor(settings: BenchSettings) {
    this.settings = settings;
  }

  /** Starts a process. Throws a Failure after `close`. */
  start(...args: string[]): Child {
    if (this.isClosed) throw new Failure(ExitCode.failed, 'the benchmark was ended');
    const child = new Child(`xpass ${args.join(' ')}`, args);
    this.children.add(child);
    return child;
  }

  /** Starts a process that says when it is ready, and returns where it listens. */
  async listen(...args: string[]): Promise<{ address: string; control: string }> {
    const { address, control } = await this.start(...args, '--json').event('listening');
    return { address: String(address), control: String(control) };
  }

  /** Resolves when all processes have ended. */
  async clear(): Promise<void> {
    await Promise.all([...this.children].map((child) => child.stop()));
    this.children.clear();
  }

  /** The same, for good. */
  close(): Promise<void> {
    this.isClosed = true;
    return this.clear();
  }
}
