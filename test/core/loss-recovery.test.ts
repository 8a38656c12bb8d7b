import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { type AckView, LossRecovery, type Sending } from '../../src/core/loss-recovery.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

allowLongRuns();

const RETRANSMIT_NS = 10 * MILLISECOND_NS;
const REORDER_BYTES = 300;
const REORDER_NS = 1_000;
/** Beyond all that is lost in these tests. */
const SENT = 1_000_000;

function view(changes: Partial<AckView> = {}): AckView {
  return {
    nowNs: 0,
    lossBound: Number.POSITIVE_INFINITY,
    probe: -1,
    retransmitNs: RETRANSMIT_NS,
    isOrdered: true,
    reorderBytes: REORDER_BYTES,
    ...changes,
  };
}

/** Of a repair behind which nothing has gone for the first time. */
function sending(changes: Partial<Sending> = {}): Sending {
  return { nowNs: 0, probe: 0, frame: 0, sentOffset: SENT, ...changes };
}

/** Everything that is lost, taken in pieces of `maxBytes`. */
function takeAll(recovery: LossRecovery, maxBytes: number, nowNs = 0, probe = 0): [number, number][] {
  const taken: [number, number][] = [];
  for (let frame = 0; recovery.hasLosses; frame++) {
    const start = recovery.take(maxBytes, sending({ nowNs, probe, frame }));
    taken.push([start, start + recovery.takenBytes]);
  }
  return taken;
}

describe('what is lost', () => {
  it('is the part of a hole before the loss bound', () => {
    const recovery = new LossRecovery();
    recovery.hole(100, 200, view({ lossBound: 150 }));
    recovery.hole(300, 400, view({ lossBound: 150 }));
    expect(recovery.backlogBytes).toBe(50);
    expect(recovery.lostBytes).toBe(50);
    expect(takeAll(recovery, 1_000)).toEqual([[100, 150]]);
  });

  it('is handed out in order, in pieces, once', () => {
    const recovery = new LossRecovery();
    recovery.hole(300, 350, view());
    recovery.hole(0, 100, view());
    recovery.hole(0, 100, view());
    expect(takeAll(recovery, 60)).toEqual([
      [0, 60],
      [60, 100],
      [300, 350],
    ]);
    expect(recovery.take(60, sending())).toBe(-1);
    expect(recovery.lostBytes).toBe(150);
  });

  it('is not lost any more when it arrives after all', () => {
    const recovery = new LossRecovery();
    recovery.hole(0, 100, view());
    recovery.arrived(40, 60);
    recovery.acknowledge(10);
    expect(takeAll(recovery, 1_000)).toEqual([
      [10, 40],
      [60, 100],
    ]);
  });

  it('does not grow beyond its bound, and what did not fit is found again', () => {
    const recovery = new LossRecovery();
    for (let hole = 0; hole < 2_000; hole++) recovery.hole(hole * 10, hole * 10 + 5, view());
    expect(recovery.rangeCount).toBe(1_024);
    expect(recovery.overflows).toBe(976);
    takeAll(recovery, 100);
    recovery.acknowledge(1_024 * 10);
    recovery.hole(1_999 * 10, 1_999 * 10 + 5, view());
    expect(recovery.hasLosses).toBe(true);
  });
});

