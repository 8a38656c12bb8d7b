import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { NO_OBSERVER } from '../../src/core/flow-callbacks.js';
import { ReceiverBench } from '../harness/receiver-bench.js';
import { SenderBench } from '../harness/sender-bench.js';

const PAYLOAD = 1_446;
/** A full frame of 1538 wire bytes on the sender's link of 1 Gbit/s. */
const FRAME_NS = 12_304;
/** 81 full frames: more than the least receive window, which holds 45. */
const SPECULATIVE = { rateBps: 1e9, speculativeRttNs: MILLISECOND_NS };
const WINDOW_FRAMES = 45;
const CHUNK = new Uint8Array(WINDOW_FRAMES * PAYLOAD);

/** Its opening and 100 bytes were answered without a credit. */
function resting(changes: object = {}): SenderBench {
  const bench = new SenderBench({ ...SPECULATIVE, ...changes });
  bench.write(100);
  bench.wait(50_000);
  bench.ack(100);
  bench.context.sent();
  return bench;
}

/** The names of what was sent since the last call. */
function names(bench: SenderBench): string[] {
  return bench.context.sent().map((line) => line.split(/ (?=\w+=)/)[0]);
}

const DATA = 'SPECULATIVE_DATA';
const PROBE = 'CREDIT_REQUEST [SPECULATIVE COVERED]';

