import { writeSync } from 'node:fs';

/** Characters that wait for a reader at most (ours: thousands of lines); what comes then is dropped and counted. */
const MAX_WAITING = 256 * 1024;
/** How long a process that ends waits for a reader of its log (ours). */
const FLUSH_MS = 1_000;
/** The same where nothing else can happen meanwhile. */
const FLUSH_SYNC_MS = 200;
const RETRY_MS = 5;

export interface LogOutputOptions {
  readonly stream: NodeJS.WritableStream;
  /** The same file for synchronous writes at the end; null where there is none. */
  readonly fd: number | null;
  /** The line, with its end, that says how many were dropped. */
  droppedLine(count: number): string;
}

/**
 * Where log lines go. A pipe that nobody reads blocks nothing: its lines wait up to a bound and are dropped and counted beyond it. Standard error is a stream
 * of libuv, which writes to pipes without blocking; not `fs.write`, which would hold a thread that the process waits for at its end.
 */
export class LogOutput {
  /** Lines that nobody read in time. */
  dropped = 0;
  private readonly options: LogOutputOptions;
  private readonly waiting: string[] = [];
  private waitingLength = 0;
  private untold = 0;
  private isBroken = false;

  constructor(options: LogOutputOptions) {
    this.options = options;
  }

  write(line: string): void {
    if (this.isBroken) return;
    if (this.waiting.length === 0 && this.isTaken) {
      this.options.stream.write(line, this.onWritten);
      return;
    }
    if (this.waitingLength + line.length > MAX_WAITING) {
      this.dropped++;
      this.untold++;
      return;
    }
    this.waiting.push(line);
    this.waitingLength += line.length;
  }

  /** Resolves when all lines are with the system, or nobody has read them for long. */
  async flush(): Promise<void> {
    if (this.isBroken || (this.waiting.length === 0 && this.isTaken)) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, FLUSH_MS);
      this.onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** At the end of the process: writes what waits, as far as somebody reads. */
  flushSync(): void {
    const { fd } = this.options;
    if (fd === null || this.isBroken) return;
    let bytes = Buffer.from(this.takeWaiting());
    const deadlineMs = performance.now() + FLUSH_SYNC_MS;
    while (bytes.length > 0) {
      const count = writeSome(fd, bytes);
      if (count < 0 || (count === 0 && performance.now() >= deadlineMs)) return;
      if (count === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
      bytes = bytes.subarray(count);
    }
  }

  private onIdle: () => void = () => {};

  /** The stream has nothing left of what it was given. */
  private get isTaken(): boolean {
    return ((this.options.stream as { writableLength?: number }).writableLength ?? 0) === 0;
  }

  private readonly onWritten = (error?: Error | null): void => {
    if (error) this.isBroken = true;
    if (this.isBroken) this.takeWaiting();
    if (this.waiting.length > 0 && this.isTaken) this.options.stream.write(this.takeWaiting(), this.onWritten);
    else if (this.waiting.length === 0) this.onIdle();
  };

  private takeWaiting(): string {
    if (this.untold > 0) this.waiting.push(this.options.droppedLine(this.untold));
    this.untold = 0;
    this.waitingLength = 0;
    return this.waiting.splice(0).join('');
  }
}

/** Bytes that were taken; 0 where the reader has no room, -1 where there is none. */
export function writeSome(fd: number, bytes: Uint8Array): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : -1;
  }
}