describe('what was repaired', () => {
  it.each([
    ['not lost again while the repair may be on its way', { nowNs: 1_000 + RETRANSMIT_NS - 1, probe: 7 }, []],
    ['lost again after the retransmission time', { nowNs: 1_000 + RETRANSMIT_NS }, [[0, 100]]],
    ['lost again when the ACK echoes a later probe', { nowNs: 1_001, probe: 8 }, [[0, 100]]],
  ])('is %s', (_, ack, lost) => {
    const recovery = new LossRecovery();
    recovery.hole(0, 100, view());
    takeAll(recovery, 100, 1_000, 7);
    recovery.hole(0, 100, view(ack));
    expect(takeAll(recovery, 100)).toEqual(lost);
  });

  it('waits again after it was repaired a second time', () => {
    const recovery = new LossRecovery();
    recovery.hole(0, 100, view());
    takeAll(recovery, 100, 0, 1);
    recovery.hole(0, 100, view({ nowNs: RETRANSMIT_NS }));
    takeAll(recovery, 100, RETRANSMIT_NS, 1);
    recovery.hole(0, 100, view({ nowNs: RETRANSMIT_NS + 1 }));
    expect(recovery.hasLosses).toBe(false);
  });

  it('leaves the rest of its hole lost', () => {
    const recovery = new LossRecovery();
    recovery.hole(40, 60, view());
    takeAll(recovery, 100);
    recovery.hole(0, 100, view());
    expect(takeAll(recovery, 100)).toEqual([
      [0, 40],
      [60, 100],
    ]);
  });

  it('takes one place in the list for sixteen repairs in a row', () => {
    const recovery = new LossRecovery();
    recovery.hole(0, 100_000, view());
    takeAll(recovery, 100, 5, 1);
    expect(recovery.rangeCount).toBe(Math.ceil(1_000 / 16));
    recovery.hole(0, 100_000, view());
    expect(recovery.hasLosses).toBe(false);
  });

  it('is lost again when three frames of bytes have arrived that were sent after it', () => {
    const recovery = repaired();
    recovery.shown(SENT + REORDER_BYTES - 1, 2, REORDER_NS);
    recovery.hole(0, 100, view());
    expect(recovery.hasLosses).toBe(false);
    recovery.shown(SENT + REORDER_BYTES, 3, REORDER_NS);
    recovery.hole(0, 100, view());
    expect(takeAll(recovery, 100)).toEqual([[0, 100]]);
  });

  it('is lost again when one byte that was sent after it arrived a reordering window ago', () => {
    const recovery = repaired();
    recovery.shown(SENT + 1, 2, REORDER_NS);
    recovery.shown(SENT + 1, REORDER_NS + 1, REORDER_NS);
    recovery.hole(0, 100, view());
    expect(recovery.hasLosses).toBe(false);
    recovery.shown(SENT + 1, REORDER_NS + 2, REORDER_NS);
    recovery.hole(0, 100, view());
    expect(takeAll(recovery, 100)).toEqual([[0, 100]]);
  });

  it('is not lost for what was sent before it, however old that is', () => {
    const recovery = repaired();
    for (let turn = 0; turn < 5; turn++) recovery.shown(SENT, turn * REORDER_NS, REORDER_NS);
    recovery.hole(0, 100, view());
    expect(recovery.hasLosses).toBe(false);
  });

  it.each([
    [2, []],
    [3, [[0, 100]]],
  ])('by a repair that went %d frames later and has arrived: lost are %j', (later, lost) => {
    const recovery = repaired();
    recovery.hole(200, 300, view());
    recovery.take(100, sending({ frame: later }));
    recovery.arrived(200, 300);
    recovery.hole(0, 100, view());
    expect(takeAll(recovery, 100)).toEqual(lost);
  });

  it('is not lost for what has overtaken it where frames take several paths', () => {
    const recovery = repaired();
    for (let turn = 0; turn < 3; turn++) recovery.shown(2 * SENT, turn * REORDER_NS, REORDER_NS);
    recovery.hole(0, 100, view({ isOrdered: false }));
    expect(recovery.hasLosses).toBe(false);
  });

  it('stays within the bound when arrivals split it', () => {
    const recovery = new LossRecovery();
    recovery.hole(0, 100_000, view());
    takeAll(recovery, 100_000);
    for (let place = 0; place < 3_000; place++) recovery.arrived(place * 20, place * 20 + 10);
    expect(recovery.rangeCount).toBe(1_024);
    expect(recovery.overflows).toBe(1);
  });

  it('agrees, byte by byte, with a list of when each was sent again', () => {
    const position = fc.nat(NaiveRecovery.size);
    const step = fc.tuple(fc.constantFrom(...Object.keys(STEPS)), position, position, fc.nat(12));
    holds(fc.array(step, { maxLength: 120 }), 400, (steps) => {
      const twins = { recovery: new LossRecovery(), model: new NaiveRecovery() };
      let nowNs = SECOND_NS;
      let frame = 0;
      for (const [kind, a, b, age] of steps) {
        // Each goes behind a probe of its own, so that none is kept as one with its neighbour.
        STEPS[kind](twins, { start: Math.min(a, b), end: Math.max(a, b), nowNs, age, frame: ++frame });
        expect(twins.recovery.backlogBytes).toBe(twins.model.lost.filter(Boolean).length);
        nowNs += (a % 6) * MILLISECOND_NS;
      }
    });
  });
});

