import { setTimeout as sleep } from 'node:timers/promises';
import { hashesOfExisting } from '../../services/file/existing-file.js';
import { Fault, faultOf } from '../../services/file/fault.js';
import {
  type FileHeader,
  type FolderHeader,
  parseFileHeader,
  parseFolderHeader,
} from '../../services/file/file-header.js';
import { type FileQuery, NO_OFFER, parseFileQuery } from '../../services/file/file-offer.js';
import type { FileSystem } from '../../services/file/file-system.js';
import { makeFolder } from '../../services/file/folders.js';
import { chmodFolder } from '../../services/file/incoming-file.js';
import type { Message } from '../../services/file/message.js';
import { type ClaimedPart, noPart, type PartStore } from '../../services/file/part-store.js';
import { FileReceiver } from '../../services/file/receive-file.js';
import { FILES_KIND, SeriesBody } from '../../services/file/series-body.js';
import { filesOffer, parseFilesQuery } from '../../services/file/series-question.js';
import type { SpaceBook } from '../../services/file/space.js';
import type { TransferBody } from '../../services/file/transfer-reader.js';
import { badVerdict, goodVerdict, type Verdict } from '../../services/file/verdict.js';
import type { ServedStream, StreamService } from '../../services/service.js';

export interface FileServiceOptions {
  /** From checkReceiveDirectory. */
  readonly directory: string;
  readonly overwrite: boolean;
  /** Whether files get their senders' permissions. */
  readonly keepMode?: boolean;
  /** Whether files are on the disk before their verdicts; true by default. */
  readonly isSynced?: boolean;
  /** Where unfinished files stay; without it nothing of them is left. */
  readonly parts?: PartStore;
  /** Without it the disk is the only bound. */
  readonly space?: SpaceBook;
  /** A file has its name, or was given up or refused. */
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
  /** Bytes that are kept for a later transfer. */
  readonly keptBytes: number;
  /** From the header's arrival to the verdict. */
  readonly durationNs: number;
}

/** A file on its way in. */
interface IncomingTransfer {
  readonly stream: ServedStream;
  readonly receiver: FileReceiver;
  readonly startNs: number;
  reply(verdict: Verdict): void;
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

/** What a dead sender had under way arrives within this time (ours): what comes later is from one that lives. */
const SETTLING_MS = 400;
/** How often a transfer that may be dead is looked at (ours). */
const LOOK_MS = 100;
/** A question waits no longer than this for the end of another transfer (ours: several idle timeouts). */
const MOST_WAIT_MS = 60_000;

/** Receives files into one directory. */
export class FileService implements StreamService {
  readonly kind = 'file';
  /** Answers what senders ask before. */
  readonly offers: StreamService = {
    kind: 'file-query',
    accept: (header, stream) => this.acceptQuery(header, stream),
    close: () => Promise.resolve(),
  };
  /** Makes the folders that senders have. */
  readonly folders: StreamService = {
    kind: 'folder',
    accept: (header, stream) => this.acceptFolder(header, stream),
    close: () => Promise.resolve(),
  };
  /** Takes small files in a row. */
  readonly series: StreamService = {
    kind: FILES_KIND,
    accept: (_, stream) => this.acceptSeries(stream),
    close: () => Promise.resolve(),
  };
  /** Says which of many small files are there. */
  readonly existing: StreamService = {
    kind: 'files-query',
    accept: (header, stream) => this.acceptFilesQuery(header, stream),
    close: () => Promise.resolve(),
  };
  private readonly options: FileServiceOptions;
  private readonly transfers = new Set<IncomingTransfer>();
  private isClosing = false;

  constructor(options: FileServiceOptions) {
    this.options = options;
  }

  accept(header: Message, stream: ServedStream): TransferBody | Fault {
    return this.begin(header, stream, (verdict) => stream.reply(verdict));
  }

  /** Verdicts come as files are done, each with the number of its file. */
  private acceptSeries(stream: ServedStream): TransferBody {
    const answer = (verdict: Verdict, at: number): void => stream.answer({ ...verdict, at });
    return new SeriesBody({
      accept: (header, at) => this.begin(header, stream, (verdict) => answer(verdict, at)),
      onRefused: (fault, at) => {
        stream.logger.warn({ peer: stream.peerName, code: fault.code }, fault.message);
        answer(badVerdict(fault), at);
      },
      onBroken: (fault) => {
        stream.logger.warn({ peer: stream.peerName, code: fault.code }, fault.message);
        stream.receiver.reset();
      },
      onFraming: (bytes) => stream.receiver.release(bytes),
    });
  }

