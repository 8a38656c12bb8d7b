import { describe, expect, it } from 'vitest';
import { AnswerLimiter } from '../../src/switch/answer-limiter.js';

describe('the answer limiter', () => {
  it('allows a peer one answer an interval', () => {
    const limiter = new AnswerLimiter(100);
    expect([0, 50, 99, 100, 150, 199, 200].map((nowNs) => limiter.allow(3, nowNs))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('keeps peers apart as long as there are no more than 256', () => {
    const limiter = new AnswerLimiter(100);
    for (let peer = 0; peer < 256; peer++) expect(limiter.allow(peer, 0)).toBe(true);
  });

  it('allows 256 answers an interval whoever asks', () => {
    const limiter = new AnswerLimiter(100);
    let answers = 0;
    for (let peer = 0; peer < 10_000; peer++) if (limiter.allow(peer, peer % 100)) answers++;
    expect(answers).toBe(256);
  });
});
