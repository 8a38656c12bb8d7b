import { describe, expect, it } from 'vitest';
import {
  bindError,
  codeOf,
  connectError,
  explainProblem,
  isRefusal,
  ProblemCounts,
} from '../../src/udp/socket-errors.js';

describe('ProblemCounts', () => {
  it('counts by code', () => {
    const counts = new ProblemCounts();
    expect([counts.add('ENOBUFS'), counts.add('EPERM'), counts.add('ENOBUFS')]).toEqual([1, 1, 2]);
    expect(counts.snapshot()).toEqual({ ENOBUFS: 2, EPERM: 1 });
  });

  it('stays small whatever codes come', () => {
    const counts = new ProblemCounts();
    for (let index = 0; index < 1000; index++) counts.add(`E${index}`);
    expect(Object.keys(counts.snapshot()).length).toBe(33);
    expect(counts.snapshot().other).toBe(968);
  });
});

describe('explainProblem', () => {
  it('names the frame size and the option for EMSGSIZE', () => {
    const message = explainProblem('EMSGSIZE', '10.0.0.1:9', 9000);
    expect(message).toContain('9000 bytes');
    expect(message).toContain('--frame-size');
    expect(message).toContain('10.0.0.1:9');
  });

  it('has one sentence for every code, with the code or what it means and the peer where known', () => {
    for (const code of ['ECONNREFUSED', 'ENOBUFS', 'EHOSTUNREACH', 'ENETUNREACH', 'EPERM', 'EINVAL', 'EWEIRD']) {
      expect(explainProblem(code, '10.0.0.1:9', 1)).toContain('10.0.0.1:9');
      expect(explainProblem(code, '', 1)).toContain(code);
    }
  });

  it('knows both codes of a port that nobody listens at', () => {
    for (const code of ['ECONNREFUSED', 'ECONNRESET']) {
      expect(explainProblem(code, '10.0.0.1:9', 1)).toBe(`nobody listens at 10.0.0.1:9 (${code})`);
      expect(isRefusal(code)).toBe(true);
    }
    expect(['ENOBUFS', 'EHOSTUNREACH', 'ECONNABORTED'].some(isRefusal)).toBe(false);
  });
});

describe('bindError', () => {
  it.each([
    ['EADDRINUSE', 'UDP port 9000 is in use'],
    ['EADDRNOTAVAIL', 'no address 10.9.9.9'],
    ['EACCES', 'ports below 1024'],
    ['EWEIRD', 'EWEIRD'],
  ])('explains %s and names address and port', (code, words) => {
    const error = bindError(Object.assign(new Error('x'), { code }), { address: '10.9.9.9', port: 9000, family: 4 });
    expect(error.code).toBe('config');
    expect(error.message).toContain(words);
    expect(error.message).toContain('10.9.9.9:9000');
  });

  it('knows that Windows refuses ports for other reasons', () => {
    const local = { address: '10.9.9.9', port: 9000, family: 4 } as const;
    const error = bindError(Object.assign(new Error('x'), { code: 'EACCES' }), local, 'win32');
    expect(error.message).toContain('cannot bind to 10.9.9.9:9000: Windows reserves the port');
  });

  it('reads the code of an error, or its name', () => {
    expect(codeOf(Object.assign(new Error('x'), { code: 'EPERM' }))).toBe('EPERM');
    expect(codeOf(new TypeError('x'))).toBe('TypeError');
  });
});

describe('connectError', () => {
  const remote = { address: '10.9.9.9', port: 9000, family: 4 } as const;
  const error = (code: string) => connectError(Object.assign(new Error('x'), { code }), remote);

  it('tells a missing route from a socket that is bound to the wrong address', () => {
    expect(error('ENETUNREACH')).toMatchObject({ code: 'unreachable', message: expect.stringContaining('10.9.9.9') });
    expect(error('EINVAL').code).toBe('config');
    expect(error('EINVAL').message).toContain('bind to another one');
  });
});
