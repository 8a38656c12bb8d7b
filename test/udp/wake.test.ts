import { describe, expect, it } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { monotonicNs, nodeLoop, Waker } from '../../src/udp/wake.js';
import { type Spin, WakePolicy } from '../../src/udp/wake-policy.js';
import { VirtualLoop } from './virtual-loop.js';

/** A waker whose work is to note when it was called and to set the next deadline `gapNs` after the last. */
function metronome(spin: Spin, gapNs: number, nap = true) {
  const loop = new VirtualLoop();
  const lateNs: number[] = [];
  const policy = new WakePolicy({ spin, nap, cores: 2 });
  let deadlineNs = gapNs;
  const waker = new Waker(policy, loop, (nowNs) => {
    while (deadlineNs <= nowNs) {
      lateNs.push(nowNs - deadlineNs);
      deadlineNs += gapNs;
    }
    waker.arm(deadlineNs, nowNs);
  });
  waker.arm(deadlineNs, 0);
  const arrive = (atNs: number) =>
    loop.arrive(atNs, () => {
      waker.noteArrival(loop.nowNs);
      waker.arm(deadlineNs, loop.nowNs);
    });
  return { loop, lateNs, waker, policy, arrive };
}

const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);

describe('Waker', () => {
  it('comes within a turn of each deadline when it spins', () => {
    const { loop, lateNs } = metronome('always', 50 * MICROSECOND_NS);
    loop.runUntil(100 * MILLISECOND_NS);
    expect(lateNs.length).toBe(2000);
    expect(most(lateNs)).toBeLessThanOrEqual(loop.turnNs);
    expect(loop.timersSet).toBe(0);
  });

  it('comes within what a nap takes too long when it naps, without turning the loop all the time', () => {
    const { loop, lateNs } = metronome('never', 130 * MICROSECOND_NS);
    loop.runUntil(100 * MILLISECOND_NS);
    expect(lateNs.length).toBeGreaterThan(760);
    expect(most(lateNs)).toBeLessThanOrEqual(loop.oversleepNs + 5 * MICROSECOND_NS);
    expect(loop.turns).toBeLessThan(4 * lateNs.length);
    expect(loop.blockedNs).toBeGreaterThan(90 * MILLISECOND_NS);
  });

  it('does not nap where datagrams are dense: what is due is done with the next of them', () => {
    const { loop, lateNs, arrive } = metronome('never', 65 * MICROSECOND_NS);
    for (let datagram = 1; datagram <= 1_500; datagram++) arrive(datagram * 64 * MICROSECOND_NS);
    loop.runUntil(20 * MILLISECOND_NS);
    const { naps } = loop;
    const before = lateNs.length;
    loop.runUntil(96 * MILLISECOND_NS);
    expect(loop.naps).toBe(naps);
    expect(lateNs.length - before).toBeGreaterThan(1_150);
    expect(most(lateNs.slice(before))).toBeLessThanOrEqual(66 * MICROSECOND_NS);
  });

  it('naps again once they stop coming, a millisecond late at most, for what was due meanwhile', () => {
    const { loop, lateNs, arrive } = metronome('never', 130 * MICROSECOND_NS);
    for (let datagram = 1; datagram <= 500; datagram++) arrive(datagram * 64 * MICROSECOND_NS);
    loop.runUntil(32 * MILLISECOND_NS);
    const before = lateNs.length;
    loop.runUntil(100 * MILLISECOND_NS);
    expect(lateNs.slice(before).filter((late) => late > 30 * MICROSECOND_NS).length).toBeLessThan(10);
    expect(most(lateNs.slice(before))).toBeLessThan(1.2 * MILLISECOND_NS);
    expect(lateNs.length - before).toBeGreaterThan(500);
  });

  it('never naps for longer than 100 us at once, so that datagrams are not kept waiting', () => {
    const { loop } = metronome('never', 1 * MILLISECOND_NS);
    loop.runUntil(50 * MILLISECOND_NS);
    expect(loop.blockedNs / loop.naps).toBeLessThanOrEqual(100 * MICROSECOND_NS + loop.oversleepNs);
  });

  it('without naps wakes by timers and is late by a millisecond and a little', () => {
    const { loop, lateNs } = metronome('never', 130 * MICROSECOND_NS, false);
    loop.runUntil(100 * MILLISECOND_NS);
    expect(loop.naps).toBe(0);
    expect(most(lateNs)).toBeLessThan(1.2 * MILLISECOND_NS);
    expect(loop.timersSet).toBeLessThan(100);
  });

  it('sleeps by one timer before a far deadline and spins only at its end', () => {
    const { loop, lateNs } = metronome('always', 100 * MILLISECOND_NS);
    loop.runUntil(1 * SECOND_NS);
    expect(lateNs.length).toBe(10);
    expect(most(lateNs)).toBeLessThanOrEqual(loop.turnNs);
    expect(loop.turns).toBeLessThan(10 * 1_300);
    expect(loop.timersSet).toBeLessThanOrEqual(11);
  });

  it('arms no new timer for deadlines that move away with each datagram', () => {
    const loop = new VirtualLoop();
    const waker = new Waker(new WakePolicy({ spin: 'auto', nap: true, cores: 2 }), loop, () => {});
    for (let index = 0; index < 1000; index++) {
      waker.arm(loop.nowNs + 20 * MILLISECOND_NS, loop.nowNs);
      loop.runUntil(loop.nowNs + 100 * MICROSECOND_NS);
      expect(loop.armedTimers).toBeLessThanOrEqual(1);
    }
    expect(loop.timersSet).toBeLessThan(8);
  });

  it('replaces its timer for an earlier deadline', () => {
    const loop = new VirtualLoop();
    const wakes: number[] = [];
    const waker = new Waker(new WakePolicy({ spin: 'auto', nap: true, cores: 2 }), loop, (nowNs) => {
      wakes.push(nowNs);
      waker.arm(NEVER, nowNs);
    });
    waker.arm(10 * SECOND_NS, 0);
    waker.arm(20 * MILLISECOND_NS, 0);
    expect(loop.armedTimers).toBe(1);
    loop.runUntil(30 * MILLISECOND_NS);
    expect(wakes.length).toBe(1);
    expect(wakes[0]).toBeGreaterThanOrEqual(20 * MILLISECOND_NS);
    expect(wakes[0]).toBeLessThan(20.01 * MILLISECOND_NS);
  });

  it('wakes for a deadline that has passed in the next turn, not at once', () => {
    const loop = new VirtualLoop();
    let wakes = 0;
    const waker = new Waker(new WakePolicy({ spin: 'never', nap: false, cores: 2 }), loop, (nowNs) => {
      wakes++;
      waker.arm(NEVER, nowNs);
    });
    waker.arm(-1, 0);
    expect(wakes).toBe(0);
    loop.runUntil(10 * MICROSECOND_NS);
    expect(wakes).toBe(1);
  });

  it('finds that it is kept from the core by how long it was away, not by how long its own work took', () => {
    const busy = metronome('auto', 50 * MICROSECOND_NS);
    for (let atNs = 0; atNs < 100 * MILLISECOND_NS; atNs += 100 * MICROSECOND_NS) {
      busy.arrive(atNs);
      busy.loop.arrive(atNs + 1, () => {
        busy.loop.nowNs += 500 * MICROSECOND_NS;
      });
    }
    busy.loop.runUntil(100 * MILLISECOND_NS);
    expect(busy.policy.contentions).toBe(0);

    const contended = metronome('auto', 50 * MICROSECOND_NS);
    contended.loop.turnNs = 5 * MILLISECOND_NS;
    contended.loop.runUntil(100 * MILLISECOND_NS);
    expect(contended.policy.contentions).toBe(1);
  });

  it('does nothing more once it is closed', () => {
    const { loop, lateNs, waker } = metronome('always', 50 * MICROSECOND_NS);
    loop.runUntil(1 * MILLISECOND_NS);
    waker.close();
    const before = lateNs.length;
    loop.runUntil(5 * MILLISECOND_NS);
    expect(lateNs.length).toBe(before);
    expect(loop.armedTimers).toBe(0);
  });
});

