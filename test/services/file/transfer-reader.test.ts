import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage, type Message } from '../../../src/services/file/message.js';
import { TransferReader } from '../../../src/services/file/transfer-reader.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

interface Log {
  headers: Message[];
  body: Buffer;
  ends: (Message | null)[];
  faults: string[];
  refusals: string[];
  framingBytes: number;
}

/** A reader that takes `file` with a trailer, `perf` up to the end and `verdict` without a body; and what it heard. */
function setUp() {
  const log: Log = { headers: [], body: Buffer.alloc(0), ends: [], faults: [], refusals: [], framingBytes: 0 };
  const reader = new TransferReader({
    accept: (header) => {
      log.headers.push(header);
      if (!['file', 'perf', 'verdict'].includes(header.kind)) return new Fault('unsupported', header.kind);
      return {
        bodyBytes: header.kind === 'perf' ? Number.POSITIVE_INFINITY : Number(header.bytes ?? 0),
        hasTrailer: header.kind === 'file',
        onBody: (bytes) => {
          expect(bytes.length).toBeGreaterThan(0);
          log.body = Buffer.concat([log.body, bytes]);
        },
        onEnd: (trailer) => log.ends.push(trailer),
        onFault: ({ code }) => log.faults.push(code),
      };
    },
    onRefused: ({ code }) => log.refusals.push(code),
    onFraming: (bytes) => {
      log.framingBytes += bytes;
    },
  });
  return { reader, log };
}

function stream(body: Uint8Array, header: Message = { kind: 'file', bytes: body.length }): Buffer {
  return Buffer.concat([encodeMessage(header), body, encodeMessage({ kind: 'digest' })]);
}

function pushAll(reader: TransferReader, bytes: Uint8Array, chunkBytes = bytes.length): void {
  // Chunks are valid only during the call: each is a copy that is wiped afterwards.
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    const chunk = Uint8Array.from(bytes.subarray(at, at + chunkBytes));
    reader.push(chunk);
    chunk.fill(0xee);
  }
}

describe('an application stream', () => {
  it('is a header, a body and a trailer however it is split', () => {
    const input = fc.tuple(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 60 }));
    holds(input, 500, ([body, chunkBytes]) => {
      const { reader, log } = setUp();
      const bytes = stream(body);
      pushAll(reader, bytes, chunkBytes);
      expect(log.headers).toEqual([{ kind: 'file', bytes: body.length }]);
      expect(log.body).toEqual(Buffer.from(body));
      expect(log.ends).toEqual([{ kind: 'digest' }]);
      expect(log.framingBytes).toBe(bytes.length - body.length);
      reader.end();
      expect([log.faults, log.refusals, log.ends.length]).toEqual([[], [], 1]);
    });
  });

  it('hands a chunk that is all body on as it is, without a copy', () => {
    const seen: Uint8Array[] = [];
    const reader = new TransferReader({
      accept: () => ({
        bodyBytes: 8,
        hasTrailer: false,
        onBody: (bytes) => seen.push(bytes),
        onEnd: () => undefined,
        onFault: () => undefined,
      }),
      onRefused: () => undefined,
      onFraming: () => undefined,
    });
    reader.push(encodeMessage({ kind: 'file' }));
    const chunk = Uint8Array.of(1, 2, 3);
    reader.push(chunk);
    expect(seen[0]).toBe(chunk);
  });

  it('may have a body that ends with the stream', () => {
    const { reader, log } = setUp();
    pushAll(reader, Buffer.concat([encodeMessage({ kind: 'perf' }), Buffer.alloc(100)]), 7);
    expect(log.ends).toEqual([]);
    reader.end();
    expect(log.body.length).toBe(100);
    expect(log.ends).toEqual([null]);
  });

  it('may be a header alone, known at once', () => {
    const { reader, log } = setUp();
    pushAll(reader, encodeMessage({ kind: 'verdict' }));
    expect(log.ends).toEqual([null]);
    reader.end();
    expect(log.ends).toEqual([null]);
  });

  it('that is cut anywhere is truncated', () => {
    const body = Buffer.from('hello');
    const whole = stream(body);
    for (let length = 0; length < whole.length; length++) {
      const { reader, log } = setUp();
      pushAll(reader, whole.subarray(0, length), 3);
      reader.end();
      reader.end();
      expect([...log.refusals, ...log.faults]).toEqual(['truncated']);
      expect(log.ends).toEqual([]);
    }
  });

  it('that is refused is read and forgotten', () => {
    const { reader, log } = setUp();
    const bytes = stream(Buffer.alloc(1000), { kind: 'mystery' });
    pushAll(reader, bytes, 10);
    reader.end();
    expect(log.refusals).toEqual(['unsupported']);
    expect(log.framingBytes).toBe(bytes.length);
    expect(log.body.length).toBe(0);
  });

  it('with a broken trailer is a fault of the body', () => {
    const { reader, log } = setUp();
    pushAll(reader, Buffer.concat([encodeMessage({ kind: 'file', bytes: 1 }), Buffer.alloc(100)]), 9);
    reader.end();
    expect([log.faults, log.refusals, log.ends]).toEqual([['badMessage'], [], []]);
  });

  it('is over at its end: what follows is forgotten', () => {
    const { reader, log } = setUp();
    const bytes = Buffer.concat([stream(Buffer.from('hello')), stream(Buffer.from('again'))]);
    pushAll(reader, bytes, 11);
    reader.end();
    expect(String(log.body)).toBe('hello');
    expect([log.faults, log.refusals, log.ends.length]).toEqual([[], [], 1]);
    expect(log.framingBytes).toBe(bytes.length - 5);
  });

  it('is complete when all that its header announced is there, and not before', () => {
    const { reader } = setUp();
    const whole = stream(Buffer.from('hello'));
    reader.push(whole.subarray(0, -1));
    expect(reader.isComplete).toBe(false);
    reader.push(whole.subarray(-1));
    expect(reader.isComplete).toBe(true);
  });

  it('that is given up tells its body why, unless it is complete', () => {
    const [early, half, late] = [setUp(), setUp(), setUp()];
    const whole = stream(Buffer.from('hello'));
    half.reader.push(whole.subarray(0, -1));
    late.reader.push(whole);
    for (const { reader } of [early, half, late]) reader.abort(new Fault('aborted', 'the flow is lost'));
    expect([early.log.refusals, half.log.faults, late.log.faults]).toEqual([['aborted'], ['aborted'], []]);
    expect(late.log.ends).toHaveLength(1);
  });

  it('of random bytes ends in at most one fault, and every byte is accounted for', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(60))
        .map(([body, claimed]) => stream(body, { kind: 'file', bytes: claimed })),
    );
    holds(fc.tuple(bytes, fc.integer({ min: 1, max: 50 })), 2000, ([input, chunkBytes]) => {
      const { reader, log } = setUp();
      pushAll(reader, input, chunkBytes);
      reader.end();
      expect(log.faults.length + log.refusals.length + log.ends.length).toBe(1);
      expect(log.framingBytes + log.body.length).toBe(input.length);
    });
  });
});
