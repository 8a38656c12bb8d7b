import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { goAhead } from '../../../src/apps/send/go-ahead.js';

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
