import { describe, expect, it } from 'vitest';
import { XpassError } from '../../src/base/errors.js';
import { parsePeer } from '../../src/net/peer-name.js';

describe('the name of a peer', () => {
  it.each([
    ['192.0.2.7', { host: '192.0.2.7', port: 28_400 }],
    ['lab-3:5000', { host: 'lab-3', port: 5_000 }],
    ['[::1]:5000', { host: '::1', port: 5_000 }],
  ])('is an address in direct mode: %s', (text, address) => {
    expect(parsePeer(text, false)).toEqual(address);
  });

  it('that is an address already stays what it is', () => {
    const address = { host: '192.0.2.7', port: 1 };
    expect(parsePeer(address, false)).toEqual(address);
  });

  it('may be the number that a host in direct mode has given', () => {
    expect(parsePeer(3, false)).toBe(3);
  });

  it('is no host id in direct mode', () => {
    expect(() => parsePeer('7', false)).toThrow('host id 7 needs a switch; without one write HOST or HOST:PORT');
  });

  it.each(['1', '65534', 3])('is a host id behind a switch: %s', (text) => {
    expect(parsePeer(text, true)).toBe(Number(text));
  });

  it.each(['0', '65535', '1.5', 'lab-3', '', '127.0.0.1', -1, Number.NaN])(
    'is nothing else behind a switch: %j',
    (text) => {
      const sentence = `host '${text}' is not allowed behind a switch; allowed: a host id from 1 to 65534`;
      expect(() => parsePeer(text, true)).toThrow(new XpassError('config', sentence));
    },
  );
});
