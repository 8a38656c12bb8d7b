import { expect, it } from 'vitest';
import { Fault } from '../../../src/services/file/fault.js';
import { encodeMessage, type Message } from '../../../src/services/file/message.js';
import { MessagesBody, SeriesBody } from '../../../src/services/file/series-body.js';

function setUp() {
  const log = { heard: [] as string[], framing: 0, body: 0, broken: [] as string[] };
  const body = new SeriesBody({
    accept: ({ kind, name, bytes }, at) => {
      if (kind !== 'file' || name === 'no') return new Fault('badName', `${name}`);
      const told = (what: string): void => void log.heard.push(`${at} ${name} ${what}`);
      return {
        bodyBytes: bytes as number,
        hasTrailer: true,
        onBody: (part) => {
          log.body += part.length;
        },
        onEnd: (trailer) => told(`ends ${trailer?.sha256}`),
        onFault: ({ code }) => told(code),
      };
    },
    onRefused: ({ code }, at) => void log.heard.push(`${at} refused ${code}`),
    onBroken: ({ code }) => void log.broken.push(code),
    onFraming: (bytes) => {
      log.framing += bytes;
    },
  });
  return { body, log };
}

const fileOf = (name: string, bytes: number): Uint8Array =>
  Buffer.concat([
    encodeMessage({ kind: 'file', name, bytes }),
    new Uint8Array(bytes),
    encodeMessage({ kind: 'digest', sha256: name }),
  ]);

it('reads files in a row however they are split, and skips one that nobody takes', () => {
  const stream = Buffer.concat([fileOf('a', 3), fileOf('no', 5), fileOf('b', 0), fileOf('c', 7)]);
  for (const step of [1, 2, 3, 50, stream.length]) {
    const { body, log } = setUp();
    for (let at = 0; at < stream.length; at += step) body.onBody(stream.subarray(at, at + step));
    body.onEnd();
    expect(log.heard).toEqual(['0 a ends a', '1 refused badName', '2 b ends b', '3 c ends c']);
    expect(log).toMatchObject({ body: 10, broken: [] });
    expect(log.framing).toBe(stream.length - log.body);
  }
});

it('names a file that breaks off, and nothing between two', () => {
  for (const [end, what] of [
    [(body: SeriesBody) => body.onEnd(), 'truncated'],
    [(body: SeriesBody) => body.onFault(new Fault('aborted', 'lost')), 'aborted'],
  ] as const) {
    const { body, log } = setUp();
    body.onBody(fileOf('a', 3));
    body.onBody(fileOf('b', 3).subarray(0, -1));
    end(body);
    expect(log.heard).toEqual(['0 a ends a', `1 b ${what}`]);
  }
});

it('is broken where the length of a file is unknown, once, and forgets the rest', () => {
  const { body, log } = setUp();
  const bad = Buffer.concat([encodeMessage({ kind: 'folder', name: 'no' }), fileOf('a', 3)]);
  body.onBody(bad);
  body.onBody(bad);
  expect(log).toMatchObject({ heard: [], broken: ['badName'], framing: 2 * bad.length });
});

it('reads messages in a row until one makes no sense', () => {
  const heard: (Message | Fault)[] = [];
  let released = 0;
  const body = new MessagesBody(
    (message) => heard.push(message),
    (bytes) => {
      released += bytes;
    },
  );
  const two = Buffer.concat([encodeMessage({ kind: 'a' }), encodeMessage({ kind: 'b' })]);
  for (const byte of two) body.onBody(Uint8Array.of(byte));
  body.onBody(Buffer.concat([two, new Uint8Array(9)]));
  expect(heard.slice(0, 4)).toMatchObject([{ kind: 'a' }, { kind: 'b' }, { kind: 'a' }, { kind: 'b' }]);
  expect(heard[4]).toBeInstanceOf(Fault);
  expect(heard).toHaveLength(5);
  expect(released).toBe(2 * two.length + 9);
});
