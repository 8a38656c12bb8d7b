import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../src/base/time.js';
import { endpointConfig } from '../../src/core/config.js';
import { NO_OBSERVER } from '../../src/core/flow-callbacks.js';
import { Probe } from '../../src/core/probe.js';
import { RttEstimator } from '../../src/core/rtt.js';
import type { SENDER_TIMERS } from '../../src/core/timers.js';
import { FLOW_HEADER } from '../harness/flow-context.js';
import { SenderBench } from '../harness/sender-bench.js';

const PAYLOAD = 1_446;
const STOP_NS = 500_000;

/** The first word of each line. */
function types(lines: string[]): string[] {
  return lines.map((line) => line.split(' ')[0]);
}

function inCreditRequestSent(): SenderBench {
  const bench = new SenderBench();
  bench.write(10 * PAYLOAD);
  bench.context.sent();
  return bench;
}

/** Has sent `frames` full frames and holds one more. */
function inCreditReceiving(frames = 1): SenderBench {
  const bench = new SenderBench();
  bench.write((frames + 1) * PAYLOAD);
  bench.wait(MILLISECOND_NS);
  for (let frame = 0; frame < frames; frame++) bench.credit();
  bench.context.sent();
  return bench;
}

function inCreditStopSent(frames = 1): SenderBench {
  const bench = new SenderBench().sendFrames(frames).wait(STOP_NS);
  bench.context.sent();
  return bench;
}

function inFinSent(frames = 1): SenderBench {
  const bench = new SenderBench();
  bench.write(frames * PAYLOAD);
  bench.end();
  for (let frame = 0; frame < frames; frame++) bench.credit();
  bench.context.sent();
  return bench;
}

describe('a sender in CLOSED', () => {
  it('asks for credits when data is written', () => {
    const bench = new SenderBench();
    bench.write(100);
    expect(bench.state).toBe('creditRequestSent');
    expect(bench.context.sent()).toEqual([
      'CREDIT_REQUEST [OPEN] sent=0 probe=1 max=1472 paired=0x00000000 backlog=100 weight=1',
    ]);
  });

  it('does nothing and waits for nothing before that', () => {
    const bench = new SenderBench();
    bench.write(0);
    bench.credit();
    bench.ack(0, { probe: 0 });
    bench.wait(100 * SECOND_NS);
    expect(bench.state).toBe('closed');
    expect(bench.context.sent()).toEqual([]);
    bench.write(100);
    expect(bench.context.sent()[0]).toContain('[OPEN]');
  });
});

describe('a sender in CREQ_SENT', () => {
  it('spends the first credit and goes to CREDIT_RECEIVING', () => {
    const bench = inCreditRequestSent();
    bench.credit(77);
    expect(bench.state).toBe('creditReceiving');
    expect(bench.context.sent()).toEqual(['DATA credit=77 offset=0 payload=1446 unused=0']);
  });

  it('repeats the request after the retransmission time, then after twice the time, up to 1 s', () => {
    const bench = inCreditRequestSent();
    const timesNs: number[] = [];
    while (bench.nowNs < 4 * SECOND_NS) {
      bench.wait(MILLISECOND_NS);
      if (bench.context.sent().length > 0) timesNs.push(bench.nowNs / MILLISECOND_NS);
    }
    // Eight of the 25 ms by which the first may be late fall to this flow's id.
    expect(timesNs).toEqual([108, 308, 708, 1_508, 2_508, 3_508]);
  });

  it('leaves OPEN out once an ACK has come, and stays until there is a credit', () => {
    const bench = inCreditRequestSent();
    bench.ack(0, { paused: true });
    expect(bench.state).toBe('creditRequestSent');
    bench.wait(SECOND_NS);
    expect(bench.context.sent()[0]).toMatch(/^CREDIT_REQUEST sent=0/);
  });

  it('ends an empty stream with FIN at the first credit, which is unused', () => {
    const bench = new SenderBench();
    bench.end();
    bench.context.sent();
    bench.credit();
    expect(bench.state).toBe('finSent');
    expect(bench.context.sent()).toEqual(['FIN final=0 probe=2 unused=0']);
    expect(bench.flow.statistics.creditsUnused).toBe(1);
  });

  it('ends an empty stream with FIN at the first ACK', () => {
    const bench = new SenderBench();
    bench.end();
    bench.ack(0);
    expect(bench.state).toBe('finSent');
  });

  it('goes on without a credit when an ACK shows that what was lost has arrived', () => {
    const bench = inCreditStopSent(5);
    bench.ack(0, { ranges: [[PAYLOAD, 5 * PAYLOAD]] });
    expect(bench.state).toBe('creditRequestSent');
    bench.ack(5 * PAYLOAD);
    expect(bench.state).toBe('creditReceiving');
    bench.context.sent();
    bench.wait(5 * MILLISECOND_NS);
    expect(bench.state).toBe('creditStopSent');
  });
});

