import { describe, expect, it } from 'vitest';
import { PeerCredits, ShortestRtt } from '../../src/core/peer-credits.js';

const NONE = -1;

/** Slots and times of all that were overtaken. */
function overtaken(credits: PeerCredits, marginNs = 0): [number, number][] {
  const all: [number, number][] = [];
  for (let slot = credits.takeOvertaken(marginNs); slot !== NONE; slot = credits.takeOvertaken(marginNs))
    all.push([slot, credits.overtakenNs]);
  return all;
}

describe('the credits that went to a peer', () => {
  it('are overtaken in their order by the latest that was answered', () => {
    const credits = new PeerCredits();
    for (let credit = 0; credit < 5; credit++) credits.sent(10 + credit, 100 * credit);
    expect(overtaken(credits)).toEqual([]);
    credits.answered(250);
    credits.answered(120);
    expect(overtaken(credits, 100)).toEqual([
      [10, 0],
      [11, 100],
    ]);
    credits.answered(1_000);
    expect(overtaken(credits).map(([slot]) => slot)).toEqual([12, 13, 14]);
    expect(overtaken(credits)).toEqual([]);
  });

  it('stay in their order however many there are, and the oldest are forgotten beyond 4,096', () => {
    const credits = new PeerCredits();
    const gone: number[] = [];
    let sent = 0;
    for (let round = 0; round < 40; round++) {
      for (let credit = 0; credit < 3 * round; credit++) credits.sent(sent, sent++);
      credits.answered(sent / 2);
      gone.push(...overtaken(credits).map(([slot]) => slot));
    }
    expect(gone).toEqual(Array.from(gone, (_, at) => at));
    for (let credit = 0; credit < 5_000; credit++) credits.sent(sent, sent++);
    credits.answered(sent);
    const rest = overtaken(credits).map(([slot]) => slot);
    expect(rest).toEqual(Array.from({ length: 4_096 }, (_, at) => sent - 4_096 + at));
  });
});

describe('the shortest RTT', () => {
  it('is believed after 32 samples', () => {
    const rtt = new ShortestRtt();
    expect(rtt.value).toBe(Number.POSITIVE_INFINITY);
    for (let sample = 0; sample < 31; sample++) rtt.sample(500 - sample, 0);
    expect([rtt.value, rtt.isBelieved]).toEqual([470, false]);
    rtt.sample(600, 0);
    expect([rtt.value, rtt.isBelieved]).toEqual([470, true]);
  });
});
