import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import type { CreditIssuer } from '../../src/core/credit-issuer.js';
import type { RECEIVER_TIMERS } from '../../src/core/timers.js';
import { ResetCode } from '../../src/wire/layout.js';
import { FLOW_PEER, FLOW_SLOT } from '../harness/flow-context.js';
import { ReceiverBench } from '../harness/receiver-bench.js';

/** Credits of a full frame at 1 Gbit/s: (88 + 1538) * 8 bits. PROTOCOL §4.4 */
const GAP_NS = 13_008;

/** The first word of each line, credits left out. */
function types(lines: string[]): string[] {
  return lines.map((line) => line.split(' ')[0]).filter((type) => type !== 'CREDIT');
}

function inCreditSending(): ReceiverBench {
  return new ReceiverBench().proved();
}

function inCreditStopped(): ReceiverBench {
  const bench = inCreditSending();
  bench.wait(MILLISECOND_NS);
  bench.stop();
  bench.context.sent();
  return bench;
}

/** A stream of one frame of a hundred bytes, complete. */
function inComplete(): ReceiverBench {
  const bench = inCreditSending();
  bench.fin(100);
  bench.context.sent();
  return bench;
}

describe('a receiver whose peer asks again', () => {
  it('answers by the path that the request has come by', () => {
    const bench = inCreditSending();
    bench.request(9);
    expect(types(bench.context.sent())).toEqual(['ACK']);
    expect(bench.context.sentPaths).toEqual([9]);
  });
});

describe('a receiver in CLOSED', () => {
  it('begins to send credits at the rate of the feedback when it is asked to', () => {
    const bench = new ReceiverBench().open();
    expect(bench.state).toBe('creditSending');
    expect(bench.context.sent()).toEqual([]);
    bench.wait(0);
    expect(bench.context.sent()).toEqual(['CREDIT credit=100']);
    bench.data(0);
    bench.context.sent();
    bench.wait(100 * GAP_NS);
    expect(bench.credits()).toBe(100);
  });
});

