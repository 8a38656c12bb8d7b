import { describe, expect, it } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { ArrivalGaps, NEAR_NS, Wait, WakePolicy, type WakePolicyOptions } from '../../src/udp/wake-policy.js';

const policy = (options: Partial<WakePolicyOptions> = {}) =>
  new WakePolicy({ spin: 'auto', nap: true, cores: 2, ...options });

describe('WakePolicy', () => {
  it.each([
    ['waits for datagrams alone without a deadline', Wait.idle, NEVER, {}],
    ['sleeps by a timer until a deadline is near', Wait.timer, NEAR_NS + 1, { spin: 'never' }],
    ['sleeps by a timer until a deadline is near', Wait.timer, NEAR_NS + 1, { spin: 'auto' }],
    ['sleeps by a timer until a deadline is near', Wait.timer, NEAR_NS + 1, { spin: 'always' }],
    ['spins before a near deadline', Wait.spin, 100e3, { spin: 'always' }],
    ['spins before a near deadline', Wait.spin, 100e3, { spin: 'always', cores: 1 }],
    ['spins before a near deadline', Wait.spin, 100e3, { spin: 'auto' }],
    ['naps before a near deadline', Wait.nap, 100e3, { spin: 'auto', cores: 1 }],
    ['naps before a near deadline', Wait.nap, 100e3, { spin: 'never' }],
    ['does not nap where it may not', Wait.timer, 100e3, { spin: 'never', nap: false }],
    ['comes back in the next turn for a deadline that has passed', Wait.spin, 0, { spin: 'never' }],
    ['comes back in the next turn for a deadline that has passed', Wait.spin, -5e6, { spin: 'never', nap: false }],
  ] as const)('%s (%i for %d ns with %j)', (_, way, untilNs, options) => {
    expect(policy(options).choose(untilNs, 0)).toBe(way);
  });

  it('chooses whole milliseconds that end before a far deadline, and one at the least', () => {
    const target = policy();
    expect(target.timerMs(NEAR_NS)).toBe(1);
    expect(target.timerMs(5.1 * MILLISECOND_NS)).toBe(4);
    expect(target.timerMs(5.2 * MILLISECOND_NS)).toBe(5);
    expect(target.timerMs(10e3)).toBe(1);
    expect(target.timerMs(1e6 * SECOND_NS)).toBe(3_600_000);
  });

  it('replaces a timer only when it would come too late', () => {
    const target = policy();
    const deadlineNs = 10 * MILLISECOND_NS;
    const newAtNs = 9 * MILLISECOND_NS;
    expect(target.isTimerGoodFor(deadlineNs, 2 * MILLISECOND_NS, newAtNs)).toBe(true);
    expect(target.isTimerGoodFor(deadlineNs, 9.7 * MILLISECOND_NS, newAtNs)).toBe(true);
    expect(target.isTimerGoodFor(deadlineNs, 9.9 * MILLISECOND_NS, newAtNs)).toBe(false);
  });
});

