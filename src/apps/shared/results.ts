import { failureOf } from '../../base/failure.js';

/**
 * Standard output, which carries results and nothing else: lines for people, or one JSON value a line.
 *
 * A reader that went away (`xpass perf --json | head -1`) is no failure: what is written from then on is dropped, and `isBroken` lets a
 * command that has nobody left to tell end early. Anything else that goes wrong, such as a full disk, is thrown by `flush`.
 */
export class Results {
  private readonly stream: NodeJS.WritableStream;
  private broken = false;
  private error: Error | null = null;

  constructor(stream: NodeJS.WritableStream) {
    this.stream = stream;
    stream.on('error', (error: Error & { code?: string }) => {
      this.broken = true;
      if (error.code !== 'EPIPE') this.error = error;
    });
  }

  /** Nothing that is written arrives any more. */
  get isBroken(): boolean {
    return this.broken;
  }

  /** One line or more of text, without the last line end. */
  line(text: string): void {
    if (!this.broken) this.stream.write(`${text}\n`);
  }

  /** One JSON value on a line of its own. */
  json(value: unknown): void {
    this.line(JSON.stringify(value));
  }

  /** Bytes of a command whose result is bytes. Calls back when they are with the system, or with why they cannot be. */
  write(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    this.stream.write(bytes, done);
  }

  /** Resolves when everything written is with the system; throws a Failure when it could not be written. */
  async flush(): Promise<void> {
    if (!this.broken) {
      await new Promise<void>((resolve) => {
        this.stream.once('error', () => resolve());
        this.stream.write('', () => resolve());
      });
    }
    if (this.error !== null) throw failureOf(this.error, 'standard output') ?? this.error;
  }
}
