import { Fault, faultOf } from './fault.js';
import { type FileHeader, parseDigest } from './file-header.js';
import { type FileSystem, IncomingFile } from './incoming-file.js';
import type { Message } from './message.js';
import type { TransferBody } from './transfer-reader.js';
import { badVerdict, goodVerdict, type Verdict } from './verdict.js';
import { WriteBehind } from './write-behind.js';

export interface FileReceiverOptions {
  /** The receive directory, from checkReceiveDirectory. */
  readonly directory: string;
  readonly overwrite: boolean;
  /** So many bytes of the body are done with, and the flow may release them. Called from inside `onBody` too. */
  onDrained(bytes: number): void;
  /** Called exactly once, when the file has its name or nothing of it is left. A bad verdict may come long before the body's end. */
  onVerdict(verdict: Verdict): void;
  readonly fileSystem?: FileSystem;
}

/**
 * Receives one file: takes its bytes as they come, and gives it its name only when every byte is on the disk and the digest is right. Whatever
 * goes wrong before leaves nothing behind. Memory: WriteBehind's.
 */
export class FileReceiver implements TransferBody {
  readonly bodyBytes: number;
  readonly hasTrailer = true;
  readonly header: FileHeader;
  private readonly options: FileReceiverOptions;
  private readonly opening: Promise<IncomingFile>;
  private readonly writer: WriteBehind;
  private isSettled = false;
  private resolveDone: () => void = () => undefined;
  private readonly done: Promise<void>;

  /** `header` comes from parseFileHeader. The file is opened at once, in the background. */
  constructor(header: FileHeader, options: FileReceiverOptions) {
    const { directory, overwrite, fileSystem } = options;
    const { name } = header;
    // Whoever runs the receiver can always read and remove what arrives.
    const mode = header.mode | 0o600;
    this.header = header;
    this.bodyBytes = header.bytes;
    this.options = options;
    this.done = new Promise((resolve) => {
      this.resolveDone = resolve;
    });
    const extra = fileSystem === undefined ? {} : { fileSystem };
    this.opening = IncomingFile.open({ directory, overwrite, name, mode, ...extra });
    this.opening.catch((error: unknown) => this.settle(faultOf(error, name)));
    this.writer = new WriteBehind({
      file: this.opening.then(({ handle }) => handle),
      expectedBytes: header.bytes,
      onDrained: (bytes) => options.onDrained(bytes),
      onError: (error) => this.settle(faultOf(error, name)),
    });
  }

  onBody(bytes: Uint8Array): void {
    this.writer.write(bytes);
  }

  onEnd(trailer: Message | null): void {
    void this.finish(trailer);
  }

  onFault(fault: Fault): void {
    this.settle(fault);
  }

  /** Gives the file up, unless it is being given its name already; resolves when nothing is left to do. `why` ends the verdict's sentence. */
  abort(why: string): Promise<void> {
    this.settle(new Fault('aborted', `'${this.header.name}' was given up: ${why}`));
    return this.done;
  }

  private async finish(trailer: Message | null): Promise<void> {
    const digest = parseDigest(trailer);
    if (digest instanceof Fault) {
      this.settle(digest);
      return;
    }
    const sha256 = await this.writer.end();
    if (sha256 === null || this.isSettled) return;
    if (sha256 === digest.sha256) await this.publish(sha256);
    else
      this.settle(new Fault('badDigest', `'${this.header.name}' arrived with another SHA-256 than it was sent with`));
  }

  private async publish(sha256: string): Promise<void> {
    const { name } = this.header;
    this.isSettled = true;
    let file: IncomingFile | null = null;
    try {
      file = await this.opening;
      await file.publish();
      this.tell(goodVerdict(`'${name}' is complete`, sha256));
    } catch (error) {
      const fault = faultOf(error, name);
      await file?.discard();
      this.tell(badVerdict(fault, sha256));
    }
  }

  /** The one place where a transfer fails; the first fault wins. */
  private settle(fault: Fault): void {
    if (this.isSettled) return;
    this.isSettled = true;
    void this.cleanUp(fault);
  }

  private async cleanUp(fault: Fault): Promise<void> {
    await this.writer.drop();
    const file = await this.opening.catch(() => null);
    await file?.discard();
    this.tell(badVerdict(fault));
  }

  private tell(verdict: Verdict): void {
    this.options.onVerdict(verdict);
    this.resolveDone();
  }
}
