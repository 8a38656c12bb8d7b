import { describe, expect, it } from 'vitest';
import { XpassError } from '../../src/base/errors.js';
import { errorOfReset } from '../../src/core/reset-error.js';
import { ResetCode } from '../../src/wire/layout.js';

describe('the error that a RESET means', () => {
  it.each(Object.entries(ResetCode))('is a sentence of its own for %s', (_, code) => {
    const error = errorOfReset(code);
    expect(error).toBeInstanceOf(XpassError);
    expect(error.message).toMatch(/peer/);
    const others = Object.values(ResetCode).filter((other) => other !== code);
    expect(others.map((other) => errorOfReset(other).message)).not.toContain(error.message);
  });

  it('has the code that programs compare', () => {
    const codes = Object.fromEntries(Object.entries(ResetCode).map(([name, code]) => [name, errorOfReset(code).code]));
    expect(codes).toEqual({
      refused: 'refused',
      unknownFlow: 'reset',
      aborted: 'reset',
      frameSize: 'frameSize',
      tooManyFlows: 'tooManyFlows',
      weight: 'weight',
      protocol: 'protocol',
      idle: 'idle',
      shutdown: 'shutdown',
    });
  });

  it('names a code that this version does not know', () => {
    expect(errorOfReset(99)).toMatchObject({ code: 'reset', message: 'the peer reset the flow with code 99' });
  });
});
