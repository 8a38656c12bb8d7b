import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { SenderBench } from '../harness/sender-bench.js';

const PAYLOAD = 1_446;

/** Requests among the frames that were sent since the last look. */
function requests(bench: SenderBench): number {
  return bench.context.sent().filter((line) => line.startsWith('CREDIT_REQUEST ')).length;
}

describe('a sender that waits for credits', () => {
  it('waits for four gaps where credits come far apart', () => {
    const bench = new SenderBench();
    bench.write(100 * PAYLOAD);
    bench.credit();
    for (let credit = 1; credit < 50; credit++) {
      bench.wait(15 * MILLISECOND_NS);
      bench.credit();
    }
    bench.wait(60 * MILLISECOND_NS - 1);
    expect(bench.state).toBe('creditReceiving');
    bench.wait(2);
    expect(bench.state).toBe('creditRequestSent');
  });

  it('learns a gap that is longer than the timeout, and asks no more for each credit', () => {
    const bench = new SenderBench();
    bench.write(100 * PAYLOAD);
    for (let credit = 0; credit < 40; credit++) {
      bench.credit();
      bench.wait(100 * MILLISECOND_NS);
    }
    expect(requests(bench)).toBeLessThan(6);
    bench.wait(300 * MILLISECOND_NS);
    expect(requests(bench)).toBe(1);
  });

  it('asks for no credit between turns of four', () => {
    const bench = new SenderBench();
    bench.write(200 * PAYLOAD);
    const askedIn = (turns: number): number => {
      for (let turn = 0; turn < turns; turn++) {
        for (let credit = 0; credit < 4; credit++) bench.credit();
        bench.wait(200 * MILLISECOND_NS);
      }
      return requests(bench);
    };
    expect(askedIn(10)).toBeGreaterThan(0);
    expect(askedIn(20)).toBe(0);
    // The gaps become shorter: a silence is found sooner again.
    for (let credit = 0; credit < 60; credit++) {
      bench.credit();
      bench.wait(MILLISECOND_NS);
    }
    bench.wait(200 * MILLISECOND_NS);
    expect(bench.state).toBe('creditRequestSent');
  });
});
