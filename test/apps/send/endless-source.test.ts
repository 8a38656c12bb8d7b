import { expect, it } from 'vitest';
import { EndlessSource } from '../../../src/apps/send/endless-source.js';
import type { HashedSource } from '../../../src/apps/send/file-transfer.js';
import { encodeMessage } from '../../../src/apps/shared/files/message.js';

/** A source of two chunks that counts how often it is closed. */
function twoChunks(closed: { times: number }): Promise<HashedSource> {
  const chunks = [new Uint8Array([1]), new Uint8Array([2])];
  return Promise.resolve({
    sha256: null,
    next: () => Promise.resolve(chunks.shift() ?? null),
    close: () => {
      closed.times++;
      return Promise.resolve();
    },
  });
}

it('is a source again and again, under the header of a stream that is forgotten', async () => {
  const closed = { times: 0 };
  const source = new EndlessSource(() => twoChunks(closed));
  expect(await source.next()).toEqual(encodeMessage({ kind: 'discard' }));
  const bytes: number[] = [];
  for (let chunk = 0; chunk < 5; chunk++) bytes.push(...(await source.next()));
  expect(bytes).toEqual([1, 2, 1, 2, 1]);
  expect(closed.times).toBe(2);
  await source.close();
  await source.close();
  expect(closed.times).toBe(3);
});
