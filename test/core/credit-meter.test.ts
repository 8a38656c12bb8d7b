import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/base/time.js';
import { CreditMeter, Echo } from '../../src/core/credit-meter.js';
import { holds, printSeed } from '../harness/seeds.js';

printSeed();

const MAX_OUTSTANDING = 16_384;
const GAP_NS = 100;

/** A meter whose first credits, `count` of them, went out at 0, 100, 200 ... */
function metered(count: number, firstSequence = 1_000): CreditMeter {
  const meter = new CreditMeter({ firstSequence, maxOutstanding: MAX_OUTSTANDING });
  for (let credit = 0; credit < count; credit++) meter.send(credit * GAP_NS);
  return meter;
}

function period(meter: CreditMeter): Record<string, number> {
  return {
    known: meter.periodKnown,
    used: meter.periodUsed,
    unused: meter.periodUnused,
    dropped: meter.periodDropped,
    spanNs: meter.periodSpanNs,
  };
}

describe('credits that later ones of other flows have overtaken', () => {
  it('are outstanding and not awaited, and doubted at once', () => {
    const meter = metered(5);
    expect(meter.overtake(2 * GAP_NS)).toBe(true);
    expect([meter.outstanding, meter.awaited, meter.trusted]).toEqual([5, 2, 2]);
    expect(meter.overtake(2 * GAP_NS)).toBe(false);
    expect(meter.overtake(-1)).toBe(false);
    expect(meter.awaited).toBe(2);
  });

  it('are counted once, however their fate becomes known', () => {
    const meter = metered(6);
    meter.loseAtHome(1_001);
    expect(meter.overtake(3 * GAP_NS)).toBe(true);
    // Of the four one did not leave this host.
    expect([meter.outstanding, meter.awaited]).toEqual([5, 2]);
    meter.loseAtHome(1_002);
    expect([meter.outstanding, meter.awaited]).toEqual([4, 2]);
    // It is there after all, and passes the first.
    meter.echo(1_003, 0);
    expect([meter.outstanding, meter.awaited]).toEqual([2, 2]);
    meter.overtake(4 * GAP_NS);
    meter.expire(4 * GAP_NS + 1, 1);
    expect([meter.outstanding, meter.awaited]).toEqual([1, 1]);
    meter.overtake(5 * GAP_NS);
    meter.forgive();
    expect([meter.outstanding, meter.awaited]).toEqual([0, 0]);
  });
});

