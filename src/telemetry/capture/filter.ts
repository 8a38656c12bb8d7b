// Tested by test/telemetry/capture/capture.test.ts
/**
 * What `--capture-filter` says: terms joined by `and`, `or` and `not`, `not` before `and` before `or`. docs/CAPTURES.md has the grammar.
 */
import { ConfigError, showValue } from '../../base/config-error.js';
import { BundleReader, isBundle } from '../../wire/bundle.js';
import { hasCreditOf } from '../../wire/credits.js';
import { destinationHost, flowId, frameType, sourceHost } from '../../wire/decode.js';
import { FRAMES } from '../../wire/frames.js';
import { Credits, FrameType, Header } from '../../wire/layout.js';

/** One frame in the eyes of a filter. */
export interface Seen {
  readonly bytes: Uint8Array;
  readonly length: number;
  readonly isDropped: boolean;
  readonly isMarked: boolean;
  /** Of the interface: `from->to` or `in`, and the name of its link. */
  readonly port: string;
  readonly link: string;
}

export type CaptureFilter = (seen: Seen) => boolean;

const TYPES = new Map(FRAMES.map(({ name, type }) => [name.toLowerCase().replaceAll('_', '-'), type]));
const PORTS = ['port', 'flow', 'host', 'from', 'to'];
/** For errors and help. */
export const FILTER_WORDS = `a frame type (data, credit, ...), dropped, marked, flow ID, host ID, from ID, to ID, port NAME; and, or, not`;

/** Throws a ConfigError that names the word. */
export function parseFilter(text: string): CaptureFilter {
  const words = text.trim().split(/\s+/);
  const any = splitAt(words, 'or').map((part) => {
    const all = splitAt(part, 'and').map((term) => parseTerm(term, text));
    return (seen: Seen) => all.every((accepts) => accepts(seen));
  });
  const accepts: CaptureFilter = (seen) => any.some((accept) => accept(seen));
  return (seen) => (isBundle(seen.bytes, seen.length) ? hasFrameFor(accepts, seen) : accepts(seen));
}

const reader = new BundleReader();

/** A bundle is wanted where one of its frames is. */
function hasFrameFor(accepts: CaptureFilter, seen: Seen): boolean {
  reader.open(seen.bytes, seen.length);
  while (reader.next()) if (accepts({ ...seen, bytes: reader.bytes, length: reader.length })) return true;
  return false;
}

function splitAt(words: readonly string[], joint: string): string[][] {
  const parts: string[][] = [[]];
  for (const word of words) {
    if (word === joint) parts.push([]);
    else parts[parts.length - 1].push(word);
  }
  return parts;
}

function parseTerm(words: readonly string[], text: string): CaptureFilter {
  if (words[0] === 'not') {
    const accepts = parseTerm(words.slice(1), text);
    return (seen) => !accepts(seen);
  }
  const [word = '', value] = words;
  const takesValue = PORTS.includes(word);
  const term = words.length === (takesValue ? 2 : 1) ? termOf(word, value ?? '') : null;
  if (term !== null) return term;
  throw new ConfigError(
    `filter ${showValue(text)}: ${showValue(words.join(' '))} is not allowed; allowed: ${FILTER_WORDS}`,
  );
}

function termOf(word: string, value: string): CaptureFilter | null {
  const type = TYPES.get(word);
  if (type === FrameType.credit)
    return withHeader((bytes) => frameType(bytes) === type || frameType(bytes) === Credits.type);
  if (type !== undefined) return withHeader((bytes) => frameType(bytes) === type);
  if (word === 'dropped') return ({ isDropped }) => isDropped;
  if (word === 'marked') return ({ isMarked }) => isMarked;
  if (word === 'port') return ({ port, link }) => port === value || link === value;
  const id = /^(0x[0-9a-f]+|\d+)$/i.test(value) ? Number(value) : -1;
  if (id < 0) return null;
  if (word === 'flow') return withHeader((bytes, length) => flowId(bytes) === id || hasCreditOf(id, bytes, length));
  if (word === 'from') return withHeader((bytes) => sourceHost(bytes) === id);
  if (word === 'to') return withHeader((bytes) => destinationHost(bytes) === id);
  return word === 'host' ? withHeader((bytes) => sourceHost(bytes) === id || destinationHost(bytes) === id) : null;
}

/** What is too short to have a header is of no type. */
function withHeader(accepts: (bytes: Uint8Array, length: number) => boolean): CaptureFilter {
  return ({ bytes, length }) => length >= Header.bytes && accepts(bytes, length);
}
