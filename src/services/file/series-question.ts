import { Fault } from './fault.js';
import { isSha256, nameOrSizeFault } from './file-header.js';
import type { Message } from './message.js';

/** Files of one question (ours): their hashes are a message of 17 kB. */
export const MOST_ASKED = 256;
/** Bytes of the names of one question: with sizes and JSON's escapes, of which a byte needs six at most, it stays below the longest message. */
const MOST_ASKED_BYTES = 8_192;

/** A file as a question names it. */
export interface AskedFile {
  readonly name: string;
  readonly bytes: number;
}

/** What a sender asks about small files before their bytes flow. docs/APPLICATIONS.md, "files-query" */
export function filesQuery(files: readonly AskedFile[]): Message {
  return { kind: 'files-query', files: files.map(({ name, bytes }) => [name, bytes]) };
}

/** A file that makes no sense is asked about in vain: null. */
export function parseFilesQuery({ kind, files }: Message): readonly (AskedFile | null)[] | Fault {
  if (kind !== 'files-query') return new Fault('unsupported', 'the stream does not ask for files');
  if (!Array.isArray(files) || files.length === 0 || files.length > MOST_ASKED) {
    return new Fault('badMessage', `a question is about 1 to ${MOST_ASKED} files`);
  }
  return (files as unknown[]).map((file) => {
    const [name, bytes] = Array.isArray(file) ? (file as unknown[]) : [];
    return nameOrSizeFault(name, bytes) === null ? { name: name as string, bytes: bytes as number } : null;
  });
}

/** The answer: the SHA-256 of each file that is there with this size, else null. */
export function filesOffer(existing: readonly (string | null)[]): Message {
  return { kind: 'files-offer', existing };
}

export function parseFilesOffer({ kind, existing }: Message, count: number): readonly (string | null)[] | Fault {
  if (kind !== 'files-offer') return new Fault('unsupported', 'the peer answered with something else than an offer');
  const isWhole = Array.isArray(existing) && existing.length === count;
  if (
    !isWhole ||
    !(existing as unknown[]).every((each) => each === null || (typeof each === 'string' && isSha256(each)))
  ) {
    return new Fault('badMessage', "the peer's offer makes no sense");
  }
  return existing as (string | null)[];
}

/** Splits files into questions, in their order. */
export function* questionsOf<T extends AskedFile>(files: readonly T[]): Generator<T[]> {
  let next: T[] = [];
  let bytes = 0;
  for (const file of files) {
    const length = Buffer.byteLength(file.name);
    if (next.length === MOST_ASKED || (next.length > 0 && bytes + length > MOST_ASKED_BYTES)) {
      yield next;
      next = [];
      bytes = 0;
    }
    next.push(file);
    bytes += length;
  }
  if (next.length > 0) yield next;
}
