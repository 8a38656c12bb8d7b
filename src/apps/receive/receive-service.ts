// Tested by test/loopback/receive.test.ts
import { Fault } from '../../services/file/fault.js';
import { type FileHeader, parseFileHeader } from '../../services/file/file-header.js';
import type { Message } from '../../services/file/message.js';
import { noPart } from '../../services/file/part-store.js';
import type { TransferBody } from '../../services/file/transfer-reader.js';
import type { Verdict } from '../../services/file/verdict.js';
import type { ServedStream, StreamService } from '../../services/service.js';

/** Who takes a file's bytes. */
export interface FileTaker extends TransferBody {
  /** Gives it up; the verdict follows. */
  abort(why: string): unknown;
}

/** What is told of one file while it comes and in the end. */
export interface TakerEvents {
  onDrained(bytes: number): void;
  onVerdict(verdict: Verdict): void;
}

/** What became of one file. */
export interface Received {
  readonly header: FileHeader;
  readonly stream: ServedStream;
  readonly verdict: Verdict;
  readonly durationNs: number;
}

export interface ReceiveServiceOptions {
  /** Files that are taken, one after the other. */
  readonly count: number;
  take(header: FileHeader, events: TakerEvents): FileTaker;
  /** A file has begun. */
  onBegun(): void;
  /** It has its verdict, which is on its way to the sender. */
  onReceived(received: Received): void;
}

/** Takes files one at a time and refuses what comes meanwhile, or beyond the count. */
export class ReceiveService implements StreamService {
  readonly kind = 'file';
  private readonly options: ReceiveServiceOptions;
  private left: number;
  private current: FileTaker | null = null;

  constructor(options: ReceiveServiceOptions) {
    this.options = options;
    this.left = options.count;
  }

  accept(message: Message, stream: ServedStream): TransferBody | Fault {
    const header = parseFileHeader(message);
    if (header instanceof Fault) return header;
    if (this.current !== null || this.left === 0) return new Fault('busy', 'the receiver takes one file at a time');
    if (header.offset > 0) return noPart(header.name).fault;
    this.left--;
    const startNs = stream.host.now();
    const taker = this.options.take(header, {
      onDrained: (bytes) => stream.receiver.release(bytes),
      onVerdict: (verdict) => {
        this.current = null;
        stream.reply(verdict);
        this.options.onReceived({ header, stream, verdict, durationNs: stream.host.now() - startNs });
      },
    });
    this.current = taker;
    this.options.onBegun();
    return taker;
  }

  /** Gives up what is under way and takes nothing more. */
  stop(why: string): void {
    this.left = 0;
    this.current?.abort(why);
  }

  close(): Promise<void> {
    this.stop('the receiver is shutting down');
    return Promise.resolve();
  }
}
