import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/base/time.js';
import { CreditLedger, Echo } from '../../src/core/credit-ledger.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

const MAX_OUTSTANDING = 16_384;
const GAP_NS = 100;

/** A ledger whose first credits, `count` of them, went out at 0, 100, 200 ... */
function sentLedger(count: number, firstSequence = 1_000): CreditLedger {
  const ledger = new CreditLedger({ firstSequence, maxOutstanding: MAX_OUTSTANDING });
  for (let credit = 0; credit < count; credit++) ledger.send(credit * GAP_NS);
  return ledger;
}

function period(ledger: CreditLedger): Record<string, number> {
  return {
    known: ledger.periodKnown,
    used: ledger.periodUsed,
    unused: ledger.periodUnused,
    dropped: ledger.periodDropped,
    spanNs: ledger.periodSpanNs,
  };
}

describe('credits that later ones of other flows have overtaken', () => {
  it('are outstanding and not awaited, and doubted at once', () => {
    const ledger = sentLedger(5);
    expect(ledger.overtake(2 * GAP_NS)).toBe(true);
    expect([ledger.outstanding, ledger.awaited, ledger.trusted]).toEqual([5, 2, 2]);
    expect(ledger.overtake(2 * GAP_NS)).toBe(false);
    expect(ledger.overtake(-1)).toBe(false);
    expect(ledger.awaited).toBe(2);
    expect(ledger.overtake(3 * GAP_NS)).toBe(true);
    expect([ledger.awaited, ledger.trusted]).toEqual([1, 1]);
  });

  it('are counted once, however their fate becomes known', () => {
    const ledger = sentLedger(6);
    ledger.loseAtHome(1_001);
    expect(ledger.overtake(3 * GAP_NS)).toBe(true);
    // Of the four one did not leave this host.
    expect([ledger.outstanding, ledger.awaited]).toEqual([5, 2]);
    ledger.loseAtHome(1_002);
    expect([ledger.outstanding, ledger.awaited]).toEqual([4, 2]);
    // It is there after all, and passes the first.
    ledger.echo(1_003, 0);
    expect([ledger.outstanding, ledger.awaited]).toEqual([2, 2]);
    ledger.overtake(4 * GAP_NS);
    ledger.expire(4 * GAP_NS + 1, 1);
    expect([ledger.outstanding, ledger.awaited]).toEqual([1, 1]);
    ledger.overtake(5 * GAP_NS);
    ledger.forgive();
    expect([ledger.outstanding, ledger.awaited]).toEqual([0, 0]);
  });
});

/** For each: credits sent, and echoes as `credit:counter of unused credits`, what the echo was, then the counts of used, unused and dropped credits. */
const COURSES: readonly [string, number, ...string[]][] = [
  ['is used when its echo comes', 3, '0:0 valid 1 0 0', '1:0 valid 2 0 0'],
  ['is dropped when a later echo passes it and no unused credit is told of', 10, '0:0 valid 1 0 0', '4:0 valid 2 0 3'],
  ['is unused for as many in the gap as the counter grew', 10, '0:7 valid 1 0 0', '5:9 valid 2 4 0', '9:9 valid 3 7 0'],
  ['is taken back from the dropped by its late echo', 5, '3:0 valid 1 0 3', '1:0 late 2 0 2', '1:0 duplicate 2 0 2'],
  ['is unused in the place of one that was not, after all', 6, '2:1 valid 1 1 1', '0:1 late 2 0 1', '4:1 valid 3 1 1'],
  [
    'is unknown for a credit that was never sent',
    5,
    '5:0 unknown 0 0 0',
    '-1:0 unknown 0 0 0',
    '524288:0 unknown 0 0 0',
  ],
];

