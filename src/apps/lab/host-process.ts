// Tested by test/loopback/lab.test.ts

import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';
import type { FromHost, HostOrder, HostReport, RunOrder, ToHost } from './messages.js';

const PROGRAM = fileURLToPath(new URL('host.child.js', import.meta.url));
/** Lines of standard error that are kept for the report of a failure. */
const MAX_ERROR_LINES = 20;
/** What a process may take for an answer: a busy machine stalls one for seconds (ours). */
const ANSWER_MS = 15_000;

export interface HostProcessOptions {
  /** The host's name in the scenario. */
  readonly name: string;
  onFlowEnded(id: number): void;
  /** The process cannot go on, or ended without being told to. */
  onLost(failure: Failure): void;
}

/** The parent's end of a process that plays one host. */
export class HostProcess {
  readonly name: string;
  private readonly options: HostProcessOptions;
  private readonly child: ChildProcess;
  private readonly ended: Promise<void>;
  private readonly errors: string[] = [];
  private readonly waiting = new Set<(message: FromHost) => void>();
  private isStopping = false;

  constructor(options: HostProcessOptions) {
    this.options = options;
    this.name = options.name;
    // Structured clones keep what JSON does not have: Infinity.
    this.child = fork(PROGRAM, {
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.ended = new Promise((resolve) => {
      this.child.once('exit', (code, signal) => {
        this.handleEnd(code === null ? String(signal) : `status ${code}`);
        resolve();
      });
      this.child.once('error', (error) => {
        this.lose(new Failure(ExitCode.failed, `${this.name} cannot be started: ${error.message}`));
        resolve();
      });
    });
    this.child.on('message', (message) => this.handle(message as FromHost));
    if (this.child.stderr !== null) createInterface({ input: this.child.stderr }).on('line', (line) => this.keep(line));
  }

  /** Throws a Failure when the switch does not answer in time; what else goes wrong comes by `onLost`. */
  async attach(host: HostOrder): Promise<void> {
    const attached = this.next('attached');
    this.tell({ order: 'attach', host });
    await attached;
  }

  rehearse(to: readonly number[]): void {
    this.tell({ order: 'rehearse', to });
  }

  rest(): void {
    this.tell({ order: 'rest' });
  }

  run(run: RunOrder): void {
    this.tell({ order: 'run', run });
  }

  setReaderRate(rateBps: number): void {
    this.tell({ order: 'reader', rateBps });
  }

  /** What it has measured so far. */
  async report(): Promise<HostReport> {
    const reported = this.next('report');
    this.tell({ order: 'report' });
    return (await reported).report;
  }

  /** Ends the process at once; nothing of it is told to anybody. */
  async kill(): Promise<void> {
    this.isStopping = true;
    this.child.kill('SIGKILL');
    await this.ended;
  }

  private tell(message: ToHost): void {
    // A process that is gone is reported by its end.
    if (this.child.connected) this.child.send(message, () => {});
  }

  private next<E extends FromHost['event']>(event: E): Promise<Extract<FromHost, { event: E }>> {
    return new Promise((resolve, reject) => {
      const settle = (action: () => void): void => {
        clearTimeout(timer);
        this.waiting.delete(listener);
        action();
      };
      const late = new Failure(ExitCode.failed, `${this.name} did not answer within ${ANSWER_MS / 1e3} s`);
      const timer = setTimeout(() => settle(() => reject(late)), ANSWER_MS);
      const listener = (message: FromHost): void => {
        if (message.event === event) settle(() => resolve(message as Extract<FromHost, { event: E }>));
      };
      this.waiting.add(listener);
    });
  }

  private handle(message: FromHost): void {
    for (const listener of [...this.waiting]) listener(message);
    if (message.event === 'flowEnded') this.options.onFlowEnded(message.id);
    if (message.event === 'failed') this.lose(new Failure(message.exitCode, `${this.name}: ${message.message}`));
  }

  private handleEnd(how: string): void {
    const words = this.errors.length > 0 ? `: ${this.errors.join('; ')}` : '';
    this.lose(new Failure(ExitCode.failed, `${this.name} ended with ${how}${words}`));
  }

  private lose(failure: Failure): void {
    if (!this.isStopping) this.options.onLost(failure);
  }

  private keep(line: string): void {
    if (this.errors.length < MAX_ERROR_LINES) this.errors.push(line);
  }
}