describe('a sender in CREDIT_RECEIVING', () => {
  it('spends each credit on the next bytes, with its sequence, path and mark, and says END with the last byte', () => {
    const bench = new SenderBench();
    bench.write(PAYLOAD + 5);
    bench.end();
    bench.context.sent();
    bench.credit(2 ** 20 - 1);
    bench.credit(0, { ce: true, pathId: 9 });
    expect(bench.context.sent()).toEqual([
      'DATA credit=1048575 offset=0 payload=1446 unused=0',
      'DATA [END CREDIT_CE] credit=0 offset=1446 payload=5 unused=0',
      'FIN final=1451 probe=2 unused=0',
    ]);
  });

  it('sends the same frames for lengths as for bytes, whatever the send buffer holds', () => {
    const bench = new SenderBench({ sendBufferBytes: 65_536 });
    const { flow } = bench;
    flow.writeLength(70_000, 0);
    flow.writeLength(0, 0);
    flow.end(0);
    bench.sendDue();
    bench.context.sent();
    for (let credit = 0; credit < 49; credit++) bench.credit();
    const sent = bench.context.sent();
    expect(sent[0]).toBe('DATA credit=0 offset=0 payload=1446 unused=0');
    expect(sent.slice(48)).toEqual([
      'DATA [END] credit=48 offset=69408 payload=592 unused=0',
      'FIN final=70000 probe=2 unused=0',
    ]);
    expect(flow.unsentBytes).toBe(0);
  });

  it('ignores a credit that it has seen, and counts it', () => {
    const bench = inCreditReceiving();
    bench.credit(0);
    expect(bench.context.sent()).toEqual([]);
    expect(bench.context.counters.duplicateCredits).toBe(1);
  });

  it('counts a credit that finds no data, and says so in the next frame', () => {
    const bench = inCreditReceiving();
    for (let credit = 0; credit < 4; credit++) bench.credit();
    expect(bench.flow.statistics.creditsUnused).toBe(3);
    bench.write(10);
    bench.context.sent();
    bench.credit();
    expect(bench.context.sent()).toEqual(['DATA credit=5 offset=2892 payload=10 unused=3']);
  });

  it('does not put that timeout off for writes and ACKs that come meanwhile', () => {
    const bench = inCreditReceiving();
    for (let turn = 0; turn < 20; turn++) {
      bench.wait(MILLISECOND_NS);
      bench.write(10);
      bench.ack(0);
    }
    expect(bench.state).toBe('creditRequestSent');
  });

  it('counts that timeout from when there is data, not from the last credit', () => {
    const bench = new SenderBench({ stopTimeoutNs: SECOND_NS, backlogWaitNs: 0 })
      .sendFrames(1)
      .wait(50 * MILLISECOND_NS);
    bench.write(10);
    bench.wait(20 * MILLISECOND_NS - 1);
    expect(bench.state).toBe('creditReceiving');
    bench.wait(1);
    expect(bench.state).toBe('creditRequestSent');
  });

  it('says that there is more than it told of, or asks for more where no frame is left to say so', () => {
    const bench = inCreditReceiving();
    bench.credit();
    expect(bench.context.sent()).toEqual(['DATA credit=1 offset=1446 payload=1446 unused=0']);
    bench.write(PAYLOAD);
    bench.write(PAYLOAD);
    expect(bench.context.sent()).toEqual([
      'CREDIT_REQUEST sent=2892 probe=2 max=1472 paired=0x00000000 backlog=1446 weight=1',
    ]);
    bench.credit();
    bench.credit();
    bench.write(1);
    expect(bench.context.sent()).toEqual([
      'DATA [MORE] credit=2 offset=2892 payload=1446 unused=0',
      'DATA [MORE] credit=3 offset=4338 payload=1446 unused=0',
    ]);
    expect(bench.state).toBe('creditReceiving');
  });

  it('tells of all that is written in one turn', () => {
    const bench = new SenderBench();
    bench.flow.write(new Uint8Array(8), 0);
    bench.flow.write(new Uint8Array(4_000), 0);
    bench.sendDue();
    expect(bench.context.sent()).toEqual([
      'CREDIT_REQUEST [OPEN] sent=0 probe=1 max=1472 paired=0x00000000 backlog=4008 weight=1',
    ]);
    bench.credit();
    expect(bench.context.sent()).toEqual(['DATA credit=0 offset=0 payload=1446 unused=0']);
  });

  it('does not stop when data comes in time', () => {
    const bench = new SenderBench({ backlogWaitNs: 0 }).sendFrames(1).wait(STOP_NS - 1);
    bench.write(PAYLOAD);
    bench.wait(STOP_NS);
    expect(bench.state).toBe('creditReceiving');
  });

  it('sends FIN when everything is sent and the application ends the stream', () => {
    const bench = new SenderBench().sendFrames(1);
    bench.end();
    expect(bench.state).toBe('finSent');
    expect(bench.context.sent()).toEqual(['FIN final=1446 probe=2 unused=0']);
  });

  it('sends FIN when an ACK shows that nothing is left to repair', () => {
    const bench = inFinSent(8);
    bench.ack(0, {
      ranges: [
        [PAYLOAD, 2 * PAYLOAD],
        [3 * PAYLOAD, 8 * PAYLOAD],
      ],
    });
    bench.credit();
    expect(bench.state).toBe('creditReceiving');
    bench.context.sent();
    bench.ack(8 * PAYLOAD);
    expect(bench.state).toBe('finSent');
    expect(types(bench.context.sent())).toEqual(['FIN']);
  });
});

