import { deflateSync, inflateSync } from 'node:zlib';
import { assert } from '../../base/assert.js';

/*
 * Scenarios and results as bytes that every supported Node.js reads alike. JSON writes each double so that it reads back the same; what JSON lacks stands
 * in objects with one key, `$`. Keys keep their order, so a result that went through prints the same bytes.
 */

const KEY = '$';
/** Bytes of a packed value that are unpacked (ours): a result with samples of a thousand flows takes a tenth. */
const MAX_UNPACKED_BYTES = 512 * 2 ** 20;
/** Speed first: runs of milliseconds are to spend little here. */
const LEVEL = 1;

export function pack(value: unknown): Buffer {
  return deflateSync(JSON.stringify(value, forJson), { level: LEVEL });
}

/** Throws for what `pack` did not write, and for what unpacks to more than MAX_UNPACKED_BYTES. */
export function unpack<T>(packed: Uint8Array): T {
  const text = inflateSync(packed, { maxOutputLength: MAX_UNPACKED_BYTES }).toString();
  return restored(JSON.parse(text)) as T;
}

function forJson(_: string, value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : special(value);
  if (value === undefined) return { [KEY]: 'undefined' };
  if (value instanceof Float64Array) return { [KEY]: base64(value) };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const proto = Object.getPrototypeOf(value);
  assert(proto === Object.prototype || proto === null, 'a scenario or result holds plain objects and Float64Array');
  assert(!Object.hasOwn(value, KEY), 'the key $ marks what JSON lacks');
  return value;
}

const special = (value: number): object => ({ [KEY]: Object.is(value, -0) ? '-0' : String(value) });

const base64 = ({ buffer, byteOffset, byteLength }: Float64Array): string =>
  `f64:${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}`;

function restored(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) value[at] = restored(value[at]);
    return value;
  }
  const object = value as Record<string, unknown>;
  if (Object.hasOwn(object, KEY)) return unmarked(String(object[KEY]));
  for (const key of Object.keys(object)) object[key] = restored(object[key]);
  return object;
}

function unmarked(text: string): unknown {
  if (text === 'undefined') return undefined;
  if (!text.startsWith('f64:')) return Number(text);
  const bytes = Buffer.from(text.slice('f64:'.length), 'base64');
  const values = new Float64Array(bytes.length / Float64Array.BYTES_PER_ELEMENT);
  new Uint8Array(values.buffer).set(bytes);
  return values;
}
