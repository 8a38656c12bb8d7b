import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ALLOW_RULE,
  allowsAddress,
  allowsName,
  isUnspecified,
  readIpAddress,
} from '../../../src/services/tunnel/allow.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';

allowLongRuns();

function rules(...texts: string[]) {
  return texts.map((text) => {
    const rule = ALLOW_RULE.parse(text);
    if (rule === undefined) throw new Error(`${text} is no rule`);
    return rule;
  });
}

function allows(rule: string, host: string, port: number): boolean {
  const address = readIpAddress(host);
  return address === null ? allowsName(rules(rule), host, port) : allowsAddress(rules(rule), address, port);
}

describe('a rule of what may be reached', () => {
  it.each([
    ['db.example:5432', 'db.example', 5432],
    ['db.example:5432', 'DB.Example.', 5432],
    ['db.example:*', 'db.example', 1],
    ['*:443', 'anything.example', 443],
    ['*:443', '192.0.2.1', 443],
    ['*:443', '2001:db8::1', 443],
    ['192.0.2.0/24:80', '192.0.2.255', 80],
    ['192.0.2.0/24:80', '::ffff:192.0.2.9', 80],
    ['[::ffff:192.0.2.0/120]:80', '192.0.2.9', 80],
    ['192.0.2.7:8000-8099', '192.0.2.7', 8099],
    ['[::1]:22', '::1', 22],
    ['[::1]:22', '0:0:0:0:0:0:0:1', 22],
    ['[2001:db8::/32]:*', '2001:db8:ffff::1', 65_535],
    ['0.0.0.0/0:80', '203.0.113.1', 80],
  ])('%s allows %s at %i', (rule, host, port) => {
    expect(allows(rule, host, port)).toBe(true);
  });

  it.each([
    ['db.example:5432', 'db.example', 5433],
    ['db.example:5432', 'a.db.example', 5432],
    ['db.example:5432', '192.0.2.1', 5432],
    ['192.0.2.0/24:80', '192.0.3.0', 80],
    ['192.0.2.0/24:80', 'web.example', 80],
    ['192.0.2.7:8000-8099', '192.0.2.7', 8100],
    ['192.0.2.7:8000-8099', '192.0.2.7', 7999],
    ['[::1]:22', '::2', 22],
    ['[2001:db8::/32]:*', '2001:db9::', 1],
    ['0.0.0.0/0:80', '2001:db8::1', 80],
    ['*:443', '192.0.2.1', 80],
  ])('%s does not allow %s at %i', (rule, host, port) => {
    expect(allows(rule, host, port)).toBe(false);
  });

  it.each([
    '',
    'web',
    'web:',
    ':80',
    'web:0',
    'web:65536',
    'web:90-80',
    'web:80-',
    'web:1-65536',
    '192.0.2.0/33:80',
    '192.0.2.0/x:80',
    '192.0.2:80',
    '300.0.0.1:80',
    '::1:22',
    '[::1:22',
    '[web]:22',
    '[192.0.2.1]:22',
    '[::1/129]:22',
    '[fe80::1%1]:22',
    'web/24:80',
    '*.example:80',
    'a*:80',
    'web:80:90',
  ])('is not written %s', (text) => {
    expect(ALLOW_RULE.parse(text)).toBeUndefined();
  });

  it('covers exactly the addresses of its prefix', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const address = fc.tuple(byte, byte, byte, byte);
    const bit = fc.integer({ min: 0, max: 31 });
    const numberOf = (bytes: readonly number[]): number => bytes.reduce((sum, next) => sum * 256 + next, 0);
    holds(fc.tuple(address, bit, fc.integer({ min: 0, max: 32 })), 1_000, ([net, flipped, bits]) => {
      // One bit apart, so that both answers are common.
      const host = net.map((value, at) => (at === flipped >> 3 ? value ^ (0x80 >> (flipped & 7)) : value));
      const size = 2 ** (32 - bits);
      const isInside = Math.floor(numberOf(net) / size) === Math.floor(numberOf(host) / size);
      expect(allows(`${net.join('.')}/${bits}:80`, host.join('.'), 80)).toBe(isInside);
    });
  });

  it.each(['[::/0]:80', '[::/64]:80'])('of IPv6 covers none of IPv4: %s', (rule) => {
    expect(allows(rule, '::1', 80)).toBe(true);
    expect(allows(rule, '127.0.0.1', 80)).toBe(false);
    expect(allows(rule, '::ffff:127.0.0.1', 80)).toBe(false);
  });

  it('never throws, whatever is written', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[[\]:*/a-f0-9.-]{0,40}$/));
    holds(text, 2_000, (written) => void ALLOW_RULE.parse(written));
  });
});

describe('an address', () => {
  it('has one spelling', () => {
    expect(readIpAddress('2001:DB8:0:0::1')).toEqual({ address: '2001:db8::1', family: 6 });
    expect(readIpAddress('::FFFF:c000:0201')).toEqual({ address: '192.0.2.1', family: 4 });
    expect(readIpAddress('192.0.2.1')).toEqual({ address: '192.0.2.1', family: 4 });
    expect(['fe80::1%eth0', '192.0.2', 'web', ''].map(readIpAddress)).toEqual([null, null, null, null]);
  });

  it('that is unspecified is known in every spelling', () => {
    const texts = ['0.0.0.0', '::', '::ffff:0.0.0.0', '0:0::0'];
    expect(texts.map((text) => isUnspecified(readIpAddress(text)!))).toEqual([true, true, true, true]);
    expect(isUnspecified(readIpAddress('::1')!)).toBe(false);
  });
});