describe('the fate of a credit', () => {
  describe.each([1_000, 2 ** 20 - 3])('of which the first has the number %i', (first) => {
    it.each(COURSES)('%s', (_, sent, ...steps) => {
      const ledger = sentLedger(sent, first);
      for (const step of steps) {
        const [credit, told, echo, ...counts] = step.split(/[: ]/);
        const [used, unused, dropped] = counts.map(Number);
        expect(ledger.echo((first + Number(credit)) & 0xf_ffff, Number(told))).toBe(Echo[echo as keyof typeof Echo]);
        expect(ledger.counts).toEqual({ sent, used, unused, dropped });
        expect(period(ledger)).toMatchObject({ known: used + unused + dropped, used, unused, dropped });
        expectSumsToHold(ledger);
      }
    });
  });

  it('is used, no more lost at home, once data names it: a number that its sender can only have guessed', () => {
    const ledger = sentLedger(3);
    ledger.loseAtHome(1_001);
    expect(ledger.echo(1_001, 0)).toBe(Echo.valid);
    expect([ledger.outstanding, ledger.lostAtHomeCount]).toEqual([1, 0]);
    ledger.expire(9 * GAP_NS, 1);
    expect([ledger.outstanding, ledger.awaited, ledger.counts]).toEqual([
      0,
      0,
      { sent: 3, used: 1, unused: 0, dropped: 2 },
    ]);
  });

  it('is forgotten for a credit so old that its place was needed again', () => {
    const ledger = sentLedger(0);
    for (let credit = 0; credit < 200; credit++) {
      ledger.send(credit * GAP_NS);
      ledger.echo(1_000 + credit, 0);
    }
    expect(ledger.echo(1_199, 0)).toBe(Echo.duplicate);
    const counts = { ...ledger.counts };
    expect(ledger.echo(1_010, 0)).toBe(Echo.forgotten);
    expect(ledger.lastEchoSentNs).toBe(Number.POSITIVE_INFINITY);
    expect(ledger.counts).toEqual(counts);
  });

  it('is unknown for a credit so old that its data may be of another round of the offsets', () => {
    const ledger = new CreditLedger({ firstSequence: 1_000, maxOutstanding: 16_384, frameBytes: 2 ** 24 });
    for (let credit = 0; credit < 200; credit++) {
      ledger.send(credit * GAP_NS);
      ledger.echo(1_000 + credit, 0);
    }
    // 128 credits of 16 MiB are 2^31 bytes.
    expect(ledger.echo(1_072, 0)).toBe(Echo.forgotten);
    expect(ledger.echo(1_071, 0)).toBe(Echo.unknown);
  });

  it('is forgotten, too, where the book has grown since and its place is empty', () => {
    const ledger = sentLedger(100);
    ledger.echo(1_099, 0);
    for (let credit = 0; credit < 200; credit++) ledger.send(credit);
    const counts = { ...ledger.counts };
    expect(ledger.echo(1_050, 0)).toBe(Echo.forgotten);
    expect(ledger.counts).toEqual(counts);
  });

  it('is forgotten, too, where the flow has rested since; and the book goes on', () => {
    const ledger = sentLedger(10);
    ledger.echo(1_009, 0);
    ledger.rest();
    expect(ledger.echo(1_005, 0)).toBe(Echo.forgotten);
    for (let credit = 0; credit < 70; credit++) ledger.send(credit);
    expect(ledger.echo(1_009, 0)).toBe(Echo.forgotten);
    expect(ledger.echo(1_010, 0)).toBe(Echo.valid);
    expect(ledger.lastEchoSentNs).toBe(0);
    expect(ledger.counts).toEqual({ sent: 80, used: 2, unused: 0, dropped: 9 });
  });

  it('does not rest while a fate is unknown', () => {
    const ledger = sentLedger(3);
    ledger.rest();
    expect(ledger.echo(1_002, 0)).toBe(Echo.valid);
  });

  it('is dropped when the credit has lived for its life time, to the nanosecond', () => {
    const ledger = sentLedger(5);
    expect(ledger.oldestNs).toBe(0);
    expect(ledger.expire(1_099, 1_000)).toBe(1);
    expect(ledger.expire(1_100, 1_000)).toBe(1);
    expect(ledger.oldestNs).toBe(200);
    expect(ledger.counts).toEqual({ sent: 5, used: 0, unused: 0, dropped: 2 });
  });

  it('is never left unknown by an expiry at the deadline itself, however the sum rounds', () => {
    holds(
      fc.tuple(fc.double({ min: 0, max: 1e16, noNaN: true }), fc.double({ min: 1, max: 1e12, noNaN: true })),
      500,
      ([sentNs, lifeNs]) => {
        const ledger = new CreditLedger({ firstSequence: 0, maxOutstanding: 16 });
        ledger.send(sentNs);
        expect(ledger.expire(ledger.oldestNs + lifeNs, lifeNs)).toBe(1);
      },
    );
  });

  it('is unused at expiry where the counter says so', () => {
    const ledger = sentLedger(5);
    ledger.noteUnused(2);
    expect(ledger.expire(10_000, 1_000)).toBe(5);
    expect(ledger.counts).toEqual({ sent: 5, used: 0, unused: 2, dropped: 3 });
    expect(ledger.oldestNs).toBe(NEVER);
  });
});

