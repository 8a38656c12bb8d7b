import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { CreditedSender } from '../../src/core/credited-sender.js';
import { FLOW_HEADER, FLOW_PEER } from '../harness/flow-context.js';
import { SenderBench } from '../harness/sender-bench.js';

const P = 1_446;
/** Before a first RTT sample. PROTOCOL §5.5 */
const RETRANSMIT_NS = 100 * MILLISECOND_NS;

function credit(bench: SenderBench, credits: number): void {
  for (let each = 0; each < credits; each++) bench.credit(undefined, { pathId: 1 + (each % 4) });
}

/** A flow whose credits come by four paths; it has sent `frames` frames and has more. */
function sprayed(frames: number, changes = {}): SenderBench {
  const bench = new SenderBench({ creditTimeoutNs: 50_000 * MILLISECOND_NS, ...changes });
  bench.write(1_000 * P);
  credit(bench, frames);
  bench.context.sent();
  return bench;
}

/** Offsets, in frames, of the repairs among what the next `credits` credits release. */
function repairs(bench: SenderBench, credits: number): number[] {
  bench.context.sent();
  credit(bench, credits);
  const lines = bench.context.sent().filter((line) => line.includes('REPAIR'));
  return lines.map((line) => Number(/offset=(\d+)/.exec(line)?.[1]) / P);
}

describe('a sender whose credits come by several paths', () => {
  it('does not take disorder for loss, however many frames have overtaken', () => {
    const bench = sprayed(200);
    bench.ack(P, { ranges: [[2 * P, 190 * P]], probe: 0 });
    bench.wait(RETRANSMIT_NS / 2);
    bench.ack(P, { ranges: [[2 * P, 195 * P]], probe: 0 });
    expect(repairs(bench, 4)).toEqual([]);
  });

  it('repairs what was sent a retransmission time ago and has not arrived, and nothing younger', () => {
    const bench = sprayed(20);
    bench.ack(P, { ranges: [[2 * P, 10 * P]], probe: 0 });
    bench.wait(RETRANSMIT_NS * 0.6);
    credit(bench, 20);
    bench.wait(RETRANSMIT_NS * 0.4);
    bench.ack(P, {
      ranges: [
        [2 * P, 20 * P],
        [21 * P, 40 * P],
      ],
      probe: 0,
    });
    expect(repairs(bench, 4)).toEqual([1]);
    bench.wait(RETRANSMIT_NS * 0.5);
    bench.ack(20 * P, { ranges: [[21 * P, 40 * P]], probe: 0 });
    expect(repairs(bench, 1)).toEqual([]);
    bench.wait(RETRANSMIT_NS * 0.5);
    bench.ack(20 * P, { ranges: [[21 * P, 40 * P]], probe: 0 });
    expect(repairs(bench, 1)).toEqual([20]);
  });

  it('repairs a repair that is lost, once it is as old', () => {
    const bench = sprayed(20);
    bench.ack(P, { ranges: [[2 * P, 10 * P]], probe: 0 });
    bench.wait(RETRANSMIT_NS);
    bench.ack(P, { ranges: [[2 * P, 20 * P]], probe: 0 });
    expect(repairs(bench, 1)).toEqual([1]);
    bench.wait(RETRANSMIT_NS - 1);
    bench.ack(P, { ranges: [[2 * P, 20 * P]], probe: 0 });
    expect(repairs(bench, 1)).toEqual([]);
    bench.wait(1);
    bench.ack(P, { ranges: [[2 * P, 20 * P]], probe: 0 });
    expect(repairs(bench, 1)).toEqual([1]);
  });

  it('does not take the frames behind a FIN that overtook them for lost, and repairs them when they stay away', () => {
    const bench = new SenderBench();
    bench.write(4 * P);
    bench.end();
    credit(bench, 4);
    expect(bench.state).toBe('finSent');
    bench.ack(2 * P);
    expect(bench.state).toBe('finSent');
    bench.wait(RETRANSMIT_NS);
    bench.ack(2 * P);
    expect(bench.state).toBe('creditRequestSent');
    expect(repairs(bench, 2)).toEqual([2, 3]);
  });

  it('takes what is missing for lost at the first answer, where that answers a FIN that was repeated', () => {
    const bench = new SenderBench();
    bench.write(4 * P);
    bench.end();
    credit(bench, 4);
    bench.wait(RETRANSMIT_NS);
    bench.ack(2 * P);
    expect(bench.state).toBe('creditRequestSent');
  });

  it('sends its own frames by the path of the latest credit', () => {
    const bench = sprayed(999);
    bench.credit(5_000, { pathId: 7 });
    bench.context.sent();
    bench.wait(MILLISECOND_NS);
    expect(bench.context.sent().join()).toMatch(/STOP/);
    expect(bench.context.sentPaths).toEqual([7]);
  });
});