describe('nodeLoop', () => {
  it('has turns, timers and naps that take at least the time asked for', async () => {
    const loop = nodeLoop(monotonicNs);
    const beforeNs = loop.now();
    loop.block(100 * MICROSECOND_NS);
    expect(loop.now() - beforeNs).toBeGreaterThanOrEqual(100 * MICROSECOND_NS);
    await new Promise<void>((resolve) => loop.setTurn(resolve));
    await new Promise<void>((resolve) => loop.setTimer(resolve, 1));
    const timer = loop.setTimer(() => expect.unreachable('the timer was cleared'), 1);
    loop.clearTimer(timer);
    await new Promise<void>((resolve) => loop.setTimer(resolve, 5));
  });
});

describe('monotonicNs', () => {
  it('goes forward, finer than a microsecond, from the start of the process', () => {
    const readings = Float64Array.from({ length: 10_000 }, monotonicNs);
    const steps = readings.subarray(1).map((nowNs, at) => nowNs - readings[at]);
    expect(steps.every((stepNs) => stepNs >= 0)).toBe(true);
    // The least of them: between most others a busy machine may do anything.
    expect(Math.min(...steps.filter((stepNs) => stepNs > 0))).toBeLessThan(1_000);
    expect(readings[0]).toBeLessThan(600e9);
  });
});
