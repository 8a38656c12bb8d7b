import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { NEVER } from '../../src/base/time.js';
import type { Host } from '../../src/core/host.js';
import type { HostSpec } from '../../src/sim/scenario.js';
import { HostClock, SimHost } from '../../src/sim/sim-host.js';
import { type Frame, FramePool } from '../../src/wire/frame.js';
import { allowLongRuns, scaledRuns, TEST_SEED } from '../harness/seeds.js';

describe('the clock of a host', () => {
  it('shows the time of the world while it does not drift', () => {
    const clock = new HostClock();
    expect([clock.toOwn(1 / 3), clock.toWorld(1 / 3)]).toEqual([1 / 3, 1 / 3]);
    expect(clock.toWorld(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('gains a microsecond in 10 ms at 100 ppm', () => {
    const clock = new HostClock(100);
    expect(clock.toOwn(10e6)).toBeCloseTo(10e6 + 1e3, 6);
    expect(clock.toWorld(10e6 + 1e3)).toBeCloseTo(10e6, 6);
    expect(clock.toWorld(Number.POSITIVE_INFINITY)).toBe(Number.POSITIVE_INFINITY);
  });

  it('does not jump when its speed changes', () => {
    const clock = new HostClock(200);
    const beforeNs = clock.toOwn(5e6);
    clock.setDrift(-200, 5e6);
    expect(clock.toOwn(5e6)).toBe(beforeNs);
    expect(clock.toOwn(10e6) - beforeNs).toBeCloseTo(5e6 - 1e3, 6);
    clock.setDrift(0, 10e6);
    expect(clock.toOwn(20e6) - clock.toOwn(10e6)).toBeCloseTo(10e6, 6);
  });
});

allowLongRuns();

/** A machine with timers that are as close together as times can be. */
class Ticking {
  private dueNs: number;

  constructor(dueNs: number) {
    this.dueNs = dueNs;
  }

  nextTimeout(): number {
    return this.dueNs;
  }

  advance(nowNs: number): void {
    while (this.dueNs <= nowNs) this.dueNs *= 1 + Number.EPSILON;
  }
}

it("asks its machine for nothing in the past, however times round between its clock and the world's", () => {
  const random = new SeededRandom(TEST_SEED);
  const pool = new FramePool(() => new Uint8Array(0), 0);
  for (let run = 0; run < scaledRuns(20_000); run++) {
    const machine = new Ticking(1e9 * random.next());
    const spec = { id: 1, endpoint: {}, nic: {}, processing: { delayNs: 0, jitterNs: 0 }, clockDriftPpm: 0 };
    const host = new SimHost(spec, { make: () => machine as unknown as Host, random, pool });
    host.setDrift(2_000 * (random.next() - 0.5), 1e6 * random.next());
    const nowNs = host.nextTimeout();
    host.advance(nowNs);
    expect(host.nextTimeout()).toBeGreaterThan(nowNs);
  }
});

/** Notes when it was handed each frame, and when that had come. */
class Noting extends Ticking {
  readonly seen: [number, number][] = [];

  constructor() {
    super(NEVER);
  }

  handleFrame({ arrivedNs }: Frame, nowNs: number): void {
    this.seen.push([nowNs, arrivedNs]);
  }
}

function slowHost(processing: HostSpec['processing']) {
  const machine = new Noting();
  const pool = new FramePool(() => new Uint8Array(64), 8);
  const spec = { id: 1, endpoint: {}, nic: {}, processing, clockDriftPpm: 0 };
  const host = new SimHost(spec, { make: () => machine as unknown as Host, random: new SeededRandom(1), pool });
  const advanceTo = (nowNs: number) => {
    while (host.nextTimeout() <= nowNs) host.advance(host.nextTimeout());
  };
  const receiveAt = (nowNs: number) => {
    advanceTo(nowNs);
    host.receive(pool.take(), nowNs);
  };
  const finish = () => advanceTo(1e9);
  return { host, machine, pool, receiveAt, finish };
}

it('works on frames one after the other, delays each besides, and says when it came', () => {
  const { machine, receiveAt, finish } = slowHost({ delayNs: 100, jitterNs: 0, workNs: 1_000 });
  for (const atNs of [0, 10, 500, 5_000]) receiveAt(atNs);
  finish();
  expect(machine.seen).toEqual([
    [1_100, 0],
    [2_100, 10],
    [3_100, 500],
    [6_100, 5_000],
  ]);
});

it('leaves no time of arrival on a frame that it is done with', () => {
  const { host, pool, receiveAt, finish } = slowHost({ delayNs: 100, jitterNs: 0 });
  receiveAt(7);
  finish();
  expect(pool.take().arrivedNs).toBe(Number.POSITIVE_INFINITY);
  receiveAt(9);
  host.crash();
  expect(pool.take().arrivedNs).toBe(Number.POSITIVE_INFINITY);
});