describe('a resting flow of a host that speculates', () => {
  it('sends what is written at once, with a probe behind it and no request before', () => {
    const bench = resting();
    bench.write(3_000);
    bench.wait(2 * FRAME_NS);
    expect(names(bench)).toEqual([DATA, DATA, DATA, PROBE]);
    bench.ack(3_100);
    expect([bench.state, names(bench)]).toEqual(['creditStopSent', []]);
  });

  it('counts the frames of all its bursts, although it forgets each at rest', () => {
    const bench = resting();
    bench.write(3_000);
    bench.wait(2 * FRAME_NS);
    bench.ack(3_100);
    bench.write(100);
    bench.wait(FRAME_NS);
    bench.ack(3_200);
    expect([bench.state, bench.flow.statistics.speculativeFrames]).toEqual(['creditStopSent', 5]);
  });

  it('keeps alive by CREDIT_STOP, as any flow at rest', () => {
    const bench = resting().wait(3_340 * MILLISECOND_NS);
    expect(names(bench)).toEqual(['CREDIT_STOP']);
  });

  it('asks for credits at once for what is beyond the window, and sends no more than that without', () => {
    const bench = resting();
    bench.write(60 * PAYLOAD);
    expect(names(bench)).toEqual(['CREDIT_REQUEST [SPECULATIVE]', DATA]);
    bench.wait(80 * FRAME_NS);
    const sent = names(bench);
    expect(sent).toHaveLength(WINDOW_FRAMES);
    expect(sent.at(-1)).toBe('CREDIT_REQUEST [SPECULATIVE]');
    expect(sent.slice(0, -1)).toEqual(sent.slice(0, -1).fill(DATA));
  });

  it('asks for credits where its program writes whenever it is told: it would go from burst to burst, a window in each round trip', () => {
    const bench = resting();
    const { flow } = bench;
    flow.observer = { ...NO_OBSERVER, onAck: (nowNs) => flow.unsentBytes === 0 && flow.write(CHUNK, nowNs) };
    bench.write(CHUNK.length);
    names(bench);
    bench.wait(80 * FRAME_NS);
    expect(names(bench).at(-1)).toBe('CREDIT_REQUEST [SPECULATIVE]');
  });

  it('sends what its program writes when it is told in the same burst, as far as the window goes', () => {
    const bench = resting();
    const { flow } = bench;
    let parts = 3;
    flow.observer = { ...NO_OBSERVER, onAck: (nowNs) => parts-- > 0 && flow.write(CHUNK.subarray(0, 100), nowNs) };
    bench.write(100);
    bench.wait(80 * FRAME_NS);
    expect(names(bench)).toEqual([DATA, DATA, DATA, DATA, PROBE]);
  });

  it('goes on while the answer to a burst is under way, within the window', () => {
    const bench = resting();
    bench.write(100);
    bench.write(200);
    bench.write(300);
    expect(names(bench)).toEqual([DATA, PROBE]);
    bench.wait(FRAME_NS);
    // The second write and the third have found the link free and went together.
    expect(names(bench)).toEqual([DATA, PROBE]);
    bench.write(50 * PAYLOAD);
    bench.wait(80 * FRAME_NS);
    const sent = names(bench);
    expect(sent.filter((name) => name === DATA)).toHaveLength(WINDOW_FRAMES - 1);
    expect(sent.filter((name) => name !== DATA)).toEqual([
      'CREDIT_REQUEST [SPECULATIVE]',
      'CREDIT_REQUEST [SPECULATIVE]',
    ]);
    bench.write(100);
    expect(names(bench)).toEqual([]);
  });

  it('takes nothing off its window for what credits have released before, whose ACK waits', () => {
    const bench = resting();
    bench.write(WINDOW_FRAMES * PAYLOAD + 14 * PAYLOAD);
    bench.wait(80 * FRAME_NS);
    const sentBytes = 100 + WINDOW_FRAMES * PAYLOAD;
    bench.ack(sentBytes);
    for (let credit = 0; credit < 14; credit++) bench.credit();
    names(bench);
    bench.wait(MILLISECOND_NS);
    bench.write(WINDOW_FRAMES * PAYLOAD);
    bench.wait(80 * FRAME_NS);
    expect(names(bench).filter((name) => name === DATA)).toHaveLength(WINDOW_FRAMES);
  });

  it('does not while its receiver is PAUSED, after a loss, or where nothing told it to', () => {
    const paused = resting();
    paused.write(100);
    paused.ack(200, { paused: true });
    names(paused);
    paused.write(100);
    expect(names(paused)).toEqual(['CREDIT_REQUEST']);
    const without = resting({ speculativeRttNs: 0 });
    without.write(100);
    expect(names(without)).not.toContain(DATA);
  });

  it('does not before a data frame that a credit released after a loss, and all before it, is acknowledged; then with half the window', () => {
    const bench = resting();
    bench.write(20 * PAYLOAD);
    bench.wait(20 * FRAME_NS);
    const end = 100 + 20 * PAYLOAD;
    bench.ack(end - PAYLOAD);
    bench.credit();
    expect(names(bench).slice(-1)).toEqual(['DATA [REPAIR]']);
    bench.ack(end - PAYLOAD);
    bench.wait(MILLISECOND_NS);
    names(bench);
    bench.write(100);
    expect(names(bench)).toEqual(['CREDIT_REQUEST']);
    bench.credit();
    bench.ack(end + 100);
    bench.wait(100 * MILLISECOND_NS);
    bench.ack(end + 100);
    names(bench);
    bench.write(60 * PAYLOAD);
    bench.wait(80 * FRAME_NS);
    expect(names(bench).filter((name) => name === DATA)).toHaveLength(22);
  });

  it('stops the burst at a credit, and its credits once nothing is left', () => {
    const bench = resting();
    bench.write(3 * PAYLOAD);
    bench.credit();
    expect(names(bench)).toEqual([DATA, 'CREDIT_REQUEST [SPECULATIVE]', 'DATA']);
    bench.credit();
    bench.ack(100 + 3 * PAYLOAD);
    bench.wait(2 * MILLISECOND_NS);
    expect(names(bench)).toEqual(['DATA', 'CREDIT_STOP']);
  });

  it('stops credits that come although it asked for none', () => {
    const bench = resting();
    bench.credit();
    bench.wait(2 * MILLISECOND_NS);
    expect([bench.state, names(bench)]).toEqual(['creditStopSent', ['CREDIT_STOP']]);
  });

  it('keeps no sprayed credit that came although it asked for none, and asks for others', () => {
    const bench = resting({ speculativeRttNs: 1 });
    bench.credit(0, { pathId: 3 });
    bench.write(PAYLOAD);
    bench.write(PAYLOAD);
    bench.wait(2 * FRAME_NS);
    expect(names(bench)).toEqual(['CREDIT_STOP', DATA, PROBE, 'CREDIT_REQUEST [SPECULATIVE]']);
  });

  it('does not count on MORE where the burst asked for no credits, though a late one has come', () => {
    const bench = resting();
    bench.write(100);
    bench.credit(0, { pathId: 3 });
    bench.ack(200);
    names(bench);
    bench.write(10);
    bench.write(10);
    expect(names(bench)).toEqual(['DATA [MORE]', 'CREDIT_REQUEST']);
  });

  it('has no second CREDIT_STOP for a credit that comes behind the answer to the first', () => {
    const bench = resting();
    bench.write(PAYLOAD);
    bench.credit();
    bench.ack(100 + PAYLOAD);
    bench.wait(2 * MILLISECOND_NS);
    expect(names(bench).at(-1)).toBe('CREDIT_STOP');
    bench.ack(100 + PAYLOAD);
    bench.credit();
    bench.wait(2 * MILLISECOND_NS);
    expect([bench.state, names(bench)]).toEqual(['creditStopSent', []]);
  });

  it('uses the credits that come anyway', () => {
    const bench = new SenderBench({ ...SPECULATIVE, backlogWaitNs: 0 });
    bench.write(100);
    bench.ack(100);
    bench.credit();
    names(bench);
    bench.write(100);
    expect(names(bench)).toEqual([]);
    bench.credit();
    expect(names(bench)).toEqual(['DATA [MORE]']);
  });

  it('repeats the probe where neither it nor its answer came through', () => {
    const bench = resting();
    bench.write(100);
    names(bench);
    bench.wait(20 * MILLISECOND_NS);
    expect(names(bench)).toEqual([PROBE]);
    bench.ack(200);
    expect([bench.state, names(bench)]).toEqual(['creditStopSent', []]);
  });

  it('is done where an ACK shows that all has arrived, whatever became of the probe', () => {
    const bench = resting();
    bench.write(100);
    names(bench);
    bench.ack(200, { probe: 0 });
    expect(bench.state).toBe('creditStopSent');
    bench.wait(1_000 * MILLISECOND_NS);
    expect(names(bench)).toEqual([]);
  });

  it('sends FIN once the burst has arrived', () => {
    const bench = resting();
    bench.write(100);
    bench.end();
    names(bench);
    bench.ack(200);
    expect(names(bench)).toEqual(['FIN']);
  });

  it('waits with sprayed data until that is acknowledged: a probe would take what other paths carry for lost', () => {
    const bench = resting();
    bench.write(60 * PAYLOAD);
    bench.wait(80 * FRAME_NS);
    for (let credit = 0; credit < 60; credit++) bench.credit(credit, { pathId: 1 + (credit % 4) });
    bench.ack(50 * PAYLOAD);
    bench.wait(2 * MILLISECOND_NS);
    names(bench);
    bench.write(100);
    expect(names(bench)).toEqual(['CREDIT_REQUEST']);
    bench.ack(200 + 60 * PAYLOAD);
  });
});

