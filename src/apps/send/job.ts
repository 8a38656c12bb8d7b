import type { FileOffer } from '../../services/file/file-offer.js';
import type { Comparison, SmallFile } from '../../services/file/send-file.js';
import type { HashedSource } from './file-transfer.js';
import type { SentEntry } from './report.js';

/** A file that is open, and what is said of it. */
export interface SendableSource extends HashedSource {
  readonly header: SentEntry;
  /** Bytes that came from a pipe, whose header says Infinity. */
  readonly bytes?: number;
  compare(offer: FileOffer): Promise<Comparison>;
}

/** A file that has been looked at and can be sent. */
export interface Job {
  readonly header: SentEntry;
  /** It is not asked about, and comes after all files. */
  readonly isFolder?: boolean;
  open(): Promise<SendableSource>;
  /** Reads a small file at once; null when it has grown large. */
  read?(): Promise<SmallFile | null>;
}
