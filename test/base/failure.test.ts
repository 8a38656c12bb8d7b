import { describe, expect, it } from 'vitest';
import { AssertionError } from '../../src/base/assert.js';
import { ConfigError } from '../../src/base/config-error.js';
import { XpassError } from '../../src/base/errors.js';
import { ExitCode } from '../../src/base/exit-codes.js';
import { Failure, failureOf, usageFailure } from '../../src/base/failure.js';

describe('a failure', () => {
  it('of usage ends with status 2', () => {
    expect(usageFailure('x').exitCode).toBe(ExitCode.usage);
    expect(ExitCode).toEqual({ done: 0, failed: 1, usage: 2, peer: 3, internal: 70 });
  });

  it('stays what it is', () => {
    const failure = new Failure(ExitCode.peer, 'gone');
    expect(failureOf(failure)).toBe(failure);
  });

  it.each([
    ['refused', 1],
    ['reset', 1],
    ['idle', 3],
    ['unreachable', 3],
    ['shutdown', 3],
    ['frameSize', 2],
    ['attach', 2],
    ['config', 2],
  ] as const)('of the transport with the code %s ends with status %i and its own sentence', (code, exitCode) => {
    const failure = failureOf(new XpassError(code, 'the sentence'));
    expect(failure?.exitCode).toBe(exitCode);
    expect(failure?.message).toBe('the sentence');
  });

  it('of a topology is one of usage', () => {
    const failure = failureOf(new ConfigError("link 'l1' names unknown host 'h9'"));
    expect(failure?.exitCode).toBe(2);
    expect(failure?.message).toBe("link 'l1' names unknown host 'h9'");
  });

  it('of the system names the subject that the caller gave', () => {
    const error = Object.assign(new Error('raw'), { code: 'ENOSPC', syscall: 'write' });
    expect(failureOf(error, "'big.iso'")?.message).toBe("'big.iso': no space is left on the device");
    expect(failureOf(error, "'big.iso'")?.cause).toBe(error);
  });

  it('is not made of a bug', () => {
    for (const bug of [new AssertionError('x'), new TypeError('x'), new Error('x'), 'x', undefined]) {
      expect(failureOf(bug)).toBeNull();
    }
  });
});
