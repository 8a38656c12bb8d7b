import { describe, expect, it } from 'vitest';
import { choice, decimal, integer, range, text } from '../../src/base/value-kind.js';

describe('text', () => {
  it('takes anything but nothing', () => {
    expect(text('a file').parse('a b')).toBe('a b');
    expect(text('a file').parse('')).toBeUndefined();
    expect(text('a file').allowed).toBe('a file');
  });
});

describe('a choice', () => {
  it('takes its words and no others', () => {
    const kind = choice(['naive', 'expresspass']);
    expect(kind.parse('naive')).toBe('naive');
    expect(kind.parse('Naive')).toBeUndefined();
    expect(kind.parse('')).toBeUndefined();
    expect(kind.allowed).toBe('naive, expresspass');
  });
});

describe('a whole number', () => {
  it.each([
    ['0', 0],
    ['42', 42],
    ['+7', 7],
    ['007', 7],
  ])('reads %s', (written, value) => {
    expect(integer().parse(written)).toBe(value);
  });

  it.each(['', ' ', '1.5', '1e3', '0x10', 'four', '-1', '9007199254740993', '1_000', 'Infinity'])(
    'refuses %j',
    (written) => {
      expect(integer().parse(written)).toBeUndefined();
    },
  );

  it('keeps its bounds, both allowed', () => {
    const kind = integer({ lowest: -2, highest: 3 });
    expect([-3, -2, 3, 4].map((value) => kind.parse(String(value)))).toEqual([undefined, -2, 3, undefined]);
    expect(kind.allowed).toBe('a whole number from -2 to 3');
  });
});

describe('a decimal number', () => {
  it.each([
    ['0.5', 0.5],
    ['.5', 0.5],
    ['5.', 5],
    ['1e-3', 0.001],
    ['12', 12],
  ])('reads %s', (written, value) => {
    expect(decimal().parse(written)).toBe(value);
  });

  it.each(['', '.', 'NaN', 'Infinity', '1e999', '-0.1', '1,5', '0x1'])('refuses %j', (written) => {
    expect(decimal().parse(written)).toBeUndefined();
  });

  it('keeps its bounds', () => {
    expect(decimal({ lowest: 0, highest: 0.5 }).parse('0.51')).toBeUndefined();
  });
});

describe('a range', () => {
  it('says what is allowed', () => {
    expect(range({})).toBe('from 0 up');
    expect(range({ lowest: 1, highest: 2 }, (bound) => `${bound} s`)).toBe('from 1 s to 2 s');
  });
});