  private begin(header: Message, stream: ServedStream, reply: (verdict: Verdict) => void): FileReceiver | Fault {
    const parsed = parseFileHeader(header);
    if (parsed instanceof Fault) return parsed;
    const { maxFiles = MAX_FILES, onOutcome, ...options } = this.options;
    if (this.transfers.size >= maxFiles) {
      return new Fault('busy', `the receiver takes no more than ${maxFiles} files at a time`);
    }
    const part = this.claim(parsed);
    if (part instanceof Fault) return part;
    const callbacks = {
      onDrained: (bytes: number) => stream.receiver.release(bytes),
      onVerdict: (verdict: Verdict) => this.finish(transfer, verdict),
    };
    const receiver = new FileReceiver(parsed, { ...options, ...callbacks }, part);
    const transfer = { stream, receiver, reply, startNs: stream.host.now() };
    this.transfers.add(transfer);
    return receiver;
  }

  /** What the file goes on with; undefined for one that begins at its start. */
  private claim({ name, offset, prefixSha256 }: FileHeader): ClaimedPart | undefined | Fault {
    if (offset === 0 || prefixSha256 === null) return undefined;
    return this.options.parts?.claim(name, { offset, sha256: prefixSha256 }) ?? noPart(name).fault;
  }

  private acceptQuery(header: Message, stream: ServedStream): TransferBody | Fault {
    const query = parseFileQuery(header);
    if (query instanceof Fault) return query;
    void this.answer(query, stream);
    return { bodyBytes: 0, hasTrailer: false, onBody: () => {}, onEnd: () => {}, onFault: () => {} };
  }

  private acceptFilesQuery(header: Message, stream: ServedStream): TransferBody | Fault {
    const files = parseFilesQuery(header);
    if (files instanceof Fault) return files;
    const isOver = (): boolean => stream.receiver.isClosed || this.isClosing;
    void hashesOfExisting(this.options.directory, files, isOver).then((hashes) => {
      if (!isOver()) stream.reply(filesOffer(hashes));
    });
    return { bodyBytes: 0, hasTrailer: false, onBody: () => {}, onEnd: () => {}, onFault: () => {} };
  }

  private acceptFolder(message: Message, stream: ServedStream): TransferBody | Fault {
    const header = parseFolderHeader(message);
    if (header instanceof Fault) return header;
    void this.makeFolder(header).then((verdict) => {
      if (!this.isClosing) stream.reply(verdict);
    });
    return { bodyBytes: 0, hasTrailer: false, onBody: () => {}, onEnd: () => {}, onFault: () => {} };
  }

  private async makeFolder({ name, mode }: FolderHeader): Promise<Verdict> {
    const { directory, fileSystem, keepMode = false } = this.options;
    try {
      await makeFolder({ directory, name, fileSystem });
      if (keepMode) await chmodFolder(directory, name, mode);
      return goodVerdict(`'${name}' is there`, null);
    } catch (error) {
      return badVerdict(faultOf(error, name));
    }
  }

  private async answer(query: FileQuery, stream: ServedStream): Promise<void> {
    const isOver = (): boolean => stream.receiver.isClosed || this.isClosing;
    const { name, bytes } = query;
    const { parts, space } = this.options;
    const startNs = stream.host.now();
    try {
      await this.untilSettled(name, isOver);
      if (isOver()) return;
      const offer = (await parts?.offer(name, bytes)) ?? NO_OFFER;
      if (offer.existing === null) await space?.check(name, bytes, offer.points.at(-1)?.offset ?? 0);
      if (!this.isClosing) stream.reply(offer);
    } catch (error) {
      const verdict = badVerdict(faultOf(error, name));
      const header = { kind: 'file', name, bytes, mode: 0, offset: 0, prefixSha256: null } as const;
      this.tell({ header, stream, verdict, keptBytes: 0, startNs });
      if (!this.isClosing) stream.reply(verdict);
    }
  }

  /** Until no other transfer of this name may be dead: one that still gets bytes lives, one that is dead ends by its timeout and leaves its part. */
  private async untilSettled(name: string, isOver: () => boolean): Promise<void> {
    const untilMs = performance.now() + MOST_WAIT_MS;
    const others = [...this.transfers].filter(({ receiver }) => receiver.header.name === name);
    if (others.length === 0) return;
    await sleep(SETTLING_MS);
    const bytesOf = ({ stream }: IncomingTransfer): number => stream.receiver.statistics.bytesDelivered;
    const before = others.map(bytesOf);
    while (performance.now() < untilMs && !isOver()) {
      const isSilent = others.some((other, at) => this.transfers.has(other) && bytesOf(other) === before[at]);
      if (!isSilent) return;
      await sleep(LOOK_MS);
    }
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
    this.tell({ header: receiver.header, stream, verdict, keptBytes: receiver.keptBytes, startNs });
    // Flows are about to be reset with SHUTDOWN, which says more than a verdict that might not arrive.
    if (!this.isClosing) transfer.reply(verdict);
  }

  private tell({ stream, startNs, ...rest }: Ending): void {
    const { peerName, receiver, host } = stream;
    this.options.onOutcome({ ...rest, peerName, flowId: receiver.id, durationNs: host.now() - startNs });
  }
}

interface Ending extends Pick<FileOutcome, 'header' | 'verdict' | 'keptBytes'> {
  readonly stream: ServedStream;
  readonly startNs: number;
}
