import { describe, expect, it } from 'vitest';
import { AssertionError, assert } from '../../src/base/assert.js';

describe('assert', () => {
  it('passes a condition that holds', () => {
    expect(() => assert(1, 'one is true')).not.toThrow();
  });

  it('throws an AssertionError with the message when the condition fails', () => {
    expect(() => assert(0, 'zero is false')).toThrow(new AssertionError('zero is false'));
  });

  it('narrows the type of what it checked', () => {
    const value: string | undefined = ['text'][0] as string | undefined;
    assert(value !== undefined, 'there is a value');
    expect(value.length).toBe(4);
  });
});