describe('the next flow to a peer whose credits come by several paths', () => {
  /** A flow after another, which got a credit by path 7 or none at all; it has written a frame and asked for credits. */
  function secondFlow(firstsPath: number) {
    const bench = new SenderBench();
    bench.write(P);
    if (firstsPath > 0) bench.credit(0, { pathId: firstsPath });
    const { context, writer } = bench;
    const options = { slot: 4, header: { ...FLOW_HEADER, flowId: 5 }, peer: FLOW_PEER, frameBytes: 1472 };
    const flow = new CreditedSender(
      context,
      writer,
      { ...options, pairedFlowId: 0, isReactive: false, weight: 1, isLowClass: false, isDuplex: false },
      0,
    );
    context.sent();
    flow.write(new Uint8Array(P), 0);
    flow.sendDue(0);
    return { flow, context };
  }

  it('asks by the path of the latest credit from that peer, and by another when it gets no answer', () => {
    const { flow, context } = secondFlow(7);
    expect(context.sent().join()).toMatch(/^CREDIT_REQUEST/);
    expect(context.sentPaths).toEqual([7]);
    const paths = new Set<number>();
    let nowNs = 0;
    for (let repetition = 0; repetition < 5; repetition++) {
      nowNs += 4 * RETRANSMIT_NS;
      flow.onTimer(nowNs);
      context.sent();
      for (const path of context.sentPaths) paths.add(path);
    }
    expect(paths.size).toBeGreaterThan(2);
    expect(paths).not.toContain(0);
  });

  it('asks by its own path where no credit has come by another, again and again', () => {
    const { flow, context } = secondFlow(0);
    flow.onTimer(20 * RETRANSMIT_NS);
    expect(context.sent()).toHaveLength(2);
    expect(context.sentPaths).toEqual([0, 0]);
  });
});

describe('a credit that finds no data', () => {
  it('waits for it, and is spent with its own path and mark', () => {
    const bench = sprayed(1_000);
    bench.credit(5_000, { pathId: 4, ce: true });
    bench.credit(5_001, { pathId: 2 });
    expect(bench.context.sent()).toEqual([]);
    bench.write(3 * P);
    const sent = bench.context.sent();
    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatch(/CREDIT_CE.*credit=5000 .*unused=0/);
    expect(sent[1]).toMatch(/DATA \[MORE\] credit=5001 /);
    expect(bench.context.sentPaths).toEqual([4, 2]);
    expect(bench.flow.statistics.creditsUnused).toBe(0);
  });

  it('goes as unused when none comes in a small period', () => {
    const bench = sprayed(1_000);
    bench.credit(5_000, { pathId: 4 });
    bench.wait(MILLISECOND_NS);
    expect(bench.context.sent().join()).toMatch(/STOP.*unused=1/);
    expect(bench.flow.statistics.creditsUnused).toBe(1);
    bench.write(P);
    expect(bench.context.sent().join()).not.toContain('DATA');
  });

  it('does not wait where as many wait as may, or where credits take one path', () => {
    const bench = sprayed(1_000, { keptCredits: 1 });
    bench.credit(5_000, { pathId: 4 });
    bench.credit(5_001, { pathId: 3 });
    bench.credit(5_002);
    expect(bench.flow.statistics.creditsUnused).toBe(2);
  });
});
