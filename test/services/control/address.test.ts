import { describe, expect, it } from 'vitest';
import {
  CONTROL_ADDRESS,
  controlAddress,
  formatControlAddress,
  isLocal,
  isPipe,
  netOptions,
  privateControlPath,
} from '../../../src/services/control/address.js';

describe('a control address', () => {
  it.each([
    ['127.0.0.1:28600', { host: '127.0.0.1', port: 28_600 }],
    [':28600', { host: '127.0.0.1', port: 28_600 }],
    ['lab7', { host: 'lab7', port: 28_500 }],
    ['[::1]:0', { host: '::1', port: 0 }],
    ['/run/xpass/switch.sock', { path: '/run/xpass/switch.sock' }],
    ['./switch.sock', { path: './switch.sock' }],
  ])('is read from %s', (text, address) => {
    expect(CONTROL_ADDRESS.parse(text)).toEqual(address);
  });

  it.each(['', 'a b', '127.0.0.1:x', '127.0.0.1:70000', `/${'x'.repeat(107)}`])('is not %o', (text) => {
    expect(CONTROL_ADDRESS.parse(text)).toBeUndefined();
  });

  it.each(['127.0.0.1:28600', '[::1]:5', '/run/a.sock'])('is written as it is read: %s', (text) => {
    const address = CONTROL_ADDRESS.parse(text);
    expect(address && formatControlAddress(address)).toBe(text);
  });

  it.each([
    ['linux', 107],
    ['darwin', 103],
    ['freebsd', 103],
  ] as const)('is a path of as many bytes as %s takes', (platform, mostBytes) => {
    const { parse, allowed } = controlAddress(platform);
    const path = `/${'x'.repeat(mostBytes - 1)}`;
    expect(parse(path)).toEqual({ path });
    expect(parse(`${path}x`)).toBeUndefined();
    expect(allowed).toContain(`at most ${mostBytes} bytes`);
  });

  it('is a named pipe or TCP on Windows', () => {
    const { parse, allowed } = controlAddress('win32');
    const pipe = String.raw`\\.\pipe\xpass`;
    expect(parse(pipe)).toEqual({ path: pipe });
    expect(isPipe(pipe)).toBe(true);
    expect(parse(':0')).toEqual({ host: '127.0.0.1', port: 0 });
    const wrong = ['/run/a.sock', './a.sock', String.raw`C:\a.sock`, pipe.slice(0, 9), pipe.padEnd(257, 'x')];
    for (const text of wrong) expect(parse(text), text).toBeUndefined();
    expect(allowed).toContain(String.raw`\\.\pipe\NAME of a named pipe`);
  });

  it('goes to node:net as host and port, or as a path', () => {
    expect(netOptions({ host: '::1', port: 5 })).toEqual({ host: '::1', port: 5 });
    expect(netOptions({ path: '/a' })).toEqual({ path: '/a' });
  });

  it.each([
    ['127.0.0.7', true],
    ['::1', true],
    ['localhost', true],
    ['0.0.0.0', false],
    ['10.1.2.3', false],
    ['::', false],
  ])('is local or not: %s', (host, expected) => {
    expect([isLocal({ host, port: 1 }), isLocal({ path: '/a' })]).toEqual([expected, true]);
  });
});

describe('a private control path', () => {
  it('lies in the directory, and on Windows among the pipes under the name of the directory', () => {
    expect(privateControlPath('/tmp/xpass-lab-Ab3', 2, 'linux')).toBe('/tmp/xpass-lab-Ab3/control-2.sock');
    expect(privateControlPath('/tmp/xpass-lab-Ab3', 2, 'win32')).toBe('\\\\.\\pipe\\xpass-lab-Ab3-control-2');
  });
});
