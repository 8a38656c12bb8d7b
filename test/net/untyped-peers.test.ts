import { describe, expect, it } from 'vitest';
import { parsePeer } from '../../src/net/peer-name.js';
import type { Address } from '../../src/udp/address.js';

/** What programs in JavaScript may give. */
const given = (value: unknown) => value as Address;
const CONFIG = expect.objectContaining({ code: 'config' });

describe('names of peers in direct mode', () => {
  it.each([
    ['192.0.2.7:5', { host: '192.0.2.7', port: 5 }],
    ['192.0.2.7', { host: '192.0.2.7', port: 28_400 }],
    [
      { host: '::1', port: 5 },
      { host: '::1', port: 5 },
    ],
    [given({ host: '192.0.2.7', port: '5' }), { host: '192.0.2.7', port: 5 }],
  ])('%j is an address', (to, address) => {
    expect(parsePeer(to, false)).toEqual(address);
  });

  it.each([
    '7',
    '',
    given({ host: '192.0.2.7' }),
    given({ host: '192.0.2.7', port: 70_000 }),
    given(undefined),
    given(null),
  ])('%j is refused', (to) => {
    expect(() => parsePeer(to, false)).toThrow(CONFIG);
  });

  it('says of a host id what it needs', () => {
    expect(() => parsePeer('7', false)).toThrow('host id 7 needs a switch; without one write HOST or HOST:PORT');
  });

  it('takes the number that a host has given for a peer', () => {
    expect(parsePeer(3, false)).toBe(3);
  });
});

describe('names of peers behind a switch', () => {
  it.each([7, '7'])('%j is a host id', (to) => {
    expect(parsePeer(to, true)).toBe(7);
  });

  it.each([0, 65_535, 1.5, 'h7', '192.0.2.7:5', { host: '192.0.2.7', port: 5 }])('%j is refused', (to) => {
    expect(() => parsePeer(to, true)).toThrow(CONFIG);
  });
});