describe('forgiving what is outstanding when the sender stopped', () => {
  it('counts it as unused and leaves it out of every period', () => {
    const ledger = sentLedger(5);
    ledger.forgive();
    expect(ledger.counts).toEqual({ sent: 5, used: 0, unused: 5, dropped: 0 });
    expect(ledger.outstanding).toBe(0);
    expect(period(ledger)).toEqual({ known: 0, used: 0, unused: 0, dropped: 0, spanNs: 0 });
  });

  it('still knows a forgiven credit by its echo, once', () => {
    const ledger = sentLedger(5);
    ledger.forgive();
    expect(ledger.echo(1_002, 0)).toBe(Echo.late);
    expect(ledger.echo(1_002, 0)).toBe(Echo.duplicate);
    expect(ledger.counts).toEqual({ sent: 5, used: 1, unused: 4, dropped: 0 });
  });

  it('does not take what the sender says of forgiven credits for news of later ones', () => {
    const ledger = sentLedger(5);
    ledger.noteUnused(1);
    ledger.forgive();
    for (let credit = 0; credit < 4; credit++) ledger.send(1_000_000 + credit);
    ledger.echo(1_007, 5);
    expect(ledger.counts).toEqual({ sent: 9, used: 1, unused: 5, dropped: 2 });
  });

  it('believes the counter again beyond the number that was forgiven', () => {
    const ledger = sentLedger(2);
    ledger.forgive();
    for (let credit = 0; credit < 4; credit++) ledger.send(1_000_000 + credit);
    ledger.echo(1_005, 3);
    expect(ledger.counts).toEqual({ sent: 6, used: 1, unused: 3, dropped: 2 });
  });

  it('leaves the pause out of the next span', () => {
    const ledger = sentLedger(3);
    ledger.echo(1_002, 0);
    ledger.forgive();
    for (let credit = 0; credit < 3; credit++) ledger.send(9_000_000 + credit * GAP_NS);
    ledger.echo(1_005, 0);
    expect(period(ledger)).toMatchObject({ known: 3, spanNs: 200 });
  });
});

describe('the sums of a period', () => {
  it('span the time from the last credit of the period before to the last known one', () => {
    const ledger = sentLedger(10);
    ledger.echo(1_003, 0);
    expect(period(ledger)).toEqual({ known: 4, used: 1, unused: 0, dropped: 3, spanNs: 300 });
    ledger.startPeriod();
    expect(period(ledger)).toEqual({ known: 0, used: 0, unused: 0, dropped: 0, spanNs: 0 });
    ledger.echo(1_004, 0);
    ledger.echo(1_006, 1);
    expect(period(ledger)).toEqual({ known: 3, used: 2, unused: 1, dropped: 0, spanNs: 300 });
  });

  it('stay whole when an echo takes back a drop of the period before', () => {
    const ledger = sentLedger(10);
    ledger.echo(1_003, 0);
    ledger.startPeriod();
    ledger.echo(1_004, 0);
    ledger.echo(1_001, 0);
    expect(period(ledger)).toMatchObject({ known: 1, used: 1, unused: 0, dropped: 0 });
    ledger.echo(1_006, 0);
    ledger.echo(1_000, 0);
    expect(period(ledger)).toMatchObject({ known: 3, used: 3, unused: 0, dropped: 0 });
    expect(ledger.counts).toEqual({ sent: 10, used: 5, unused: 0, dropped: 2 });
  });
});

