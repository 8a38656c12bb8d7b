import { describe, expect, it } from 'vitest';
import { type ErrorCode, XpassError } from '../../src/base/errors.js';
import { failureOf } from '../../src/base/failure.js';
import { flowError } from '../../src/net/flow-errors.js';

const CONTEXT = { peerName: '192.0.2.7:28400', connectTimeoutNs: 5e9, idleTimeoutNs: 2.5e9, trouble: null };

const errorOf = (code: ErrorCode) => flowError(new XpassError(code, 'the words of the core'), CONTEXT);

describe('the error of a flow', () => {
  it('whose peer never answers names it and the time that decides', () => {
    expect(errorOf('unreachable').message).toBe(
      '192.0.2.7:28400 does not answer: nothing came within the connect timeout of 5s',
    );
  });

  it('whose peer falls silent names it and the time that decides', () => {
    expect(errorOf('idle').message).toBe('192.0.2.7:28400 is lost: nothing came within the idle timeout of 2.5s');
  });

  it('names who is to blame and why, where that is known', () => {
    const trouble = { who: 'the switch at 192.0.2.1:28500', reason: 'nothing has come from it for 8.3 s' };
    const message = (code: ErrorCode) => flowError(new XpassError(code, ''), { ...CONTEXT, trouble }).message;
    expect(message('idle')).toBe('the switch at 192.0.2.1:28500 is lost: nothing has come from it for 8.3 s');
    expect(message('unreachable')).toBe(
      'the switch at 192.0.2.1:28500 does not answer: nothing has come from it for 8.3 s',
    );
    expect(message('refused')).toContain('192.0.2.7:28400 refuses');
  });

  it.each(['reset', 'frameSize', 'weight', 'protocol', 'tooManyFlows'] as const)(
    'with code %s has the words of the core behind the name of the peer',
    (code) => {
      expect(errorOf(code).message).toBe('192.0.2.7:28400: the words of the core');
    },
  );

  it.each([
    ['unreachable', 3],
    ['idle', 3],
    ['shutdown', 3],
    ['refused', 1],
    ['reset', 1],
    ['frameSize', 2],
    ['weight', 2],
  ] as const)(
    'with code %s keeps it, has the error of the core as its cause, and ends a command with %d',
    (code, exitCode) => {
      const cause = new XpassError(code, 'the words of the core');
      const error = flowError(cause, CONTEXT);
      expect(error.code).toBe(code);
      expect(error.cause).toBe(cause);
      expect(failureOf(error)).toMatchObject({ exitCode, message: error.message });
    },
  );
});
