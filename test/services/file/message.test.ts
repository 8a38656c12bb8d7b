import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage, MAX_MESSAGE_BYTES, type Message, MessageDecoder } from '../../../src/services/file/message.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

function decode(bytes: Uint8Array, chunkBytes = bytes.length): Message | Fault | null {
  const decoder = new MessageDecoder();
  for (let at = 0; at < bytes.length && decoder.result === null; ) {
    const chunk = bytes.subarray(at, at + Math.max(1, chunkBytes));
    at += decoder.push(chunk, 0);
  }
  return decoder.result;
}

function framed(text: string | Uint8Array, length?: number): Uint8Array {
  const body = Buffer.from(text);
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(length ?? body.length);
  return Buffer.concat([prefix, body]);
}

describe('a message', () => {
  it('is a length and JSON', () => {
    expect(Buffer.from(encodeMessage({ kind: 'a' })).toString('latin1')).toBe('\0\0\0\u000c{"kind":"a"}');
  });

  it('arrives whole however it is split', () => {
    const message = fc.record({ kind: fc.string(), name: fc.string({ unit: 'binary' }), bytes: fc.nat() });
    holds(fc.tuple(message, fc.integer({ min: 1, max: 40 })), 500, ([value, chunkBytes]) => {
      expect(decode(encodeMessage(value), chunkBytes)).toEqual(JSON.parse(JSON.stringify(value)));
    });
  });

  it('ends where it ends: the rest of the chunk is not taken', () => {
    const bytes = Buffer.concat([Buffer.from('xx'), encodeMessage({ kind: 'a' }), Buffer.from('body')]);
    const decoder = new MessageDecoder();
    expect(decoder.push(bytes, 2)).toBe(bytes.length - 4);
    expect(decoder.result).toEqual({ kind: 'a' });
    expect(decoder.push(bytes, 5)).toBe(5);
  });

  it('may be as long as the limit, and no longer', () => {
    const fill = 'x'.repeat(MAX_MESSAGE_BYTES - '{"kind":""}'.length);
    expect(decode(encodeMessage({ kind: fill }), 1000)).toEqual({ kind: fill });
    expect(() => encodeMessage({ kind: `${fill}x` })).toThrow('within the limit');
    expect(decode(framed('', MAX_MESSAGE_BYTES + 1))).toEqual(
      new Fault('badMessage', 'a message claims 65537 bytes; allowed: 2 to 65536'),
    );
  });

  it.each([
    ['of no bytes', framed(''), 'claims 0 bytes'],
    ['that claims four gigabytes', framed('{}', 2 ** 32 - 1), 'claims 4294967295 bytes'],
    ['that is no JSON', framed('{"kind":'), 'not JSON in UTF-8'],
    ['that is no UTF-8', framed(Buffer.from([0x22, 0xff, 0x22])), 'not JSON in UTF-8'],
    ['with a byte order mark', framed('\ufeff{"kind":"a"}'), 'not JSON in UTF-8'],
    ['that is a list', framed('["kind"]'), 'not a JSON object'],
    ['that is null', framed('null'), 'not a JSON object'],
    ['that is a word', framed('"kind"'), 'not a JSON object'],
    ['without a kind', framed('{}'), 'has no kind'],
    ['whose kind is a number', framed('{"kind":1}'), 'has no kind'],
    ['that is as deep as it can be', framed('['.repeat(MAX_MESSAGE_BYTES)), 'not JSON in UTF-8'],
  ])('%s is a fault', (_, bytes, words) => {
    const result = decode(bytes);
    expect(result).toBeInstanceOf(Fault);
    expect((result as Fault).message).toContain(words);
    expect(decode(bytes, 1)).toEqual(result);
  });

  it('does not make room for what has only been claimed', () => {
    const decoder = new MessageDecoder();
    decoder.push(framed('{', MAX_MESSAGE_BYTES), 0);
    expect((decoder as unknown as { buffer: Uint8Array }).buffer.length).toBeLessThan(5_000);
  });

  it('of random bytes is never anything but a message, a fault or not there yet', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.uint8Array({ maxLength: 100 }).map((body) => framed(body)),
      fc.json().map((json) => framed(json)),
    );
    holds(fc.tuple(bytes, fc.integer({ min: 1, max: 50 })), 2000, ([input, chunkBytes]) => {
      const result = decode(input, chunkBytes);
      if (result !== null && !(result instanceof Fault)) expect(typeof result.kind).toBe('string');
      expect(decode(input)).toEqual(result);
    });
  });
});