describe('a receiver in CREDIT_SENDING', () => {
  it('stops at CREDIT_STOP and answers it', () => {
    const bench = inCreditSending();
    bench.stop();
    expect(bench.state).toBe('creditStopped');
    expect(bench.context.sent()).toEqual(['ACK cumulative=100 probe=2 ranges=none']);
    bench.wait(MILLISECOND_NS);
    expect(bench.credits()).toBe(0);
    expect(bench.context.budget.outstanding).toBe(0);
  });

  it('stops at FIN and answers it', () => {
    const bench = inCreditSending();
    bench.wait(GAP_NS);
    bench.fin(300);
    expect(bench.state).toBe('creditStopped');
    expect(bench.context.sent().at(-1)).toBe('ACK cumulative=100 probe=2 ranges=none');
  });

  it('gives its credits back when the FIN that completes it was overtaken by a request', () => {
    const bench = new ReceiverBench({ hostCredits: 64 }).proved().wait(10 * GAP_NS);
    bench.request();
    expect(bench.context.budget.outstanding).toBeGreaterThan(0);
    bench.fin(100, 0, 1);
    expect([bench.state, bench.context.budget.outstanding]).toEqual(['complete', 0]);
    bench.context.sent();
    bench.wait(MILLISECOND_NS);
    expect(bench.credits()).toBe(0);
  });

  it('stops at END with no hole before it, and acknowledges it at once', () => {
    const bench = inCreditSending().wait(10 * GAP_NS);
    bench.context.sent();
    bench.data(100, 1, { end: true });
    expect(bench.state).toBe('creditStopped');
    expect(bench.context.sent()).toEqual(['ACK cumulative=200 probe=1 ranges=none']);
    expect(bench.reader.events).toEqual(['data 100', 'data 100', 'end']);
    bench.wait(MILLISECOND_NS);
    expect(bench.context.sent()).toEqual([]);
  });

  it('acknowledges END at once where there is a hole before it, and goes on', () => {
    const bench = inCreditSending().wait(10 * GAP_NS);
    bench.data(200, 1);
    bench.context.sent();
    bench.data(300, 2, { end: true });
    expect(bench.state).toBe('creditSending');
    expect(bench.context.sent()).toEqual(['ACK cumulative=100 probe=1 ranges=200-400']);
    bench.data(100, 3);
    expect(bench.state).toBe('creditStopped');
  });

  it('waits for eight gaps where its credits are further apart than the data timeout expects', () => {
    const bench = new ReceiverBench({ rateBps: 100_000 }).proved();
    const gapNs = GAP_NS * 10_000;
    bench.wait(8 * gapNs - 1);
    expect(bench.state).toBe('creditSending');
    bench.wait(1);
    expect(bench.state).toBe('creditStopped');
  });

  it('answers a repeated request with an ACK and goes on', () => {
    const bench = inCreditSending();
    bench.request();
    expect(bench.context.sent()).toEqual(['ACK cumulative=100 probe=2 ranges=none']);
    bench.wait(10 * GAP_NS);
    expect(bench.credits()).toBe(10);
  });

  it.each([
    [4, [84, 85, 86, 87, 88, 89, 90, 91, 92]],
    [1, [87, 88, 89]],
    [0, [88]],
  ])('sends credits of every size that differs from the mean by at most %d B', (creditSizeJitterBytes, expected) => {
    const bench = new ReceiverBench({ creditSizeJitterBytes }).proved();
    const sizes = new Set<number>();
    const emitted = bench.context.emit.bind(bench.context);
    bench.context.emit = (frame, nowNs) => {
      sizes.add(frame.wireBytes);
      emitted(frame, nowNs);
    };
    bench.wait(200 * GAP_NS);
    expect([...sizes].sort()).toEqual(expected);
  });

  it('stamps a credit with the time at which it was due when it is woken late', () => {
    const bench = inCreditSending();
    bench.nowNs = 5 * GAP_NS;
    bench.context.dueNs = bench.flow.dueSource.sendDue(bench.nowNs);
    expect(bench.context.stampsNs).toEqual([GAP_NS]);
    expect(bench.context.dueNs).toBe(2 * GAP_NS);
  });
});

describe('a receiver on a long path that is woken late', () => {
  it.each([
    [0, 10],
    [1 / 4, 40],
  ])('makes up for the catch-up bound, or %d of the shortest RTT', (catchUpRtts, gaps) => {
    const bench = new ReceiverBench({ catchUpNs: 10 * GAP_NS, catchUpRtts }).open();
    bench.wait(0);
    bench.nowNs += 160 * GAP_NS;
    bench.data(0);
    bench.wait(0);
    bench.context.sent();
    const stampsBefore = bench.context.stampsNs.length;
    bench.nowNs += 100 * GAP_NS;
    bench.wait(0);
    const late = bench.context.stampsNs.slice(stampsBefore).map((stampNs) => (bench.nowNs - stampNs) / GAP_NS);
    expect(Math.max(...late)).toBeCloseTo(gaps, 0);
  });
});

describe('a receiver in CREDIT_STOPPED', () => {
  it('sends credits again at a request', () => {
    const bench = inCreditStopped();
    bench.request();
    expect(bench.state).toBe('creditSending');
    bench.wait(10 * GAP_NS);
    expect(bench.credits()).toBe(11);
  });

  it('takes data that was under way, and sends no credits for it', () => {
    const bench = inCreditStopped();
    bench.data(100, 1);
    expect(bench.reader.received).toBe(200);
    bench.wait(MILLISECOND_NS);
    expect(bench.credits()).toBe(0);
    expect(bench.state).toBe('creditStopped');
  });

  it('is COMPLETE when all bytes and the FIN have arrived, whichever is last', () => {
    const finLast = inCreditSending();
    finLast.fin(100);
    expect(finLast.state).toBe('complete');
    const dataLast = inCreditSending().wait(GAP_NS);
    dataLast.fin(200);
    dataLast.wait(3 * SECOND_NS);
    dataLast.context.sent();
    dataLast.data(100, 1);
    for (const bench of [finLast, dataLast]) {
      expect(bench.state).toBe('complete');
      expect(bench.context.sent()).toEqual([expect.stringMatching(/^ACK \[COMPLETE\]/)]);
      expect(bench.reader.events.slice(-2)).toEqual(['end', 'closed in order']);
      expect(bench.context.lingering).toBe(1);
      bench.wait(2 * SECOND_NS);
      expect(bench.context.forgotten).toBe(1);
    }
  });
});