describe('WakePolicy under contention', () => {
  const stall = (target: WakePolicy, nowNs: number) => target.noteAway(400 * MICROSECOND_NS, nowNs);
  const isSpinning = (target: WakePolicy, nowNs: number) => target.choose(100e3, nowNs) === Wait.spin;

  it('stops spinning for two seconds at most after three stalls within 100 ms', () => {
    const target = policy();
    stall(target, 10e6);
    stall(target, 40e6);
    expect(isSpinning(target, 40e6)).toBe(true);
    stall(target, 90e6);
    expect(isSpinning(target, 90e6)).toBe(false);
    expect(target.contentions).toBe(1);
    expect(isSpinning(target, 90e6 + 2 * SECOND_NS)).toBe(true);
  });

  it('goes on through single stalls, as garbage collection makes them', () => {
    const target = policy();
    for (let nowNs = 0; nowNs < 10 * SECOND_NS; nowNs += 60e6) stall(target, nowNs);
    expect(target.contentions).toBe(0);
  });

  it('stops after one stall of 20 ms', () => {
    const target = policy();
    target.noteAway(25e6, 50e6);
    expect(isSpinning(target, 50e6)).toBe(false);
  });

  it('does not take short turns for stalls', () => {
    const target = policy();
    for (let turn = 0; turn < 1000; turn++) target.noteAway(290 * MICROSECOND_NS, turn * 300e3);
    expect(target.contentions).toBe(0);
  });

  it('waits twice as long after each try that fails, up to 64 s, and a second after one that went well', () => {
    const target = policy();
    const calms: number[] = [];
    let nowNs = 10 * SECOND_NS;
    for (let attempt = 0; attempt < 9; attempt++) {
      target.noteAway(25e6, nowNs);
      let calmNs = 0;
      while (!isSpinning(target, nowNs + calmNs)) calmNs += SECOND_NS / 2;
      calms.push(calmNs / SECOND_NS);
      nowNs += calmNs + 10e6;
    }
    expect(calms).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
    nowNs += 65 * SECOND_NS;
    target.noteAway(25e6, nowNs);
    expect(isSpinning(target, nowNs + SECOND_NS)).toBe(true);
  });

  it('learns nothing from stalls while it does not spin', () => {
    const target = policy();
    const startNs = 10 * SECOND_NS;
    target.noteAway(25e6, startNs);
    for (let index = 1; index < 20; index++) target.noteAway(25e6, startNs + index * 30e6);
    expect(target.contentions).toBe(1);
    expect(isSpinning(target, startNs + SECOND_NS)).toBe(true);
  });

  it('with always, spins whatever happens', () => {
    const target = policy({ spin: 'always' });
    for (let turn = 0; turn < 10; turn++) target.noteAway(50e6, turn * 50e6);
    expect(isSpinning(target, 500e6)).toBe(true);
    expect(target.contentions).toBe(0);
  });
});

/** Datagrams that come one by one, with `quietNs` between the work on each and the next; returns the time of the last. */
function come(times: ArrivalGaps, quietNs: number, count: number, fromNs = 0): number {
  let nowNs = fromNs;
  for (let datagram = 0; datagram < count; datagram++) {
    times.begin(nowNs);
    nowNs += quietNs;
    times.end(nowNs);
  }
  times.begin(nowNs);
  return nowNs;
}

describe('quiet times', () => {
  it('are long until some datagrams have come in short order', () => {
    const times = new ArrivalGaps();
    expect(times.areShort(0)).toBe(false);
    const nowNs = come(times, 65 * MICROSECOND_NS, 4);
    expect(times.areShort(nowNs)).toBe(false);
    expect(times.areShort(come(times, 65 * MICROSECOND_NS, 8, nowNs))).toBe(true);
  });

  it('are not short where datagrams come every millisecond', () => {
    const times = new ArrivalGaps();
    expect(times.areShort(come(times, MILLISECOND_NS, 100))).toBe(false);
  });

  it('are over once one lasts a millisecond, and stay short when datagrams come again', () => {
    const times = new ArrivalGaps();
    const nowNs = come(times, 65 * MICROSECOND_NS, 50);
    expect(times.areShort(nowNs + MILLISECOND_NS - 1)).toBe(true);
    expect(times.areShort(nowNs + MILLISECOND_NS)).toBe(false);
    times.end(nowNs + 50 * MILLISECOND_NS);
    times.begin(nowNs + 50 * MILLISECOND_NS);
    expect(times.areShort(nowNs + 50 * MILLISECOND_NS)).toBe(true);
  });

  it('go on through deadlines that are met meanwhile, and count from the end of the work', () => {
    const times = new ArrivalGaps();
    let nowNs = 0;
    for (let datagram = 0; datagram < 50; datagram++) {
      // 10 us of quiet after 5 ms of work.
      times.begin(nowNs);
      times.end(nowNs + 10 * MICROSECOND_NS);
      times.end(nowNs + 5 * MILLISECOND_NS);
      nowNs += 5 * MILLISECOND_NS + 10 * MICROSECOND_NS;
    }
    times.begin(nowNs);
    expect(times.areShort(nowNs)).toBe(true);
    for (let deadline = 1; deadline <= 10; deadline++) times.begin(nowNs + deadline * 100 * MICROSECOND_NS);
    expect(times.areShort(nowNs + MILLISECOND_NS)).toBe(false);
  });
});
