// Tested by test/loopback/companion.test.ts

import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Companion, type CompanionOptions } from './companion.js';
import { ExitCode } from './exit-codes.js';
import type { Bound } from './roster.js';

/** A JSON line of a command's standard output. */
export interface ChildEvent {
  readonly event?: string;
  readonly [field: string]: unknown;
}

const EXECUTABLE = fileURLToPath(new URL('../../../bin/xpass.mjs', import.meta.url));

/** Node.js arguments for processes that end in order when their standard input ends, and so with their parent. */
export const END_WITH_PARENT: readonly string[] = [
  '--import',
  new URL('end-with-parent.child.js', import.meta.url).href,
];

export interface ChildOptions extends CompanionOptions {
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
