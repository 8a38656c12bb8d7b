import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duration, formatDuration, formatRate, formatSize, fraction, rate, size } from '../../src/base/quantities.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

describe('a rate', () => {
  it.each([
    ['100mbit', 100e6],
    ['10g', 10e9],
    ['1.5gbit', 1.5e9],
    ['1000', 1000],
    ['1000bit', 1000],
    ['100 Mbit/s', 100e6],
    ['2.5T', 2.5e12],
    ['64k', 64_000],
    ['.5gbit', 0.5e9],
    ['1e3mbit', 1e9],
  ])('reads %s', (text, rateBps) => {
    expect(rate().parse(text)).toBe(rateBps);
  });

  it.each([
    '',
    'fast',
    '-1',
    '100mbps',
    '100MB',
    '100mb',
    '10 0mbit',
    '1.2.3',
    '100mbit/s/s',
    'g',
    '/s',
    '0',
    'unlimited',
    'NaN',
    '100  mbit',
  ])('refuses %j', (text) => {
    expect(rate().parse(text)).toBeUndefined();
  });

  it('reads unlimited where it is allowed', () => {
    const kind = rate({ unlimited: true, highest: 1e9 });
    expect(kind.parse('unlimited')).toBe(Number.POSITIVE_INFINITY);
    expect(kind.parse('2g')).toBeUndefined();
    expect(kind.allowed).toMatch(/or unlimited$/);
  });

  it('keeps its bounds and names them as people write them', () => {
    const kind = rate({ lowest: 1e6, highest: 10e9 });
    expect([kind.parse('999kbit'), kind.parse('1mbit'), kind.parse('10g'), kind.parse('11g')]).toEqual([
      undefined,
      1e6,
      10e9,
      undefined,
    ]);
    expect(kind.allowed).toContain('from 1mbit to 10gbit');
  });

  it.each([
    [100e6, '100mbit'],
    [1.5e9, '1.5gbit'],
    [1, '1bit'],
    [999, '999bit'],
    [Number.POSITIVE_INFINITY, 'unlimited'],
  ])('is written back: %d', (rateBps, text) => {
    expect(formatRate(rateBps)).toBe(text);
  });
});

describe('a size', () => {
  it.each([
    ['1500', 1500],
    ['64KiB', 65_536],
    ['64kib', 65_536],
    ['64Ki', 65_536],
    ['16MiB', 16 * 2 ** 20],
    ['1k', 1000],
    ['1kB', 1000],
    ['1 GB', 1e9],
    ['1.5KiB', 1536],
    ['0', 0],
    ['12B', 12],
    ['1TiB', 2 ** 40],
  ])('reads %s', (text, bytes) => {
    expect(size().parse(text)).toBe(bytes);
  });

  it.each(['', '1.5', '1.0001k', '64kbit', '-1', '9000TiB', 'KiB', '0x10', '1e400'])('refuses %j', (text) => {
    expect(size().parse(text)).toBeUndefined();
  });

  it('keeps its bounds', () => {
    const kind = size({ lowest: 64, highest: 65_507 });
    expect([kind.parse('63'), kind.parse('64'), kind.parse('65507'), kind.parse('64KiB')]).toEqual([
      undefined,
      64,
      65_507,
      undefined,
    ]);
  });
});

describe('a duration', () => {
  it.each([
    ['20us', 20_000],
    ['20µs', 20_000],
    ['20μs', 20_000],
    ['2s', 2e9],
    ['1.5ms', 1.5e6],
    ['1.1us', 1100],
    ['90 min', 5.4e12],
    ['1h', 3.6e12],
    ['0', 0],
    ['7ns', 7],
  ])('reads %s', (text, durationNs) => {
    expect(duration().parse(text)).toBe(durationNs);
  });

  it.each(['', '20', '2 weeks', '-1s', '1000000h', 's'])('refuses %j', (text) => {
    expect(duration().parse(text)).toBeUndefined();
  });

  it('takes a number alone only where a unit is agreed on, and says which', () => {
    const kind = duration({ bareUnitNs: 1e9, highest: 3600e9 });
    expect(kind.parse('10')).toBe(10e9);
    expect(kind.parse('10ms')).toBe(10e6);
    expect(kind.allowed).toMatch(/a number alone counts s$/);
  });
});

describe('a part', () => {
  it.each([
    ['5%', 0.05],
    ['0.05', 0.05],
    ['100%', 1],
    ['1', 1],
    ['0', 0],
    ['.5%', 0.005],
    ['1e-4', 0.0001],
  ])('reads %s', (text, part) => {
    expect(fraction().parse(text)).toBe(part);
  });

  it.each(['', '5', '101%', '-1%', '%', 'half', '5%%'])('refuses %j', (text) => {
    expect(fraction().parse(text)).toBeUndefined();
  });

  it('names its bounds without the dust of binary fractions', () => {
    expect(fraction({ lowest: 0.07, highest: 0.29 }).allowed).toContain('from 7% to 29%');
  });
});

describe('what is written', () => {
  const whole = fc.oneof(
    fc.integer({ min: 1, max: 1_000_000 }),
    fc.integer({ min: 1, max: 2 ** 52 }),
    fc.tuple(fc.integer({ min: 1, max: 4095 }), fc.integer({ min: 0, max: 39 })).map(([a, b]) => a * 2 ** b),
    fc.tuple(fc.integer({ min: 1, max: 4095 }), fc.integer({ min: 0, max: 12 })).map(([a, b]) => a * 10 ** b),
  );

  it.each([
    ['rate', rate(), formatRate],
    ['size', size(), formatSize],
    ['duration', duration(), formatDuration],
  ])('reads as the same %s', (_, kind, format) => {
    holds(whole, 2000, (value) => {
      expect(kind.parse(format(value))).toBe(value);
    });
  });

  it('reads as the same part', () => {
    holds(fc.double({ min: 0, max: 1, noNaN: true }), 2000, (value) => {
      const kind = fraction();
      // -0 is written as 0.
      expect(kind.parse(kind.format(value))).toBe(value + 0);
    });
  });

  it('is never read from anything else with an exception', () => {
    holds(fc.string(), 2000, (text) => {
      for (const kind of [rate({ unlimited: true }), size(), duration(), fraction()]) {
        const value = kind.parse(text);
        if (value !== undefined) expect(kind.parse(kind.format(value))).toBe(value);
      }
    });
  });
});