describe('the fate of a credit', () => {
  it('is used, no more lost at home, once data names it: a number that its sender can only have guessed', () => {
    const meter = metered(3);
    meter.loseAtHome(1_001);
    expect(meter.echo(1_001, 0)).toBe(Echo.valid);
    expect([meter.outstanding, meter.lostAtHomeCount]).toEqual([1, 0]);
    meter.expire(9 * GAP_NS, 1);
    expect([meter.outstanding, meter.awaited, meter.counts]).toEqual([
      0,
      0,
      { sent: 3, used: 1, unused: 0, dropped: 2 },
    ]);
  });

  it('is used when its echo comes', () => {
    const meter = metered(3);
    expect(meter.echo(1_000, 0)).toBe(Echo.valid);
    expect(meter.echo(1_001, 0)).toBe(Echo.valid);
    expect(meter.counts).toEqual({ sent: 3, used: 2, unused: 0, dropped: 0 });
    expect(meter.outstanding).toBe(1);
  });

  it('is dropped when a later echo passes it and the sender tells of no unused credit', () => {
    const meter = metered(10);
    meter.echo(1_000, 0);
    expect(meter.echo(1_004, 0)).toBe(Echo.valid);
    expect(meter.counts).toEqual({ sent: 10, used: 2, unused: 0, dropped: 3 });
    expect(meter.outstanding).toBe(5);
  });

  it('is unused for as many in the gap as the counter grew, and dropped for the rest', () => {
    const meter = metered(10);
    meter.echo(1_000, 7);
    expect(meter.counts.unused).toBe(0);
    meter.echo(1_005, 9);
    expect(meter.counts).toEqual({ sent: 10, used: 2, unused: 4, dropped: 0 });
    meter.echo(1_009, 9);
    expect(meter.counts).toEqual({ sent: 10, used: 3, unused: 7, dropped: 0 });
  });

  it('is taken back from the dropped by its own echo, late', () => {
    const meter = metered(5);
    meter.echo(1_003, 0);
    expect(meter.echo(1_001, 0)).toBe(Echo.late);
    expect(meter.counts).toEqual({ sent: 5, used: 2, unused: 0, dropped: 2 });
    expect(period(meter)).toMatchObject({ known: 4, used: 2, unused: 0, dropped: 2 });
  });

  it('is taken back from the unused by its own echo, and the next in a gap is unused in its place', () => {
    const meter = metered(6);
    meter.echo(1_002, 1);
    expect(meter.counts).toEqual({ sent: 6, used: 1, unused: 1, dropped: 1 });
    expect(meter.echo(1_000, 1)).toBe(Echo.late);
    expect(meter.counts).toEqual({ sent: 6, used: 2, unused: 0, dropped: 1 });
    meter.echo(1_004, 1);
    expect(meter.counts).toEqual({ sent: 6, used: 3, unused: 1, dropped: 1 });
    expect(period(meter)).toMatchObject({ known: 5, used: 3, unused: 1, dropped: 1 });
  });

  it('does not change with a second echo of the same credit', () => {
    const meter = metered(5);
    meter.echo(1_003, 0);
    meter.echo(1_001, 0);
    const counts = { ...meter.counts };
    expect(meter.echo(1_003, 0)).toBe(Echo.duplicate);
    expect(meter.echo(1_001, 0)).toBe(Echo.duplicate);
    expect(meter.counts).toEqual(counts);
  });

  it('is unknown for a credit that was never sent', () => {
    const meter = metered(5);
    expect(meter.echo(1_005, 0)).toBe(Echo.unknown);
    expect(meter.echo(999, 0)).toBe(Echo.unknown);
    expect(meter.echo(1_000 + 2 ** 19, 0)).toBe(Echo.unknown);
    expect(meter.counts).toEqual({ sent: 5, used: 0, unused: 0, dropped: 0 });
  });

  it('is forgotten for a credit so old that its place was needed again', () => {
    const meter = metered(0);
    for (let credit = 0; credit < 200; credit++) {
      meter.send(credit * GAP_NS);
      meter.echo(1_000 + credit, 0);
    }
    expect(meter.echo(1_199, 0)).toBe(Echo.duplicate);
    const counts = { ...meter.counts };
    expect(meter.echo(1_010, 0)).toBe(Echo.forgotten);
    expect(meter.lastEchoSentNs).toBe(Number.POSITIVE_INFINITY);
    expect(meter.counts).toEqual(counts);
  });

  it('is unknown for a credit so old that its data may be of another round of the offsets', () => {
    const meter = new CreditMeter({ firstSequence: 1_000, maxOutstanding: 16_384, frameBytes: 2 ** 24 });
    for (let credit = 0; credit < 200; credit++) {
      meter.send(credit * GAP_NS);
      meter.echo(1_000 + credit, 0);
    }
    // 128 credits of 16 MiB are 2^31 bytes.
    expect(meter.echo(1_072, 0)).toBe(Echo.forgotten);
    expect(meter.echo(1_071, 0)).toBe(Echo.unknown);
  });

  it('is forgotten, too, where the book has grown since and its place is empty', () => {
    const meter = metered(100);
    meter.echo(1_099, 0);
    for (let credit = 0; credit < 200; credit++) meter.send(credit);
    const counts = { ...meter.counts };
    expect(meter.echo(1_050, 0)).toBe(Echo.forgotten);
    expect(meter.counts).toEqual(counts);
  });

  it('is forgotten, too, where the flow has rested since; and the book goes on', () => {
    const meter = metered(10);
    meter.echo(1_009, 0);
    meter.rest();
    expect(meter.echo(1_005, 0)).toBe(Echo.forgotten);
    for (let credit = 0; credit < 70; credit++) meter.send(credit);
    expect(meter.echo(1_009, 0)).toBe(Echo.forgotten);
    expect(meter.echo(1_010, 0)).toBe(Echo.valid);
    expect(meter.lastEchoSentNs).toBe(0);
    expect(meter.counts).toEqual({ sent: 80, used: 2, unused: 0, dropped: 9 });
  });

  it('does not rest while a fate is unknown', () => {
    const meter = metered(3);
    meter.rest();
    expect(meter.echo(1_002, 0)).toBe(Echo.valid);
  });

  it('is dropped when the credit has lived for its life time, to the nanosecond', () => {
    const meter = metered(5);
    expect(meter.oldestNs).toBe(0);
    expect(meter.expire(1_099, 1_000)).toBe(1);
    expect(meter.expire(1_100, 1_000)).toBe(1);
    expect(meter.oldestNs).toBe(200);
    expect(meter.counts).toEqual({ sent: 5, used: 0, unused: 0, dropped: 2 });
  });

  it('is never left unknown by an expiry at the deadline itself, however the sum rounds', () => {
    holds(
      fc.tuple(fc.double({ min: 0, max: 1e16, noNaN: true }), fc.double({ min: 1, max: 1e12, noNaN: true })),
      500,
      ([sentNs, lifeNs]) => {
        const meter = new CreditMeter({ firstSequence: 0, maxOutstanding: 16 });
        meter.send(sentNs);
        expect(meter.expire(meter.oldestNs + lifeNs, lifeNs)).toBe(1);
      },
    );
  });

  it('is unused at expiry where the counter says so', () => {
    const meter = metered(5);
    meter.noteUnused(2);
    expect(meter.expire(10_000, 1_000)).toBe(5);
    expect(meter.counts).toEqual({ sent: 5, used: 0, unused: 2, dropped: 3 });
    expect(meter.oldestNs).toBe(NEVER);
  });
});

