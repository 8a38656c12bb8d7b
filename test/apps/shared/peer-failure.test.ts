import { describe, expect, it } from 'vitest';
import { peerFailure } from '../../../src/apps/shared/peer-failure.js';
import { type ErrorCode, XpassError } from '../../../src/core/errors.js';

const CONTEXT = { peerName: '192.0.2.7:47000', connectTimeoutNs: 5e9, idleTimeoutNs: 2.5e9, trouble: null };

const failureOfCode = (code: ErrorCode) => peerFailure(new XpassError(code, 'the words of the core'), CONTEXT);

describe('the failure of a peer', () => {
  it('that never answers names it, the option that decides, and status 3', () => {
    expect(failureOfCode('unreachable')).toMatchObject({
      exitCode: 3,
      message: '192.0.2.7:47000 does not answer: nothing came within --connect-timeout 5s',
    });
  });

  it('that falls silent names it, the option that decides, and status 3', () => {
    expect(failureOfCode('idle')).toMatchObject({
      exitCode: 3,
      message: '192.0.2.7:47000 is lost: nothing came within --idle-timeout 2.5s',
    });
  });

  it('names who is to blame and why, where that is known', () => {
    const trouble = { who: 'the switch at 192.0.2.1:47100', reason: 'nothing has come from it for 8.3 s' };
    const failure = (code: ErrorCode) => peerFailure(new XpassError(code, ''), { ...CONTEXT, trouble });
    expect(failure('idle')).toMatchObject({
      exitCode: 3,
      message: 'the switch at 192.0.2.1:47100 is lost: nothing has come from it for 8.3 s',
    });
    expect(failure('unreachable').message).toBe(
      'the switch at 192.0.2.1:47100 does not answer: nothing has come from it for 8.3 s',
    );
    expect(failure('refused').message).toContain('192.0.2.7:47000 refuses');
  });

  it.each([
    ['shutdown', 3],
    ['refused', 1],
    ['reset', 1],
    ['frameSize', 2],
    ['weight', 2],
  ] as const)('with code %s names it and has status %d', (code, exitCode) => {
    const failure = failureOfCode(code);
    expect(failure.exitCode).toBe(exitCode);
    expect(failure.message).toContain('192.0.2.7:47000');
  });
});