/** A repair of the first 100 bytes, under way. */
function repaired(): LossRecovery {
  const recovery = new LossRecovery();
  recovery.hole(0, 100, view());
  takeAll(recovery, 100, 1);
  return recovery;
}

interface Twins {
  recovery: LossRecovery;
  model: NaiveRecovery;
}

interface Step {
  start: number;
  end: number;
  nowNs: number;
  /** Frames since the probe that a hole's ACK echoes. */
  age: number;
  frame: number;
}

const STEPS: Record<string, (twins: Twins, step: Step) => void> = {
  hole: ({ recovery, model }, { start, end, nowNs, age, frame }) => {
    const probe = age > 6 ? -1 : frame - age;
    recovery.hole(start, end, view({ nowNs, lossBound: 50, probe, reorderBytes: NaiveRecovery.reorderBytes }));
    model.hole(start, Math.min(end, 50), nowNs, probe);
  },
  take: ({ recovery, model }, { start, nowNs, age, frame }) => {
    const made = sending({ nowNs, probe: frame, frame, sentOffset: frame + age });
    const offset = recovery.take(start + 1, made);
    expect([offset, offset < 0 ? 0 : recovery.takenBytes]).toEqual(model.take(start + 1, made));
  },
  arrived: ({ recovery, model }, { start, end }) => {
    recovery.arrived(start, end);
    model.arrived(start, end);
  },
  shown: ({ recovery, model }, { start, nowNs }) => {
    recovery.shown(start, nowNs, Number.POSITIVE_INFINITY);
    model.shownEnd = Math.max(model.shownEnd, start);
  },
  acknowledge: ({ recovery, model }, { start }) => {
    recovery.acknowledge(start);
    model.arrived(0, start);
  },
};

/** The naive twin: what is known of each byte. */
class NaiveRecovery {
  static readonly size = 60;
  static readonly reorderBytes = 10;
  readonly lost = new Array<boolean>(NaiveRecovery.size).fill(false);
  shownEnd = 0;
  private latestArrived = -1;
  private readonly sent = new Array<Sending | null>(NaiveRecovery.size).fill(null);

  hole(start: number, end: number, nowNs: number, probe: number): void {
    for (let byte = start; byte < end; byte++) {
      if (!this.isPending(this.sent[byte], nowNs, probe)) this.lost[byte] = true;
    }
  }

  take(maxBytes: number, made: Sending): [number, number] {
    const start = this.lost.indexOf(true);
    if (start < 0) return [-1, 0];
    let end = start;
    while (end - start < maxBytes && this.lost[end]) {
      this.lost[end] = false;
      this.sent[end++] = made;
    }
    return [start, end - start];
  }

  arrived(start: number, end: number): void {
    for (const sent of this.sent.slice(start, end)) {
      if (sent !== null) this.latestArrived = Math.max(this.latestArrived, sent.frame);
    }
    this.lost.fill(false, start, end);
    this.sent.fill(null, start, end);
  }

  private isPending(sent: Sending | null, nowNs: number, probe: number): boolean {
    if (sent === null || probe > sent.probe || nowNs - sent.nowNs >= RETRANSMIT_NS) return false;
    return this.latestArrived < sent.frame + 3 && this.shownEnd < sent.sentOffset + NaiveRecovery.reorderBytes;
  }
}