describe('forgiving what is outstanding when the sender stopped', () => {
  it('counts it as unused and leaves it out of every period', () => {
    const meter = metered(5);
    meter.forgive();
    expect(meter.counts).toEqual({ sent: 5, used: 0, unused: 5, dropped: 0 });
    expect(meter.outstanding).toBe(0);
    expect(period(meter)).toEqual({ known: 0, used: 0, unused: 0, dropped: 0, spanNs: 0 });
  });

  it('still knows a forgiven credit by its echo, once', () => {
    const meter = metered(5);
    meter.forgive();
    expect(meter.echo(1_002, 0)).toBe(Echo.late);
    expect(meter.echo(1_002, 0)).toBe(Echo.duplicate);
    expect(meter.counts).toEqual({ sent: 5, used: 1, unused: 4, dropped: 0 });
  });

  it('does not take what the sender says of forgiven credits for news of later ones', () => {
    const meter = metered(5);
    meter.noteUnused(1);
    meter.forgive();
    for (let credit = 0; credit < 4; credit++) meter.send(1_000_000 + credit);
    meter.echo(1_007, 5);
    expect(meter.counts).toEqual({ sent: 9, used: 1, unused: 5, dropped: 2 });
  });

  it('believes the counter again beyond the number that was forgiven', () => {
    const meter = metered(2);
    meter.forgive();
    for (let credit = 0; credit < 4; credit++) meter.send(1_000_000 + credit);
    meter.echo(1_005, 3);
    expect(meter.counts).toEqual({ sent: 6, used: 1, unused: 3, dropped: 2 });
  });

  it('leaves the pause out of the next span', () => {
    const meter = metered(3);
    meter.echo(1_002, 0);
    meter.forgive();
    for (let credit = 0; credit < 3; credit++) meter.send(9_000_000 + credit * GAP_NS);
    meter.echo(1_005, 0);
    expect(period(meter)).toMatchObject({ known: 3, spanNs: 200 });
  });
});