describe('a receiver in COMPLETE', () => {
  it('answers every frame of the flow with COMPLETE for the linger time', () => {
    const bench = inComplete();
    bench.fin(100);
    bench.stop();
    bench.request();
    expect(bench.context.sent()).toEqual([
      'ACK [COMPLETE] cumulative=100 probe=3 ranges=none',
      'ACK [COMPLETE] cumulative=100 probe=4 ranges=none',
      'ACK [COMPLETE] cumulative=100 probe=5 ranges=none',
    ]);
    expect(bench.state).toBe('complete');
    bench.wait(2 * SECOND_NS - 1);
    expect(bench.context.forgotten).toBe(0);
    bench.wait(1);
    expect(bench.context.forgotten).toBe(1);
    expect(bench.reader.events.filter((event) => event.startsWith('closed'))).toEqual(['closed in order']);
  });

  it('is silent and cannot be reset by its application', () => {
    const bench = inComplete();
    bench.flow.reset(bench.nowNs);
    bench.wait(10 * SECOND_NS);
    expect(bench.context.sent()).toEqual([]);
  });

  it('ends at once with a RESET, without a second word to the reader', () => {
    const bench = inComplete();
    bench.flow.handleReset(ResetCode.unknownFlow);
    expect(bench.context.forgotten).toBe(1);
    expect(bench.reader.events.at(-1)).toBe('closed in order');
    expect(bench.context.deadlineNs).toBe(Number.POSITIVE_INFINITY);
  });
});

interface TimerCase {
  bench: () => ReceiverBench;
  afterNs: number;
  sends: string[];
  state: string;
}

/** Each timer of the table, so that the table names all and no others. */
const TIMERS: Record<keyof typeof RECEIVER_TIMERS, TimerCase> = {
  ack: { bench: inCreditSending, afterNs: 5e6, sends: ['ACK'], state: 'creditSending' },
  creditLife: {
    bench: () => {
      const bench = new ReceiverBench({ ackDelayNs: 0, maxOutstandingCredits: 2 }).proved();
      bench.wait(GAP_NS);
      bench.wait(GAP_NS);
      bench.context.sent();
      return bench;
    },
    afterNs: 100e6 - GAP_NS,
    sends: [],
    state: 'creditSending',
  },
  data: {
    bench: () => {
      const bench = inCreditSending().wait(10e6);
      bench.context.sent();
      return bench;
    },
    afterNs: 190e6,
    sends: [],
    state: 'creditStopped',
  },
  rest: {
    bench: () => inCreditStopped().wait(MILLISECOND_NS),
    afterNs: 100e6 - MILLISECOND_NS,
    sends: [],
    state: 'creditStopped',
  },
  linger: { bench: inComplete, afterNs: 2e9, sends: [], state: 'closed' },
  idle: {
    bench: () => {
      const bench = inCreditStopped();
      bench.wait(MILLISECOND_NS);
      return bench;
    },
    afterNs: 10e9 - MILLISECOND_NS,
    sends: ['RESET'],
    state: 'closed',
  },
};

