import { describe, expect, it } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS } from '../../src/base/time.js';
import { Reassembly } from '../../src/core/reassembly.js';
import { ReceiveWindow, UNBOUNDED } from '../../src/core/receive-window.js';
import { Data } from '../../src/wire/layout.js';
import { ReceiverBench } from '../harness/receiver-bench.js';

const PAYLOAD = 1_446;
/** Long enough for dozens of credits at 1 Gbit/s, and shorter than the wait for one that may be lost. */
const MANY_GAPS_NS = 1_500 * MICROSECOND_NS;

function reassembly(): Reassembly {
  return new Reassembly(1e6, { onBytes: () => undefined, onLength: () => undefined });
}

/** Of a flow whose full frames carry a hundred bytes. */
function demandOf(bytes: Reassembly): ReceiveWindow {
  const window = new ReceiveWindow(bytes, 1e6);
  window.setFrameBytes(100 + Data.overheadBytes);
  return window;
}

describe('the demand', () => {
  it('is the missing part of what the sender told of, in full frames', () => {
    const bytes = reassembly();
    const demand = demandOf(bytes);
    expect(demand.demandCredits).toBe(0);
    demand.tellDemand(0, 250);
    expect(demand.demandCredits).toBe(3);
    bytes.insert(0, new Uint8Array(100), 1e6);
    expect(demand.demandCredits).toBe(2);
    bytes.insert(100, new Uint8Array(150), 1e6);
    expect(demand.demandCredits).toBe(0);
  });

  it('counts a frame more for each hole, which ends with one that is not full', () => {
    const bytes = reassembly();
    const demand = demandOf(bytes);
    demand.tellDemand(0, 300);
    bytes.insert(50, new Uint8Array(50), 1e6);
    bytes.insert(150, new Uint8Array(50), 1e6);
    expect(demand.demandCredits).toBe(2 + 2);
  });

  it('is not lowered by a request that was overtaken, and begins anew with the credits', () => {
    const demand = demandOf(reassembly());
    demand.tellDemand(0, 1_000);
    demand.tellDemand(0, 8);
    expect(demand.demandCredits).toBe(10);
    demand.restartDemand();
    demand.tellDemand(0, 8);
    expect(demand.demandCredits).toBe(1);
  });

  it('has no end once the sender has more, or more than it can say', () => {
    const demand = demandOf(reassembly());
    demand.tellDemand(0, 0xffff_ffff);
    expect(demand.demandCredits).toBe(UNBOUNDED);
    demand.restartDemand();
    demand.tellDemand(0, 8);
    demand.tellMore();
    expect(demand.demandCredits).toBe(UNBOUNDED);
    demand.restartDemand();
    expect(demand.demandCredits).toBe(0);
  });
});

describe('a request that later data has overtaken', () => {
  /** Its credits were stopped, and the data of a late one, with MORE, has come. */
  function overtaken(): ReceiverBench {
    const bench = new ReceiverBench();
    bench.backlog = 100;
    bench.open().wait(0);
    bench.stop();
    bench.context.sent();
    bench.data(0, 0, { length: PAYLOAD, more: true });
    return bench;
  }

  it('brings credits for what it does not tell of, though they were stopped when the data came', () => {
    const bench = overtaken();
    bench.request();
    expect(bench.wait(MANY_GAPS_NS).credits()).toBeGreaterThan(1);
  });

  it('is all that counts where it was sent after that data', () => {
    const bench = overtaken();
    bench.request(0, PAYLOAD);
    expect(bench.wait(MANY_GAPS_NS).credits()).toBe(1);
  });
});

describe('a receiver that knows what the sender has', () => {
  function opened(backlog: number): ReceiverBench {
    const bench = new ReceiverBench();
    bench.backlog = backlog;
    return bench.open();
  }

  it('issues as many credits as that takes', () => {
    expect(opened(8).wait(MANY_GAPS_NS).credits()).toBe(1);
    expect(
      opened(10 * PAYLOAD + 1)
        .wait(MANY_GAPS_NS)
        .credits(),
    ).toBe(11);
  });

  it('answers a request without a backlog with an ACK, and issues none', () => {
    const bench = opened(0).wait(MANY_GAPS_NS);
    expect(bench.context.sent()).toEqual(['ACK cumulative=0 probe=1 ranges=none']);
  });

  it('issues no more once everything has arrived', () => {
    const bench = opened(100).wait(0);
    bench.data(0);
    expect(bench.wait(50 * MILLISECOND_NS).credits()).toBe(1);
  });

  it('issues those again that may be lost, after 2 ms', () => {
    const bench = opened(2 * PAYLOAD).wait(2 * MILLISECOND_NS - 1);
    expect(bench.credits()).toBe(2);
    expect(bench.wait(100 * MICROSECOND_NS).credits()).toBe(2);
    bench.data(0, 0, { length: PAYLOAD });
    bench.data(PAYLOAD, 3, { length: PAYLOAD });
    expect(bench.wait(20 * MILLISECOND_NS).credits()).toBe(0);
  });

  it('issues as many more as the path drops of them', () => {
    const bench = opened(20 * PAYLOAD).wait(MILLISECOND_NS);
    expect(bench.credits()).toBe(20);
    // Of eight credits seven were used: of the thirteen frames that are missing one in eight may need another.
    for (const credit of [0, 1, 2, 3, 4, 5, 7]) {
      const at = credit < 7 ? credit : 6;
      bench.data(at * PAYLOAD, credit, { length: PAYLOAD });
    }
    // Twelve of the twenty are outstanding; thirteen, and an eighth of them, are wanted.
    expect(bench.wait(MICROSECOND_NS * 500).credits()).toBe(15 - 12);
  });

  it('goes on without a bound once there is more, until the sender stops', () => {
    const bench = opened(2 * PAYLOAD).wait(0);
    bench.data(0, 0, { length: PAYLOAD, more: true });
    expect(bench.wait(MILLISECOND_NS).credits()).toBeGreaterThan(50);
    bench.stop(50);
    bench.backlog = 3 * PAYLOAD;
    bench.request();
    bench.context.sent();
    expect(bench.wait(MILLISECOND_NS).credits()).toBeLessThanOrEqual(4);
  });

  it('issues more when a request tells of more', () => {
    const bench = opened(8).wait(0);
    bench.data(0, 0, { length: 8 });
    bench.context.sent();
    bench.backlog = 16;
    bench.request();
    expect(bench.wait(MILLISECOND_NS).credits()).toBe(1);
  });

  it('does so whatever the sender has where it is told to', () => {
    const bench = new ReceiverBench({ backlogWaitNs: 0 });
    bench.backlog = 8;
    expect(bench.open().wait(MANY_GAPS_NS).credits()).toBeGreaterThan(100);
  });
});