describe('a sender in CSTOP_SENT', () => {
  it('asks for credits when data is written', () => {
    const bench = inCreditStopSent();
    bench.write(7);
    expect(bench.state).toBe('creditRequestSent');
    expect(bench.context.sent()).toEqual([
      'CREDIT_REQUEST sent=1446 probe=3 max=1472 paired=0x00000000 backlog=7 weight=1',
    ]);
  });

  it('asks for credits when the answer to the stop shows a loss', () => {
    const bench = inCreditStopSent(2);
    bench.ack(PAYLOAD);
    expect(bench.state).toBe('creditRequestSent');
    bench.context.sent();
    bench.credit();
    expect(bench.context.sent()).toEqual(['DATA [REPAIR] credit=2 offset=1446 payload=1446 unused=0']);
  });

  it('repeats the stop while bytes are not acknowledged', () => {
    const bench = inCreditStopSent().wait(100 * MILLISECOND_NS);
    expect(bench.context.sent()).toEqual(['CREDIT_STOP sent=1446 probe=3 unused=0']);
    bench.wait(200 * MILLISECOND_NS);
    expect(types(bench.context.sent())).toEqual(['CREDIT_STOP']);
  });

  it('counts a credit as unused', () => {
    const bench = inCreditStopSent();
    bench.credit();
    expect(bench.state).toBe('creditStopSent');
    expect(bench.flow.statistics.creditsUnused).toBe(1);
    expect(bench.context.sent()).toEqual([]);
  });

  it('sends FIN when the application ends the stream', () => {
    const bench = inCreditStopSent();
    bench.end();
    expect(bench.state).toBe('finSent');
    expect(bench.context.sent()).toEqual(['FIN final=1446 probe=3 unused=0']);
  });
});

