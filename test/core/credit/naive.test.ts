import { describe, expect, it } from 'vitest';
import { creditAlgorithm } from '../../../src/core/credit/registry.js';
import { creditSample, ROUND_LINK } from './sample.js';

describe('naive', () => {
  it('credits at the full rate from the start, whatever is lost', () => {
    const naive = creditAlgorithm('naive', ROUND_LINK);
    expect(naive.rateBps).toBe(1e9);
    naive.update(creditSample({ known: 100, dropped: 100 }));
    expect(naive.rateBps).toBe(1e9);
    expect(naive.state()).toEqual({});
  });
});
