import { describe, expect, it } from 'vitest';
import { creditAlgorithmOf, MIX, needsMarks, windowAlgorithmOf } from '../../../src/apps/demo/mix.js';

describe('a mix of algorithms', () => {
  it('is one of them or several, of which one is for credits at most', () => {
    expect(MIX.parse('naive')).toEqual(['naive']);
    expect(MIX.parse('ec4,dctcp,swift')).toEqual(['ec4', 'dctcp', 'swift']);
    for (const text of ['', 'reno', 'ec4,', 'ec4,naive']) expect(MIX.parse(text)).toBeUndefined();
    expect(MIX.format(['ec4', 'dctcp'])).toBe('ec4,dctcp');
  });

  it('is dealt out to the senders in turn', () => {
    const mix = ['ec4', 'dctcp'];
    expect([0, 1, 2, 3].map((index) => windowAlgorithmOf(mix, index))).toEqual([null, 'dctcp', null, 'dctcp']);
    expect([creditAlgorithmOf(mix), creditAlgorithmOf(['swift'])]).toEqual(['ec4', 'steady']);
    expect([needsMarks(mix), needsMarks(['ec4'])]).toEqual([true, false]);
  });
});
