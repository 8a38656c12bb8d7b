// Tested by test/telemetry/capture/capture.test.ts
import { closeSync, openSync, rmSync, write, writeSync } from 'node:fs';
import { extname } from 'node:path';
import { describeSystemError, isSystemError } from '../../base/system-errors.js';

/** Files hold what flows carry. */
const MODE = 0o600;

export interface CaptureFilesOptions {
  readonly path: string;
  /** Of each file. */
  readonly sizeBytes: number;
  /** More than one: a ring of the newest. */
  readonly files: number;
  /** Write before going on: for time that waits. */
  readonly isSync: boolean;
  /** What a file begins with, and what it ends with. */
  readonly header: Uint8Array;
  trailer(): Uint8Array;
  /** It was written, or never will be. */
  onWritten(chunk: Chunk, isWritten: boolean): void;
  /** No more is written: one sentence. */
  onEnd(sentence: string): void;
}

/** Whole blocks, written together. */
export interface Chunk {
  readonly bytes: Uint8Array;
  /** Of `bytes`. */
  readonly view: DataView;
  length: number;
  packets: number;
}

/** The files of a capture, written one chunk after the other. What goes wrong ends the capture, not the process. */
export class CaptureFiles {
  /** Chunks that wait; the first of them is being written. */
  readonly waiting: Chunk[] = [];
  private readonly options: CaptureFilesOptions;
  private readonly names: string[] = [];
  private fd = -1;
  private made = 0;
  private fileBytes = 0;
  private isOver = false;
  private isWriting = false;
  private whenIdle: (() => void) | null = null;

  /** Opens the first file. Throws the system's error. */
  constructor(options: CaptureFilesOptions) {
    this.options = options;
    this.openNext();
  }

  get isEnded(): boolean {
    return this.isOver;
  }

  /** The newest files, oldest first. */
  get paths(): readonly string[] {
    return this.names;
  }

  append(chunk: Chunk): void {
    this.waiting.push(chunk);
    if (!this.isWriting) this.writeNext();
  }

  /** Resolves when nothing is being written. */
  async idle(): Promise<void> {
    if (!this.isWriting) return;
    await new Promise<void>((resolve) => {
      this.whenIdle = resolve;
    });
  }

  /** Ends the file, of which nothing is being written. */
  close(): void {
    this.guard(() => this.finishFile());
    this.isOver = true;
  }

  private writeNext(): void {
    for (;;) {
      const [chunk] = this.waiting;
      this.isWriting = chunk !== undefined;
      if (chunk === undefined) break;
      if (!this.hasRoom(chunk)) this.drop();
      else if (!this.options.isSync) {
        this.writeFrom(chunk, 0);
        return;
      } else this.guard(() => this.wrote(chunk, writeAll(this.fd, chunk.bytes, chunk.length)));
    }
    this.whenIdle?.();
    this.whenIdle = null;
  }

  private writeFrom(chunk: Chunk, from: number): void {
    write(this.fd, chunk.bytes, from, chunk.length - from, null, (error, written) => {
      if (error !== null) this.fail(error);
      else if (from + written < chunk.length) {
        this.writeFrom(chunk, from + written);
        return;
      } else this.wrote(chunk, chunk.length);
      this.writeNext();
    });
  }

  private wrote(chunk: Chunk, bytes: number): void {
    this.fileBytes += bytes;
    this.waiting.shift();
    this.options.onWritten(chunk, true);
  }

  private drop(): void {
    const chunk = this.waiting.shift();
    if (chunk !== undefined) this.options.onWritten(chunk, false);
  }

  /** Goes on to the next file where this one is full; false when the capture is over. */
  private hasRoom(chunk: Chunk): boolean {
    if (this.isOver) return false;
    if (this.fileBytes + chunk.length <= this.options.sizeBytes) return true;
    if (this.options.files === 1) {
      this.end(`${this.names[0]} has as many bytes as --capture-size allows`);
      return false;
    }
    return this.guard(() => {
      this.finishFile();
      this.openNext();
    });
  }

  private openNext(): void {
    const { path, files, header } = this.options;
    const name = files === 1 ? path : numbered(path, ++this.made);
    if (this.names.length === files) rmSync(this.names.shift() as string, { force: true });
    this.fd = openSync(name, 'w', MODE);
    this.names.push(name);
    this.fileBytes = writeAll(this.fd, header, header.length);
  }

  private finishFile(): void {
    if (this.fd < 0) return;
    const { fd } = this;
    this.fd = -1;
    try {
      const trailer = this.options.trailer();
      writeAll(fd, trailer, trailer.length);
    } finally {
      closeSync(fd);
    }
  }

  /** False where the system refused. */
  private guard(action: () => void): boolean {
    try {
      action();
      return true;
    } catch (error) {
      this.fail(error);
      return false;
    }
  }

  private fail(error: unknown): void {
    if (!isSystemError(error)) throw error;
    this.drop();
    this.end(describeSystemError(error, error.path === undefined ? this.names.at(-1) : undefined).sentence);
  }

  private end(sentence: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.options.onEnd(sentence);
  }
}

function writeAll(fd: number, bytes: Uint8Array, length: number): number {
  for (let at = 0; at < length; ) at += writeSync(fd, bytes, at, length - at);
  return length;
}

/** `lab.pcapng` becomes `lab.00001.pcapng`. */
function numbered(path: string, number: number): string {
  const extension = extname(path);
  return `${path.slice(0, path.length - extension.length)}.${String(number).padStart(5, '0')}${extension}`;
}