describe('a sender in FIN_SENT', () => {
  it('asks for credits when an ACK shows a loss, repairs it with END and sends FIN again', () => {
    const bench = inFinSent(2);
    bench.ack(PAYLOAD);
    expect(bench.state).toBe('creditRequestSent');
    bench.context.sent();
    bench.credit();
    expect(bench.state).toBe('finSent');
    expect(bench.context.sent()).toEqual([
      'DATA [END REPAIR] credit=2 offset=1446 payload=1446 unused=0',
      'FIN final=2892 probe=4 unused=0',
    ]);
  });

  it('counts a credit as unused', () => {
    const bench = inFinSent();
    bench.credit();
    expect(bench.state).toBe('finSent');
    expect(bench.flow.statistics.creditsUnused).toBe(1);
  });

  it('is done with the ACK that says COMPLETE, and tells nobody more', () => {
    const bench = inFinSent();
    bench.ack(PAYLOAD);
    expect(bench.writer.events).toEqual([]);
    bench.ack(PAYLOAD, { complete: true });
    expect(bench.state).toBe('closed');
    expect(bench.writer.events).toEqual(['closed in order']);
    bench.context.sent();
    bench.wait(60 * SECOND_NS);
    expect(bench.context.sent()).toEqual([]);
    expect(bench.context.forgotten).toBe(1);
  });

  it('is not done with COMPLETE before every byte is acknowledged', () => {
    const bench = inFinSent(2);
    bench.ack(PAYLOAD, { complete: true });
    expect(bench.writer.events).toEqual([]);
  });
});

interface TimerCase {
  bench: () => SenderBench;
  /** When it fires after that. */
  afterNs: number;
  sends: string[];
  state: string;
}

/** The retransmission time, and the part of a quarter of it that the flow's id gives. */
const REQUEST_NS = (() => {
  const probe = new Probe(new RttEstimator(endpointConfig()), endpointConfig());
  probe.send(0, 0, false);
  return probe.requestDeadlineNs(FLOW_HEADER.flowId);
})();

/** Each timer of the table, so that the table names all and no others. */
const TIMERS: Record<keyof typeof SENDER_TIMERS, TimerCase> = {
  request: { bench: inCreditRequestSent, afterNs: REQUEST_NS, sends: ['CREDIT_REQUEST'], state: 'creditRequestSent' },
  credit: { bench: inCreditReceiving, afterNs: 20e6, sends: ['CREDIT_REQUEST'], state: 'creditRequestSent' },
  stop: {
    bench: () => new SenderBench().sendFrames(1),
    afterNs: STOP_NS,
    sends: ['CREDIT_STOP'],
    state: 'creditStopSent',
  },
  probe: { bench: inCreditStopSent, afterNs: 100e6, sends: ['CREDIT_STOP'], state: 'creditStopSent' },
  keepAlive: {
    bench: () => {
      const bench = inCreditStopSent();
      bench.ack(PAYLOAD);
      return bench;
    },
    afterNs: 10e9 / 3,
    sends: ['CREDIT_STOP'],
    state: 'creditStopSent',
  },
  fin: { bench: inFinSent, afterNs: 100e6, sends: ['FIN'], state: 'finSent' },
  connect: {
    bench: () => {
      const bench = inCreditRequestSent().wait(4.9e9);
      bench.context.sent();
      return bench;
    },
    afterNs: 0.1e9,
    sends: [],
    state: 'closed',
  },
  idle: {
    bench: () => {
      const bench = inFinSent();
      bench.ack(PAYLOAD);
      bench.wait(9.9e9);
      bench.context.sent();
      return bench;
    },
    afterNs: 0.1e9,
    sends: ['RESET'],
    state: 'closed',
  },
};

describe('the timers of a sender', () => {
  it.each(Object.entries(TIMERS))('%s fires on time and does what the table says', (_, timer) => {
    const bench = timer.bench();
    bench.wait(timer.afterNs - 2);
    expect(bench.context.sent()).toEqual([]);
    bench.wait(4);
    expect(types(bench.context.sent())).toEqual(timer.sends);
    expect(bench.state).toBe(timer.state);
  });

  it('report a peer that never answered as unreachable, one that fell silent as idle', () => {
    const unreachable = inCreditRequestSent().wait(5 * SECOND_NS);
    expect(unreachable.writer.events).toEqual(['closed unreachable']);
    const idle = inCreditReceiving().wait(10 * SECOND_NS);
    expect(idle.writer.events).toEqual(['closed idle']);
    expect(idle.context.sent().at(-1)).toBe('RESET code=IDLE');
  });
});

describe('an observer of a sender', () => {
  it('sees each credit come, duplicates left out', () => {
    const bench = inCreditRequestSent();
    const seenNs: number[] = [];
    bench.flow.observer = { ...NO_OBSERVER, onCredit: (nowNs) => seenNs.push(nowNs) };
    bench.wait(10);
    bench.credit(5);
    bench.credit(5);
    bench.wait(10);
    bench.credit(6);
    expect(seenNs).toEqual([10, 20]);
  });
});
