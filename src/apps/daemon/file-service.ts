import { Fault } from '../../services/file/fault.js';
import { type FileHeader, parseFileHeader } from '../../services/file/file-header.js';
import type { FileSystem } from '../../services/file/incoming-file.js';
import type { Message } from '../../services/file/message.js';
import { FileReceiver } from '../../services/file/receive-file.js';
import type { TransferBody } from '../../services/file/transfer-reader.js';
import type { Verdict } from '../../services/file/verdict.js';
import type { ServedStream, StreamService } from '../../services/service.js';

export interface FileServiceOptions {
  /** From checkReceiveDirectory. */
  readonly directory: string;
  readonly overwrite: boolean;
  /** A file has its name, or nothing of it is left. */
  onOutcome(outcome: FileOutcome): void;
  readonly fileSystem?: FileSystem;
  readonly maxFiles?: number;
}

/** What became of one file. */
export interface FileOutcome {
  readonly header: FileHeader;
  readonly peerName: string;
  readonly flowId: number;
  readonly verdict: Verdict;
  /** From the header's arrival to the verdict. */
  readonly durationNs: number;
}

/** A file on its way in. */
interface IncomingTransfer {
  readonly stream: ServedStream;
  readonly receiver: FileReceiver;
  readonly startNs: number;
}

/** How far a file is. */
export interface FileProgress {
  readonly peerName: string;
  readonly flowId: number;
  readonly name: string;
  /** Bytes of the flow that have come in order: the file's, and some hundred around them. */
  readonly bytesDelivered: number;
}

/** Files under way at once, those included whose flow is over and which are being put on the disk (ours: as many as there may be streams). */
const MAX_FILES = 1_000;

/** Receives files into one directory. */
export class FileService implements StreamService {
  readonly kind = 'file';
  private readonly options: FileServiceOptions;
  private readonly transfers = new Set<IncomingTransfer>();
  private isClosing = false;

  constructor(options: FileServiceOptions) {
    this.options = options;
  }

  accept(header: Message, stream: ServedStream): TransferBody | Fault {
    const parsed = parseFileHeader(header);
    if (parsed instanceof Fault) return parsed;
    const { directory, overwrite, fileSystem, maxFiles = MAX_FILES } = this.options;
    if (this.transfers.size >= maxFiles) {
      return new Fault('busy', `the receiver takes no more than ${maxFiles} files at a time`);
    }
    const receiver = new FileReceiver(parsed, {
      directory,
      overwrite,
      onDrained: (bytes) => stream.receiver.release(bytes),
      onVerdict: (verdict) => this.finish(transfer, verdict),
      ...(fileSystem === undefined ? {} : { fileSystem }),
    });
    const transfer = { stream, receiver, startNs: stream.host.now() };
    this.transfers.add(transfer);
    return receiver;
  }

  /** The files under way. */
  progress(): FileProgress[] {
    return [...this.transfers].map(({ stream: { peerName, receiver: flow }, receiver }) => ({
      peerName,
      flowId: flow.id,
      name: receiver.header.name,
      bytesDelivered: flow.statistics.bytesDelivered,
    }));
  }

  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.transfers].map(({ receiver }) => receiver.abort('the receiver is shutting down')));
  }

  private finish(transfer: IncomingTransfer, verdict: Verdict): void {
    const { stream, receiver, startNs } = transfer;
    this.transfers.delete(transfer);
    this.options.onOutcome({
      header: receiver.header,
      peerName: stream.peerName,
      flowId: stream.receiver.id,
      verdict,
      durationNs: stream.host.now() - startNs,
    });
    // Flows are about to be reset with SHUTDOWN, which says more than a verdict that might not arrive.
    if (!this.isClosing) stream.reply(verdict);
  }
}
