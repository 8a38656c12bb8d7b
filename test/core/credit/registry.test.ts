import { describe, expect, it } from 'vitest';
import { CREDIT_ALGORITHMS, creditAlgorithm, DEFAULT_CREDIT_ALGORITHM } from '../../../src/core/credit/registry.js';
import { ROUND_LINK } from './sample.js';

describe('the registry of credit algorithms', () => {
  it.each(CREDIT_ALGORITHMS.map(({ name }) => name))('makes %s by name, at a rate that the link has', (name) => {
    const algorithm = creditAlgorithm(name, ROUND_LINK);
    expect(algorithm.name).toBe(name);
    expect(algorithm.rateBps).toBeGreaterThan(0);
    expect(algorithm.rateBps).toBeLessThanOrEqual(ROUND_LINK.maxRateBps);
  });

  it('holds the default first', () => {
    expect(CREDIT_ALGORITHMS.map(({ name }) => name)).toEqual([
      'steady',
      'expresspass',
      'expresspass-literal',
      'expresspass-ns2',
      'expresspass-2016',
      'ec4',
      'ec4-literal',
      'naive',
      'spraypass',
      'spraypass-1',
      'spraypass-2',
    ]);
    expect(DEFAULT_CREDIT_ALGORITHM).toBe('steady');
  });

  it('lists what there is when it is asked for something else', () => {
    expect(() => creditAlgorithm('express', ROUND_LINK)).toThrow(
      expect.objectContaining({
        code: 'config',
        field: 'algorithm',
        message:
          "there is no credit algorithm 'express': allowed are steady, expresspass, expresspass-literal, expresspass-ns2, " +
          'expresspass-2016, ec4, ec4-literal, naive, spraypass, spraypass-1, spraypass-2',
      }),
    );
  });

  it('gives each flow an object of its own', () => {
    const [one, other] = [creditAlgorithm('expresspass', ROUND_LINK), creditAlgorithm('expresspass', ROUND_LINK)];
    expect(one).not.toBe(other);
  });

  it('passes parameters on, and checks them and the link', () => {
    expect(creditAlgorithm('expresspass', ROUND_LINK, { initial_rate: 0.25 }).rateBps).toBe(0.25e9);
    expect(() => creditAlgorithm('expresspass', ROUND_LINK, { initial_rate: 2 })).toThrow('initial_rate is 2');
    expect(() => creditAlgorithm('naive', { ...ROUND_LINK, maxRateBps: Number.POSITIVE_INFINITY })).toThrow(
      'maxRateBps',
    );
  });
});