describe('the sums of a period', () => {
  it('span the time from the last credit of the period before to the last known one', () => {
    const meter = metered(10);
    meter.echo(1_003, 0);
    expect(period(meter)).toEqual({ known: 4, used: 1, unused: 0, dropped: 3, spanNs: 300 });
    meter.startPeriod();
    expect(period(meter)).toEqual({ known: 0, used: 0, unused: 0, dropped: 0, spanNs: 0 });
    meter.echo(1_004, 0);
    meter.echo(1_006, 1);
    expect(period(meter)).toEqual({ known: 3, used: 2, unused: 1, dropped: 0, spanNs: 300 });
  });

  it('stay whole when an echo takes back a drop of the period before', () => {
    const meter = metered(10);
    meter.echo(1_003, 0);
    meter.startPeriod();
    meter.echo(1_004, 0);
    meter.echo(1_001, 0);
    expect(period(meter)).toMatchObject({ known: 1, used: 1, unused: 0, dropped: 0 });
    meter.echo(1_006, 0);
    meter.echo(1_000, 0);
    expect(period(meter)).toMatchObject({ known: 3, used: 3, unused: 0, dropped: 0 });
    expect(meter.counts).toEqual({ sent: 10, used: 5, unused: 0, dropped: 2 });
  });
});

describe('numbers that wrap', () => {
  it('counts credits across 2^20', () => {
    const meter = metered(6, 2 ** 20 - 3);
    expect(meter.nextSequence & 0xf_ffff).toBe(3);
    expect(meter.echo(2 ** 20 - 2, 0)).toBe(Echo.valid);
    expect(meter.echo(1, 0)).toBe(Echo.valid);
    expect(meter.echo(2 ** 20 - 1, 0)).toBe(Echo.late);
    expect(meter.counts).toEqual({ sent: 6, used: 3, unused: 0, dropped: 2 });
  });

  it('takes the 12-bit counter of unused credits in echoes across its wrap', () => {
    const meter = metered(0, 0);
    let unused = 0;
    for (let round = 1; round <= 40; round++) {
      for (let credit = 0; credit < 2_000; credit++) meter.send(credit);
      unused += 1_998;
      expect(meter.echo(round * 2_000 - 1, unused & 0xfff)).toBe(Echo.valid);
    }
    expect(meter.counts).toEqual({ sent: 80_000, used: 40, unused: 40 * 1_998, dropped: 40 });
  });

  it('takes the 16-bit counter of CREDIT_STOP and FIN beside the 12 bits of echoes', () => {
    const meter = metered(0, 0);
    for (let credit = 0; credit < 10_000; credit++) meter.send(credit);
    meter.noteUnused(9_990);
    meter.echo(9_999, 9_994 & 0xfff);
    expect(meter.counts).toEqual({ sent: 10_000, used: 1, unused: 9_994, dropped: 5 });
  });

  it('believes of an echo no more than half of the 12 bits at once', () => {
    const meter = metered(0, 0);
    for (let credit = 0; credit < 8_000; credit++) meter.send(credit);
    meter.echo(3_999, 0x7ff);
    expect(meter.counts).toMatchObject({ used: 1, unused: 0x7ff });
    meter.echo(7_999, 0xfff);
    expect(meter.counts).toMatchObject({ used: 2, unused: 0x7ff });
  });

  it('knows an echo up to 2^19 credits back, and takes one that is older for a credit never sent', () => {
    const firstSequence = 2 ** 20 - 1_000;
    const meter = new CreditMeter({ firstSequence, maxOutstanding: MAX_OUTSTANDING, frameBytes: 1_472 });
    const sent = 2 ** 20 + 5_000;
    for (let credit = 0; credit < sent; credit++) {
      meter.send(credit);
      meter.echo((firstSequence + credit) & 0xf_ffff, 0);
    }
    expect(meter.counts).toEqual({ sent, used: sent, unused: 0, dropped: 0 });
    const back = (credits: number) => meter.echo((meter.nextSequence - credits) & 0xf_ffff, 0);
    expect([back(1), back(2 ** 19), back(2 ** 19 + 1)]).toEqual([Echo.duplicate, Echo.forgotten, Echo.unknown]);
  });

  it('ignores a counter that went back, as in a frame that was overtaken', () => {
    const meter = metered(10);
    meter.echo(1_000, 5);
    meter.noteUnused(3);
    meter.echo(1_006, 5);
    expect(meter.counts).toMatchObject({ used: 2, unused: 5, dropped: 0 });
  });
});

