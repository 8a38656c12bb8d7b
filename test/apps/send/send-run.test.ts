import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { HashedSource } from '../../../src/apps/send/file-transfer.js';
import { EndlessSource, goAhead } from '../../../src/apps/send/send-run.js';
import { encodeMessage } from '../../../src/services/file/message.js';

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

describe('the line that --hold waits for', () => {
  it('is any line', async () => {
    const input = new PassThrough();
    const coming = goAhead(input);
    input.write('go');
    input.write(' now\n');
    expect(await coming).toBe(true);
  });

  it('may come twice', async () => {
    const input = new PassThrough();
    const first = goAhead(input);
    input.write('rest\n');
    expect(await first).toBe(true);
    const second = goAhead(input);
    input.write('go\n');
    expect(await second).toBe(true);
  });

  it('does not come when the input ends before', async () => {
    const input = new PassThrough();
    const coming = goAhead(input);
    input.end('half a line');
    expect(await coming).toBe(false);
  });

  it('does not come when the input fails', async () => {
    const input = new PassThrough();
    const coming = goAhead(input);
    input.destroy(new Error('EIO'));
    expect(await coming).toBe(false);
  });
});
