import { describe, expect, it } from 'vitest';
import { connectCall, listenCall } from '../../../src/net/compat/arguments.js';

const callback = () => {};

describe('the arguments of connect', () => {
  it.each([
    ['port', [80], { port: 80 }],
    ['port as text', ['80'], { port: 80 }],
    ['port and host', [80, '192.0.2.7'], { port: 80, host: '192.0.2.7' }],
    ['options', [{ port: 80, family: 4 }], { port: 80, family: 4 }],
    ['path', ['/run/some.sock'], { path: '/run/some.sock' }],
  ])('may be %s, with a callback or without', (_, given, options) => {
    expect(connectCall(given)).toEqual({ options, callback: undefined });
    expect(connectCall([...given, callback])).toEqual({ options, callback });
  });

  it.each([
    ['nothing', [], 'ERR_MISSING_ARGS'],
    ['options without a port', [{}], 'ERR_MISSING_ARGS'],
    ['a port too large', [65_536], 'ERR_SOCKET_BAD_PORT'],
    ['a port that is empty', [{ port: '' }], 'ERR_SOCKET_BAD_PORT'],
    ['a port of another type', [{ port: true }], 'ERR_INVALID_ARG_TYPE'],
    ['a host that is no text', [{ port: 1, host: 7 }], 'ERR_INVALID_ARG_TYPE'],
  ])('may not be %s', (_, given, code) => {
    expect(() => connectCall(given)).toThrow(expect.objectContaining({ code }));
  });
});

describe('the arguments of listen', () => {
  it.each([
    ['nothing', [], { port: 0 }],
    ['port, host and backlog', [80, '192.0.2.7', 16], { port: 80, host: '192.0.2.7' }],
    ['port and backlog', [80, 16], { port: 80 }],
    ['options', [{ port: 80, host: '192.0.2.7' }], { port: 80, host: '192.0.2.7' }],
  ])('may be %s, with a callback or without', (_, given, options) => {
    expect(listenCall(given)).toEqual({ options, callback: undefined });
    expect(listenCall([...given, callback])).toEqual({ options, callback });
  });

  it.each([
    ['options without a port', [{}], 'ERR_INVALID_ARG_VALUE'],
    ['a path', [{ path: '/run/some.sock' }], 'ERR_INVALID_ARG_VALUE'],
    ['a port below 0', [-1], 'ERR_SOCKET_BAD_PORT'],
    ['a port below 0 in options', [{ port: -1 }], 'ERR_SOCKET_BAD_PORT'],
  ])('may not be %s', (_, given, code) => {
    expect(() => listenCall(given)).toThrow(expect.objectContaining({ code }));
  });
});