describe('the book of credits', () => {
  it('grows to as many as are outstanding and keeps their times', () => {
    const meter = metered(5_000);
    expect(meter.outstanding).toBe(5_000);
    for (const credit of [0, 63, 64, 1_023, 4_999]) {
      expect(meter.echo(1_000 + credit, 0)).toBe(Echo.valid);
      expect(meter.lastEchoSentNs).toBe(credit * GAP_NS);
    }
  });

  it('knows the time of a credit whose echo comes late', () => {
    const meter = metered(5);
    meter.echo(1_003, 0);
    meter.echo(1_001, 0);
    expect(meter.lastEchoSentNs).toBe(100);
  });

  it('says when as many are outstanding as are allowed', () => {
    const meter = new CreditMeter({ firstSequence: 0, maxOutstanding: 3 });
    for (let credit = 0; credit < 3; credit++) {
      expect(meter.isFull).toBe(false);
      meter.send(credit);
    }
    expect(meter.isFull).toBe(true);
    meter.echo(0, 0);
    expect(meter.isFull).toBe(false);
  });

  it('adds up after any sequence of events', () => {
    const event = fc.tuple(fc.constantFrom(...Object.keys(EVENTS)), fc.nat(40));
    holds(fc.tuple(fc.nat(2 ** 20 - 1), fc.array(event, { maxLength: 200 })), 300, ([first, events]) => {
      const play: Play = {
        meter: new CreditMeter({ firstSequence: first, maxOutstanding: MAX_OUTSTANDING }),
        nowNs: 0,
        unused: 0,
      };
      for (const [kind, amount] of events) {
        play.nowNs++;
        EVENTS[kind](play, amount);
        expectSumsToHold(play.meter);
      }
    });
  });
});

interface Play {
  meter: CreditMeter;
  nowNs: number;
  unused: number;
}

const EVENTS: Record<string, (play: Play, amount: number) => void> = {
  send: ({ meter, nowNs }, amount) => {
    for (let credit = 0; credit < amount; credit++) meter.send(nowNs);
  },
  echo: ({ meter, unused }, amount) => meter.echo((meter.nextSequence + 1 - amount) & 0xf_ffff, unused & 0xfff),
  expire: ({ meter, nowNs }, amount) => meter.expire(nowNs, amount),
  unused: (play, amount) => {
    play.unused += amount % 8;
    play.meter.noteUnused(play.unused & 0xffff);
  },
  forgive: ({ meter }) => meter.forgive(),
  period: ({ meter }) => meter.startPeriod(),
};

function expectSumsToHold(meter: CreditMeter): void {
  const { sent, used, unused, dropped } = meter.counts;
  expect(used + unused + dropped + meter.outstanding).toBe(sent);
  expect(Math.min(used, unused, dropped, meter.outstanding)).toBeGreaterThanOrEqual(0);
  expect(meter.periodUsed + meter.periodUnused + meter.periodDropped).toBe(meter.periodKnown);
  expect(meter.periodSpanNs).toBeGreaterThanOrEqual(0);
}
