import { Fault } from './fault.js';
import { isCount, isSha256, nameOrSizeFault } from './file-header.js';
import type { Message } from './message.js';
import { MAX_POINTS } from './prefix-hashes.js';

/** What a sender asks before a file's bytes flow. docs/APPLICATIONS.md, "file-query" */
export interface FileQuery extends Message {
  readonly kind: 'file-query';
  readonly name: string;
  readonly bytes: number;
}

/** The SHA-256 of the first `offset` bytes of a file. */
export interface PrefixPoint {
  readonly offset: number;
  readonly sha256: string;
}

/** The answer: what the receiver has of it. */
export interface FileOffer extends Message {
  readonly kind: 'file-offer';
  /** SHA-256 of a whole file of this name and size; null: there is none. */
  readonly existing: string | null;
  /** Of an unfinished file, with ascending offsets; empty: there is none. */
  readonly points: readonly PrefixPoint[];
}

export const NO_OFFER: FileOffer = { kind: 'file-offer', existing: null, points: [] };

export function parseFileQuery({ kind, name, bytes }: Message): FileQuery | Fault {
  if (kind !== 'file-query') return new Fault('unsupported', 'the stream does not ask for a file');
  return nameOrSizeFault(name, bytes) ?? { kind, name: name as string, bytes: bytes as number };
}

export function parseFileOffer({ kind, existing = null, points = [] }: Message): FileOffer | Fault {
  if (kind !== 'file-offer') return new Fault('unsupported', 'the peer answered with something else than an offer');
  const isWhole = (existing === null || isDigest(existing)) && Array.isArray(points) && points.length <= MAX_POINTS;
  if (!isWhole || !(points as unknown[]).every(isPoint)) return nonsense();
  const read = (points as PrefixPoint[]).map(({ offset, sha256 }) => ({ offset, sha256 }));
  if (read.some(({ offset }, at) => at > 0 && offset <= read[at - 1].offset)) return nonsense();
  return { kind, existing: existing as string | null, points: read };
}

function nonsense(): Fault {
  return new Fault('badMessage', "the peer's offer makes no sense");
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && isSha256(value);
}

function isPoint(value: unknown): value is PrefixPoint {
  const { offset, sha256 } = (value ?? {}) as Partial<PrefixPoint>;
  return isCount(offset, Number.MAX_SAFE_INTEGER) && offset > 0 && isDigest(sha256);
}
