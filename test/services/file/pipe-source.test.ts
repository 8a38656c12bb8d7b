import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Fault } from '../../../src/services/file/fault.js';
import { parseDigest, parseFileHeader } from '../../../src/services/file/file-header.js';
import type { Message } from '../../../src/services/file/message.js';
import { PipeSource } from '../../../src/services/file/pipe-source.js';
import { TransferReader } from '../../../src/services/file/transfer-reader.js';

async function* input() {
  yield Buffer.from('one');
  yield Buffer.from('');
  yield Buffer.from(' and two');
}

it('is read back by a receiver, however it is split', async () => {
  const source = new PipeSource('x.tar', input());
  const parts: Uint8Array[] = [];
  for (let part = await source.next(); part !== null; part = await source.next()) parts.push(part);
  let body = '';
  const trailers: (Message | null)[] = [];
  const reader = new TransferReader({
    accept: (header) => {
      expect(parseFileHeader(header)).toMatchObject({ name: 'x.tar', bytes: Number.POSITIVE_INFINITY });
      return {
        bodyBytes: 0,
        isChunked: true,
        hasTrailer: true,
        onBody: (bytes) => {
          body += Buffer.from(bytes).toString();
        },
        onEnd: (trailer) => void trailers.push(trailer),
        onFault: ({ message }: Fault) => expect.unreachable(message),
      };
    },
    onRefused: ({ message }) => expect.unreachable(message),
    onFraming: () => undefined,
  });
  for (const byte of Buffer.concat(parts)) reader.push(Uint8Array.of(byte));
  expect(body).toBe('one and two');
  const sha256 = createHash('sha256').update(body).digest('hex');
  expect(trailers.map(parseDigest)).toEqual([{ kind: 'digest', sha256 }]);
  expect([source.sha256, source.bytes, reader.isComplete]).toEqual([sha256, 11, true]);
});
