import { constants } from 'node:os';
import { describe, expect, it } from 'vitest';
import { XpassError } from '../../../src/base/errors.js';
import { nodeError } from '../../../src/net/compat/errors.js';

const PLACE = { syscall: 'connect', address: '192.0.2.7', port: 80 } as const;

describe('the errors of xpass/net', () => {
  it('have the code, the call and the place of node:net, and the XpassError as cause', () => {
    const cause = new XpassError('refused', 'nobody is there');
    const error = nodeError(cause, PLACE);
    expect(error).toMatchObject({ ...PLACE, code: 'ECONNREFUSED', errno: -constants.errno.ECONNREFUSED, cause });
    expect(error.message).toBe('connect ECONNREFUSED 192.0.2.7:80');
  });

  it.each([
    ['reset', 'ECONNRESET'],
    ['shutdown', 'ECONNRESET'],
    ['idle', 'ETIMEDOUT'],
    ['unreachable', 'ETIMEDOUT'],
    ['tooManyFlows', 'ECONNREFUSED'],
    ['config', 'EINVAL'],
  ] as const)('call %s %s', (code, expected) => {
    expect(nodeError(new XpassError(code, 'why'), { syscall: 'read' })).toMatchObject({
      code: expected,
      message: `read ${expected}`,
    });
  });

  it("take the system's own code where a system call failed", () => {
    const cause = Object.assign(new Error('bind'), { code: 'EADDRINUSE' });
    const error = new XpassError('config', 'the port is in use', { cause });
    expect(nodeError(error, { ...PLACE, syscall: 'listen' })).toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' });
  });

  it('leave other errors as they are', () => {
    const error = new Error('of the program');
    expect(nodeError(error, PLACE)).toBe(error);
  });
});