describe('numbers that wrap', () => {
  it('takes the 12-bit counter of unused credits in echoes across its wrap', () => {
    const ledger = sentLedger(0, 0);
    let unused = 0;
    for (let round = 1; round <= 40; round++) {
      for (let credit = 0; credit < 2_000; credit++) ledger.send(credit);
      unused += 1_998;
      expect(ledger.echo(round * 2_000 - 1, unused & 0xfff)).toBe(Echo.valid);
    }
    expect(ledger.counts).toEqual({ sent: 80_000, used: 40, unused: 40 * 1_998, dropped: 40 });
  });

  it('takes the 16-bit counter of CREDIT_STOP and FIN beside the 12 bits of echoes', () => {
    const ledger = sentLedger(0, 0);
    for (let credit = 0; credit < 10_000; credit++) ledger.send(credit);
    ledger.noteUnused(9_990);
    ledger.echo(9_999, 9_994 & 0xfff);
    expect(ledger.counts).toEqual({ sent: 10_000, used: 1, unused: 9_994, dropped: 5 });
  });

  it('believes of an echo no more than half of the 12 bits at once', () => {
    const ledger = sentLedger(0, 0);
    for (let credit = 0; credit < 8_000; credit++) ledger.send(credit);
    ledger.echo(3_999, 0x7ff);
    expect(ledger.counts).toMatchObject({ used: 1, unused: 0x7ff });
    ledger.echo(7_999, 0xfff);
    expect(ledger.counts).toMatchObject({ used: 2, unused: 0x7ff });
  });

  it('knows an echo up to 2^19 credits back, and takes one that is older for a credit never sent', () => {
    const firstSequence = 2 ** 20 - 1_000;
    const ledger = new CreditLedger({ firstSequence, maxOutstanding: MAX_OUTSTANDING, frameBytes: 1_472 });
    const sent = 2 ** 20 + 5_000;
    for (let credit = 0; credit < sent; credit++) {
      ledger.send(credit);
      ledger.echo((firstSequence + credit) & 0xf_ffff, 0);
    }
    expect(ledger.counts).toEqual({ sent, used: sent, unused: 0, dropped: 0 });
    const back = (credits: number) => ledger.echo((ledger.nextSequence - credits) & 0xf_ffff, 0);
    expect([back(1), back(2 ** 19), back(2 ** 19 + 1)]).toEqual([Echo.duplicate, Echo.forgotten, Echo.unknown]);
  });

  it('ignores a counter that went back, as in a frame that was overtaken', () => {
    const ledger = sentLedger(10);
    ledger.echo(1_000, 5);
    ledger.noteUnused(3);
    ledger.echo(1_006, 5);
    expect(ledger.counts).toMatchObject({ used: 2, unused: 5, dropped: 0 });
  });
});

describe('the book of credits', () => {
  it('grows to as many as are outstanding and keeps their times', () => {
    const ledger = sentLedger(5_000);
    expect(ledger.outstanding).toBe(5_000);
    for (const credit of [0, 63, 64, 1_023, 4_999]) {
      expect(ledger.echo(1_000 + credit, 0)).toBe(Echo.valid);
      expect(ledger.lastEchoSentNs).toBe(credit * GAP_NS);
    }
  });

  it('knows the time of a credit whose echo comes late', () => {
    const ledger = sentLedger(5);
    ledger.echo(1_003, 0);
    ledger.echo(1_001, 0);
    expect(ledger.lastEchoSentNs).toBe(100);
  });

  it('says when as many are outstanding as are allowed', () => {
    const ledger = new CreditLedger({ firstSequence: 0, maxOutstanding: 3 });
    for (let credit = 0; credit < 3; credit++) {
      expect(ledger.isFull).toBe(false);
      ledger.send(credit);
    }
    expect(ledger.isFull).toBe(true);
    ledger.echo(0, 0);
    expect(ledger.isFull).toBe(false);
  });

  it('adds up after any sequence of events', () => {
    const event = fc.tuple(fc.constantFrom(...Object.keys(EVENTS)), fc.nat(40));
    holds(fc.tuple(fc.nat(2 ** 20 - 1), fc.array(event, { maxLength: 200 })), 300, ([first, events]) => {
      const play: Play = {
        ledger: new CreditLedger({ firstSequence: first, maxOutstanding: MAX_OUTSTANDING }),
        nowNs: 0,
        unused: 0,
      };
      for (const [kind, amount] of events) {
        play.nowNs++;
        EVENTS[kind](play, amount);
        expectSumsToHold(play.ledger);
      }
    });
  });
});

interface Play {
  ledger: CreditLedger;
  nowNs: number;
  unused: number;
}

const EVENTS: Record<string, (play: Play, amount: number) => void> = {
  send: ({ ledger, nowNs }, amount) => {
    for (let credit = 0; credit < amount; credit++) ledger.send(nowNs);
  },
  echo: ({ ledger, unused }, amount) => ledger.echo((ledger.nextSequence + 1 - amount) & 0xf_ffff, unused & 0xfff),
  expire: ({ ledger, nowNs }, amount) => ledger.expire(nowNs, amount),
  unused: (play, amount) => {
    play.unused += amount % 8;
    play.ledger.noteUnused(play.unused & 0xffff);
  },
  forgive: ({ ledger }) => ledger.forgive(),
  period: ({ ledger }) => ledger.startPeriod(),
};

function expectSumsToHold(ledger: CreditLedger): void {
  const { sent, used, unused, dropped } = ledger.counts;
  expect(used + unused + dropped + ledger.outstanding).toBe(sent);
  expect(Math.min(used, unused, dropped, ledger.outstanding)).toBeGreaterThanOrEqual(0);
  expect(ledger.periodUsed + ledger.periodUnused + ledger.periodDropped).toBe(ledger.periodKnown);
  expect(ledger.periodSpanNs).toBeGreaterThanOrEqual(0);
}
