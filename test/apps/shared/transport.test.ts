import { describe, expect, it } from 'vitest';
import { parseTarget, peerOf } from '../../../src/apps/shared/transport.js';

describe('who a command talks to', () => {
  it.each([
    ['192.0.2.7', { host: '192.0.2.7', port: 47_000 }],
    ['lab-3:5000', { host: 'lab-3', port: 5_000 }],
    ['[::1]:5000', { host: '::1', port: 5_000 }],
    ['7', null],
  ])('is an address in direct mode: %s', (text, direct) => {
    if (direct === null) expect(() => parseTarget(text, false)).toThrow('host id 7 needs --switch');
    else expect(parseTarget(text, false)).toEqual({ direct });
  });

  it.each(['1', '65534'])('is a host id behind a switch: %s', (text) => {
    const target = parseTarget(text, true);
    expect(target).toEqual({ hostId: Number(text) });
    expect(peerOf(target)).toBe(Number(text));
  });

  it.each(['0', '65535', '1.5', 'lab-3', '', '127.0.0.1'])('is nothing else behind a switch: %j', (text) => {
    expect(() => parseTarget(text, true)).toThrow(
      `host '${text}' is not allowed behind a switch; allowed: a host id from 1 to 65534`,
    );
  });

  it('is the only peer of a connected socket in direct mode', () => {
    expect(peerOf(parseTarget('127.0.0.1', false))).toBe(1);
  });
});
