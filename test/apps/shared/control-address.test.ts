import { describe, expect, it } from 'vitest';
import {
  CONTROL_ADDRESS,
  defaultControlAddress,
  formatControlAddress,
  netOptions,
} from '../../../src/apps/shared/control-address.js';

describe('a control address', () => {
  it.each([
    ['127.0.0.1:47200', { host: '127.0.0.1', port: 47_200 }],
    [':47200', { host: '127.0.0.1', port: 47_200 }],
    ['lab7', { host: 'lab7', port: 47_100 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['/run/xpass/switch.sock', { path: '/run/xpass/switch.sock' }],
    ['./switch.sock', { path: './switch.sock' }],
  ])('is read from %s', (text, address) => {
    expect(CONTROL_ADDRESS.parse(text)).toEqual(address);
  });

  it.each(['', 'a b', '127.0.0.1:x', '127.0.0.1:70000', `/${'x'.repeat(107)}`])('is not %o', (text) => {
    expect(CONTROL_ADDRESS.parse(text)).toBeUndefined();
  });

  it.each(['127.0.0.1:47200', '[::1]:5', '/run/a.sock'])('is written as it is read: %s', (text) => {
    const address = CONTROL_ADDRESS.parse(text);
    expect(address && formatControlAddress(address)).toBe(text);
  });

  it('goes to node:net as host and port, or as a path', () => {
    expect(netOptions({ host: '::1', port: 5 })).toEqual({ host: '::1', port: 5 });
    expect(netOptions({ path: '/a' })).toEqual({ path: '/a' });
  });

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['127.0.0.7', '127.0.0.7'],
    ['::1', '::1'],
    ['0.0.0.0', '127.0.0.1'],
    ['10.1.2.3', '127.0.0.1'],
    ['::', '127.0.0.1'],
  ])('is on loopback unless told otherwise, for a switch at %s too', (host, expected) => {
    expect(defaultControlAddress({ host, port: 47_100 })).toEqual({ host: expected, port: 47_100 });
  });
});
