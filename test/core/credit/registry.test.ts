import { describe, expect, it } from 'vitest';
import { RecordArena } from '../../../src/base/record-arena.js';
import { ALGORITHM_NUMBERS } from '../../../src/core/credit/algorithm.js';
import {
  CREDIT_ALGORITHMS,
  creditAlgorithm,
  creditAlgorithmMaker,
  DEFAULT_CREDIT_ALGORITHM,
} from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

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
      'leaning',
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
          "there is no credit algorithm 'express': allowed are steady, leaning, expresspass, expresspass-literal, " +
          'expresspass-ns2, expresspass-2016, ec4, ec4-literal, naive, spraypass, spraypass-1, spraypass-2',
      }),
    );
  });

  it.each(CREDIT_ALGORITHMS.map(({ name }) => name))('keeps what %s remembers of each of many flows apart', (name) => {
    const make = creditAlgorithmMaker(name, ROUND_LINK, {}, new RecordArena(ALGORITHM_NUMBERS));
    const together = Array.from({ length: 20 }, make);
    const alone = together.map(() => creditAlgorithm(name, ROUND_LINK));
    for (let round = 1; round <= 30; round++) {
      for (const flows of [together, alone]) {
        for (const [index, flow] of flows.entries())
          flow.update(creditSample({ nowNs: round * 1e6, known: 40, dropped: (round * index) % 40, spanNs: 400_000 }));
      }
    }
    expect(together.map((flow) => [flow.rateBps, flow.state()])).toEqual(
      alone.map((flow) => [flow.rateBps, flow.state()]),
    );
  });

  it('passes parameters on, and checks them and the link', () => {
    expect(creditAlgorithm('expresspass', ROUND_LINK, { initial_rate: 0.25 }).rateBps).toBe(0.25e9);
    expect(() => creditAlgorithm('expresspass', ROUND_LINK, { initial_rate: 2 })).toThrow('initial_rate is 2');
    expect(() => creditAlgorithm('naive', { ...ROUND_LINK, maxRateBps: Number.POSITIVE_INFINITY })).toThrow(
      'maxRateBps',
    );
  });
});