describe('the timers of a receiver', () => {
  it.each(Object.entries(TIMERS))('%s fires on time and does what the table says', (name, timer) => {
    const bench = timer.bench();
    const dropped = bench.flow.statistics.creditsDropped;
    bench.wait(timer.afterNs - 2);
    expect(types(bench.context.sent())).toEqual([]);
    if (name === 'creditLife') expect(bench.flow.statistics.creditsDropped).toBe(dropped);
    if (name === 'rest') expect(bench.flow.statistics.creditsOutstanding).toBeGreaterThan(0);
    bench.wait(4);
    expect(types(bench.context.sent())).toEqual(timer.sends);
    expect(bench.state).toBe(timer.state);
    if (name === 'creditLife') expect(bench.flow.statistics.creditsDropped).toBe(dropped + 1);
    if (name === 'rest') expect(bench.flow.statistics.creditsOutstanding).toBe(0);
  });

  it('gives room to new credits when all that may be outstanding are lost', () => {
    const bench = new ReceiverBench({ dataTimeoutNs: SECOND_NS, hostCredits: 2 }).proved();
    bench.wait(99 * MILLISECOND_NS);
    expect(bench.credits()).toBe(2);
    bench.wait(2 * MILLISECOND_NS);
    expect(bench.credits()).toBe(2);
    expect(bench.flow.statistics.creditsDropped).toBe(2);
  });

  it('lets a flow go on that found no room when its turn in the budget came', () => {
    const bench = new ReceiverBench({ receiveWindowBytes: 65_536, hostCredits: 2, creditLifeNs: SECOND_NS });
    bench.reader.onBytes = () => {};
    bench.open().wait(0);
    for (let frame = 0; frame < 42; frame++) {
      bench.data(frame * 1_446, frame, { length: 1_446 });
      bench.wait(20_000);
    }
    bench.context.budget.add(2);
    bench.data(42 * 1_446, 42, { length: 1_446 });
    bench.wait(GAP_NS);
    expect(bench.flow.statistics.creditsOutstanding).toBe(1);
    // The credit that comes back now is for another flow, and the turn of this one comes when its window is full.
    const { budget } = bench.context;
    budget.join(FLOW_SLOT, { peer: FLOW_PEER, resume: () => true, overtaken: () => {} });
    bench.data(43 * 1_446, 43, { length: 2_000 });
    bench.context.budget.add(-2);
    expect((bench.flow.dueSource as CreditIssuer).resume(bench.nowNs)).toBe(false);
    bench.flow.release(43 * 1_446, bench.nowNs);
    bench.wait(MILLISECOND_NS);
    expect(bench.flow.statistics.creditsOutstanding).toBe(2);
  });

  it('waits for its turn in the budget without giving up, and answers requests meanwhile', () => {
    const bench = new ReceiverBench({ hostCredits: 2 }).proved();
    bench.context.budget.add(2);
    for (let credit = 1; bench.flow.statistics.creditsOutstanding > 0; credit++) bench.data(credit * 100, credit);
    // Five times the data timeout.
    bench.wait(SECOND_NS);
    expect(bench.state).toBe('creditSending');
    bench.context.sent();
    bench.request();
    expect(types(bench.context.sent())).toEqual(['ACK']);
    bench.context.budget.add(-2);
    bench.wait(GAP_NS);
    expect(bench.credits()).toBeGreaterThan(0);
    expect(bench.state).toBe('creditSending');
  });

  it('answers the request of a flow whose first credit has to wait for its turn', () => {
    const bench = new ReceiverBench({ hostCredits: 2 });
    bench.context.budget.add(2);
    bench.open();
    expect(types(bench.context.sent())).toEqual(['ACK']);
    bench.context.budget.add(-2);
    bench.wait(GAP_NS);
    expect(bench.credits()).toBeGreaterThan(0);
  });

  it('gives its turn in the budget to another flow when it stops before its next credit is due', () => {
    const bench = new ReceiverBench({ hostCredits: 2, creditLifeNs: SECOND_NS });
    bench.open().wait(0);
    const { budget } = bench.context;
    budget.add(1);
    bench.wait(GAP_NS);
    expect(bench.flow.statistics.creditsOutstanding).toBe(1);
    for (const slot of [1, 2, 3]) budget.allows(FLOW_SLOT + slot);
    budget.add(-1);
    let turns = 0;
    const other = { peer: FLOW_PEER, resume: () => ++turns > 0, overtaken: () => {} };
    for (const slot of [1, 2, 3]) budget.join(FLOW_SLOT + slot, other);
    bench.stop();
    // One for the credit that it had out, and one that it had been given and did not use.
    expect(turns).toBe(2);
  });

  it('report a sender that fell silent as idle, but not one that keeps the flow alive', () => {
    const silent = inCreditStopped().wait(10 * SECOND_NS);
    expect(silent.reader.events.at(-1)).toBe('closed idle');
    const alive = inCreditStopped();
    for (let turn = 0; turn < 10; turn++) {
      alive.wait(3.4 * SECOND_NS);
      alive.stop();
    }
    expect(alive.state).toBe('creditStopped');
  });
});