describe('a flow that was opened before it has bytes', () => {
  it('sends them at once, before the answer too', () => {
    const bench = new SenderBench(SPECULATIVE);
    bench.flow.open(0);
    bench.sendDue();
    expect(names(bench)).toEqual(['CREDIT_REQUEST [OPEN]']);
    bench.write(100);
    expect(names(bench)).toEqual([DATA, 'CREDIT_REQUEST [OPEN SPECULATIVE COVERED]']);
    bench.ack(0, { probe: 1 });
    expect(names(bench)).toEqual([]);
    bench.ack(100);
    bench.wait(2 * MILLISECOND_NS);
    expect([bench.state, names(bench)]).toEqual(['creditStopSent', ['CREDIT_STOP']]);
  });

  it('waits for the answer where the request had to be repeated', () => {
    const bench = new SenderBench(SPECULATIVE);
    bench.flow.open(0);
    bench.sendDue();
    bench.wait(150 * MILLISECOND_NS);
    names(bench);
    bench.write(100);
    expect(names(bench)).toEqual([]);
    bench.ack(0);
    expect(names(bench)).toEqual([DATA, PROBE]);
  });
});

describe('a receiver of bursts', () => {
  it('says PAUSED while its reader leaves no room, also when no credits run', () => {
    const bench = new ReceiverBench({ receiveWindowBytes: 65_536 });
    bench.reader.onBytes = () => {};
    bench.burst(0, 65_000);
    for (let offset = 0; offset < 65_000; offset += 1_000) bench.speculative(offset, { length: 1_000 });
    bench.context.sent();
    bench.burst(65_000, 0);
    expect(bench.context.sent()).toEqual(['ACK [PAUSED] cumulative=65000 probe=2 ranges=none']);
    bench.flow.release(65_000, bench.nowNs);
    bench.burst(65_000, 0);
    expect(bench.context.sent()).toEqual(['ACK cumulative=65000 probe=3 ranges=none']);
  });

  it('does not take the time between two bursts for a gap between frames', () => {
    const bench = new ReceiverBench().burst(0, 100);
    for (let burst = 0; burst < 8; burst++) {
      bench.speculative(burst * 100);
      bench.burst((burst + 1) * 100, 0);
      bench.wait(1_000 * MILLISECOND_NS);
    }
    bench.context.sent();
    bench.speculative(800);
    bench.wait(5 * MILLISECOND_NS);
    expect(bench.context.sent()).toEqual(['ACK cumulative=900 probe=9 ranges=none']);
  });
});
