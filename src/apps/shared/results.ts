import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import { columnsOf, type TerminalShape } from '../../report/terminal.js';

/** Bytes that wait for the reader when a line is dropped. Ours: hours of `--interval`; one longer line goes out where nothing waits. */
const MAX_WAITING_BYTES = 16 * 2 ** 20;
/** Without progress of the reader for this time `flush` fails (ours: a person who pages has a minute a page). */
const PATIENCE_MS = 60_000;
const LOOK_MS = 100;

/**
 * Standard output, which carries results and nothing else: lines for people, or one JSON value a line.
 *
 * A reader that went away (`xpass perf --json | head -1`) is no failure: what is written from then on is dropped, and `isBroken` lets a
 * command that has nobody left to tell end early. Anything else that goes wrong, such as a full disk or a reader that stops reading, is thrown by `flush`.
 */
export class Results {
  /** Lines that nobody read in time. */
  dropped = 0;
  private readonly stream: NodeJS.WritableStream & TerminalShape;
  private readonly patienceMs: number;
  private broken = false;
  private error: Error | null = null;

  constructor(stream: NodeJS.WritableStream & TerminalShape, patienceMs = PATIENCE_MS) {
    this.stream = stream;
    this.patienceMs = patienceMs;
    stream.on('error', (error: Error & { code?: string }) => {
      this.broken = true;
      if (error.code !== 'EPIPE') this.error = error;
    });
  }

  /** Nothing that is written arrives any more. */
  get isBroken(): boolean {
    return this.broken;
  }

  /** What a table has room for: the columns of a terminal, and any number in a file or a pipe. */
  get columnsWide(): number {
    return this.stream.isTTY === true ? columnsOf(this.stream) : Number.POSITIVE_INFINITY;
  }

  /** One line or more of text, without the last line end. */
  line(text: string): void {
    if (this.broken) return;
    if (this.waitingBytes > MAX_WAITING_BYTES) this.dropped++;
    else this.stream.write(`${text}\n`);
  }

  /** One JSON value on a line of its own. */
  json(value: unknown): void {
    this.line(JSON.stringify(value));
  }

  /** Bytes of a command whose result is bytes. Calls back when they are with the system, or with why they cannot be. */
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    this.stream.write(bytes, done);
  }

  /** Resolves when everything written is with the system; throws a Failure when it could not be written, or nobody reads it. */
  async flush(): Promise<void> {
    if (!this.broken && !(await this.isTaken())) {
      this.broken = true;
      throw unread(`has read nothing for ${this.patienceMs / 1_000} s`);
    }
    if (this.error !== null) throw failureOf(this.error, 'standard output') ?? this.error;
    if (this.dropped > 0) throw unread(`was too slow: ${this.dropped} lines were dropped`);
  }

  private get waitingBytes(): number {
    return (this.stream as { writableLength?: number }).writableLength ?? 0;
  }

  /** False where the reader has made no progress for long. */
  private isTaken(): Promise<boolean> {
    return new Promise((resolve) => {
      let [left, sinceMs] = [this.waitingBytes, performance.now()];
      const end = (isTaken: boolean) => {
        clearInterval(timer);
        resolve(isTaken);
      };
      const timer = setInterval(() => {
        if (this.waitingBytes !== left) [left, sinceMs] = [this.waitingBytes, performance.now()];
        else if (performance.now() - sinceMs >= this.patienceMs) end(false);
      }, LOOK_MS);
      this.stream.once('error', () => end(true));
      this.stream.write('', () => end(true));
    });
  }
}

function unread(what: string): Failure {
  return new Failure(ExitCode.failed, `standard output: its reader ${what}`);
}