describe('a receiver whose process has slept', () => {
  it('does not wait for lost credits and for data in units of its sleep', () => {
    const bench = new ReceiverBench({ hostCredits: 2 }).open().wait(0);
    bench.nowNs = 9 * SECOND_NS;
    bench.data(0, 0);
    expect(bench.flow.statistics.rttNs).toBe(9 * SECOND_NS);
    bench.wait(2_510 * MILLISECOND_NS);
    expect(bench.state).toBe('creditStopped');
    bench.context.sent();
    bench.request();
    bench.wait(MILLISECOND_NS);
    expect(bench.credits()).toBe(2);
  });
});

describe('a receiver whose flow may send less than a frame a round trip', () => {
  it.each([
    [{ min_frames: 0.1 }, 1 - (7 / 8) ** 2],
    [{}, 1 / 8],
  ])('takes the time between two samples for as many of them (%j)', (creditParameters, weight) => {
    const bench = new ReceiverBench({ creditAlgorithm: 'ec4', creditParameters });
    const samples: number[] = [];
    bench.flow.observer = { onCredit: () => {}, onAck: () => {}, onRtt: (rttNs) => samples.push(rttNs) };
    bench.open().wait(0);
    bench.nowNs = 10 * MILLISECOND_NS;
    bench.data(0, 0);
    bench.nowNs = 29 * MILLISECOND_NS;
    bench.wait(0);
    bench.nowNs = 30 * MILLISECOND_NS;
    bench.data(100, bench.flow.statistics.creditsSent - 1);
    const [first, second] = samples;
    expect(bench.flow.statistics.rttNs).toBeCloseTo(first + weight * (second - first), 3);
  });
});

describe('an observer of a receiver', () => {
  it('sees each credit go out and each RTT', () => {
    const bench = new ReceiverBench();
    const events: string[] = [];
    bench.flow.observer = {
      onCredit: (nowNs) => events.push(`credit at ${nowNs}`),
      onAck: () => {},
      onRtt: (rttNs) => events.push(`rtt ${rttNs}`),
    };
    bench.open().wait(1_000);
    bench.data(0);
    expect(events).toEqual(['credit at 0', 'rtt 1000']);
  });
});

describe('a flow that is idle', () => {
  const creditsUsed = (bench: ReceiverBench) => bench.flow.statistics.creditsUsed;

  /** Has had data for its first credit and was stopped; credits behind it were on their way. */
  function stopped(): ReceiverBench {
    const bench = new ReceiverBench().proved();
    bench.wait(1e6);
    bench.stop();
    return bench;
  }

  it('gives its book of credits back when a CREDIT_STOP only keeps it alive: an echo is of a credit that is forgotten', () => {
    const bench = stopped();
    bench.wait(3e9);
    bench.stop();
    expect(bench.flow.statistics.creditsOutstanding).toBe(0);
    bench.data(100, 1);
    expect([creditsUsed(bench), bench.reader.received, bench.context.counters.lateEchoes]).toEqual([1, 200, 1]);
    bench.request();
    bench.wait(1e6);
    expect(bench.credits()).toBeGreaterThan(10);
  });

  it('keeps it when the CREDIT_STOP is soon repeated: what was under way may still come', () => {
    const bench = stopped();
    bench.wait(1e6);
    bench.stop();
    bench.data(100, 1);
    expect([creditsUsed(bench), bench.reader.received]).toEqual([2, 200]);
  });
});
