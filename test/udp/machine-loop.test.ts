import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS, NEVER } from '../../src/base/time.js';
import {
  type FrameSink,
  HoldQueue,
  LATE_CLASSES_NS,
  Lateness,
  type LoopMachine,
  MachineLoop,
} from '../../src/udp/machine-loop.js';
import { WakePolicy } from '../../src/udp/wake-policy.js';
import { Frame } from '../../src/wire/frame.js';
import { allowLongRuns, holds } from '../harness/seeds.js';
import { VirtualLoop } from './virtual-loop.js';

/** Emits the frames that it is given, each when `advance` has reached its time. */
class FakeMachine implements LoopMachine {
  advancedNs: number[] = [];
  onAdvance = () => {};
  private planned: { readyNs: number; frame: Frame }[] = [];
  private output: Frame[] = [];

  /** A frame named `port` that is ready at `readyNs` and would arrive at `atNs`. */
  plan(port: number, readyNs: number, atNs: number): void {
    const frame = new Frame(new Uint8Array(1));
    frame.port = port;
    frame.atNs = atNs;
    this.planned.push({ readyNs, frame });
  }

  advance(nowNs: number): void {
    this.advancedNs.push(nowNs);
    this.output.push(...this.planned.filter(({ readyNs }) => readyNs <= nowNs).map(({ frame }) => frame));
    this.planned = this.planned.filter(({ readyNs }) => readyNs > nowNs);
    this.onAdvance();
  }

  poll(): Frame | null {
    return this.output.shift() ?? null;
  }

  nextTimeout(): number {
    return this.planned.reduce((earliest, { readyNs }) => Math.min(earliest, readyNs), NEVER);
  }
}

function bench(earlyNs?: number) {
  const loop = new VirtualLoop();
  const machine = new FakeMachine();
  const sent: { port: number; nowNs: number }[] = [];
  const dropped: number[] = [];
  const sink: FrameSink & { isBlocked: boolean; isHolding: boolean; wakes: number; flushedAfter: number } = {
    isBlocked: false,
    isHolding: false,
    wakes: 0,
    flushedAfter: 0,
    flush: () => {
      sink.flushedAfter = sent.length;
    },
    send: ({ port }) => !sink.isBlocked && sent.push({ port, nowNs: loop.nowNs }) > 0,
    drop: ({ port }) => dropped.push(port),
    noteWake: () => sink.wakes++,
  };
  const policy = new WakePolicy({ spin: 'always', nap: false, cores: 2 });
  const driver = new MachineLoop(machine, { policy, loop, sink, ...(earlyNs !== undefined && { earlyNs }) });
  return { loop, machine, sink, driver, sent, dropped };
}

describe('MachineLoop', () => {
  it('drains once after inputs that were left, and in between when the machine is used otherwise', () => {
    const { machine, driver, sent } = bench(0);
    for (let input = 1; input <= 3; input++) {
      driver.begin(0);
      machine.plan(input, 0, 0);
      driver.leave();
    }
    expect([machine.advancedNs.length, sent.length]).toEqual([0, 0]);
    driver.drainLeft();
    expect(machine.advancedNs.length).toBe(1);
    expect(sent.map(({ port }) => port)).toEqual([1, 2, 3]);
    driver.begin(0);
    machine.plan(4, 0, 0);
    driver.leave();
    driver.run(() => {});
    expect(sent.map(({ port }) => port)).toEqual([1, 2, 3, 4]);
  });

  it('tells what the machine calls that it is at work, and since when', () => {
    const { loop, machine, driver } = bench(0);
    loop.runUntil(70 * MICROSECOND_NS);
    const seen: unknown[] = [];
    machine.onAdvance = () => seen.push([driver.isRunning, driver.latestNs]);
    driver.run((nowNs) => seen.push([driver.isRunning, nowNs]));
    expect(seen).toEqual([
      [true, 70 * MICROSECOND_NS],
      [true, 70 * MICROSECOND_NS],
    ]);
    expect(driver.isRunning).toBe(false);
    expect(() =>
      driver.run(() => {
        throw new Error('the caller is wrong');
      }),
    ).toThrow();
    expect(driver.isRunning).toBe(false);
  });

  it('at its end lets queued frames begin and takes its leave after them, but waits for nothing later', () => {
    const { machine, driver, sent } = bench(0);
    const said: string[] = [];
    const leaving: LoopMachine = machine;
    leaving.takeLeave = () => {
      said.push(`left after ${sent.length}`);
      machine.plan(9, 0, 0);
    };
    driver.run(() => machine.plan(1, 3 * MILLISECOND_NS, 4 * MILLISECOND_NS));
    machine.plan(2, 5 * MILLISECOND_NS, 6 * MILLISECOND_NS);
    machine.plan(3, 1000 * MILLISECOND_NS, 1000 * MILLISECOND_NS);
    driver.close();
    expect(sent.map(({ port }) => port)).toEqual([1, 2, 9]);
    expect(said).toEqual(['left after 2']);
  });

  it('says when no more frames follow, after a wake as after an input and at the end', () => {
    const { loop, machine, driver, sink, sent } = bench(0);
    machine.plan(1, 0, 0);
    driver.run(() => {});
    expect([sent.length, sink.flushedAfter]).toEqual([1, 1]);
    machine.plan(2, 0, 50 * MICROSECOND_NS);
    driver.run(() => {});
    loop.runUntil(100 * MICROSECOND_NS);
    expect([sent.length, sink.flushedAfter]).toEqual([2, 2]);
    machine.plan(3, loop.nowNs, loop.nowNs + 500 * MICROSECOND_NS);
    driver.run(() => {});
    driver.close();
    expect([sent.length, sink.flushedAfter]).toEqual([3, 3]);
  });

  it('sends at once what would arrive within the early time, and keeps the gaps between what it holds', () => {
    const { loop, machine, driver, sent } = bench(150 * MICROSECOND_NS);
    machine.plan(1, 0, 123 * MICROSECOND_NS);
    machine.plan(2, 0, 1_000 * MICROSECOND_NS);
    machine.plan(3, 0, 1_050 * MICROSECOND_NS);
    driver.run(() => {});
    expect(sent).toEqual([{ port: 1, nowNs: 0 }]);
    loop.runUntil(5 * MILLISECOND_NS);
    expect(sent.map(({ port }) => port)).toEqual([1, 2, 3]);
    expect(sent[1].nowNs - 850e3).toBeLessThanOrEqual(loop.turnNs);
    expect(sent[2].nowNs - 900e3).toBeLessThanOrEqual(loop.turnNs);
  });

  it('sends in the order of arrival times, not in that of polling', () => {
    const { loop, machine, driver, sent } = bench(0);
    machine.plan(1, 0, 300e3);
    machine.plan(2, 0, 100e3);
    machine.plan(3, 0, 200e3);
    driver.run(() => {});
    loop.runUntil(1 * MILLISECOND_NS);
    expect(sent.map(({ port }) => port)).toEqual([2, 3, 1]);
  });

  it('sends a held frame before a new one that arrives later, when both are due', () => {
    const { loop, machine, sink, driver, sent } = bench(0);
    machine.plan(1, 0, 100e3);
    driver.run(() => {});
    sink.isBlocked = true;
    loop.runUntil(150e3);
    sink.isBlocked = false;
    machine.plan(2, 0, 120e3);
    driver.run(() => {});
    expect(sent.map(({ port }) => port)).toEqual([1, 2]);
  });

  it('advances the machine at its deadline', () => {
    const { loop, machine, driver, sent } = bench();
    machine.plan(1, 700 * MICROSECOND_NS, 700 * MICROSECOND_NS);
    driver.run(() => {});
    loop.runUntil(1 * MILLISECOND_NS);
    expect(sent.length).toBe(1);
    expect(sent[0].nowNs).toBeGreaterThanOrEqual(700e3);
    expect(sent[0].nowNs).toBeLessThan(702e3);
    expect(machine.advancedNs.length).toBe(2);
  });

  it('sends with an answer what became due while it was made, once', () => {
    const { loop, machine, driver, sent } = bench(0);
    machine.onAdvance = () => {
      loop.nowNs += 30 * MICROSECOND_NS;
    };
    machine.plan(1, 0, 0);
    machine.plan(2, 3 * MICROSECOND_NS, 3 * MICROSECOND_NS);
    machine.plan(3, 40 * MICROSECOND_NS, 40 * MICROSECOND_NS);
    driver.run(() => {});
    expect(machine.advancedNs).toEqual([0, 30 * MICROSECOND_NS]);
    expect(sent.map(({ port }) => port)).toEqual([1, 2]);
    loop.runUntil(MILLISECOND_NS);
    expect(sent.map(({ port }) => port)).toEqual([1, 2, 3]);
  });

  it('lets datagrams come first where its answer took long', () => {
    const { loop, machine, driver } = bench(0);
    machine.onAdvance = () => {
      if (machine.advancedNs.length === 1) loop.nowNs += 40 * MILLISECOND_NS;
    };
    machine.plan(1, 3 * MICROSECOND_NS, 0);
    machine.plan(2, 5 * MILLISECOND_NS, 0);
    driver.run(() => {});
    expect(machine.advancedNs).toEqual([0, 100 * MICROSECOND_NS]);
  });

  it('asks the sink to look out for errors after a wake by deadline only', () => {
    const { loop, machine, sink, driver } = bench();
    driver.run(() => {});
    expect(sink.wakes).toBe(0);
    machine.plan(1, 1e3, 1e3);
    driver.run(() => {});
    loop.runUntil(1 * MILLISECOND_NS);
    expect(sink.wakes).toBe(1);
  });

  it('sends nothing while the kernel is full, looks again each millisecond, and then sends everything', () => {
    const { loop, machine, sink, driver, sent } = bench();
    sink.isBlocked = true;
    machine.plan(1, 0, 0);
    machine.plan(2, 0, 0);
    driver.run(() => {});
    loop.runUntil(5 * MILLISECOND_NS);
    expect(sent).toEqual([]);
    expect(machine.advancedNs.length).toBeLessThan(8);
    sink.isBlocked = false;
    loop.runUntil(7 * MILLISECOND_NS);
    expect(sent.map(({ port }) => port)).toEqual([1, 2]);
  });

  it('flushes again after a millisecond where the sink still holds what it was given', () => {
    const { loop, machine, sink, driver } = bench();
    let flushes = 0;
    sink.flush = () => {
      flushes++;
    };
    sink.isHolding = true;
    driver.run(() => {});
    loop.runUntil(3.5 * MILLISECOND_NS);
    expect(flushes).toBe(4);
    expect(machine.advancedNs.length).toBe(4);
    sink.isHolding = false;
    loop.runUntil(10 * MILLISECOND_NS);
    expect(flushes).toBe(5);
  });

  it('returns what an action returns, after draining', () => {
    const { machine, driver, sent } = bench();
    const result = driver.run((nowNs) => {
      machine.plan(7, nowNs, nowNs);
      return 'done';
    });
    expect(result).toBe('done');
    expect(sent.map(({ port }) => port)).toEqual([7]);
  });

  it('lets what the machine calls change the machine, at the same time and without a drain inside a drain', () => {
    const { loop, machine, driver, sent } = bench();
    loop.nowNs = 5_000;
    const times: number[] = [];
    machine.onAdvance = () => {
      machine.onAdvance = () => {};
      driver.run((nowNs) => {
        times.push(nowNs);
        machine.plan(1, nowNs + 1e3, nowNs + 1e3);
      });
      expect(machine.advancedNs.length).toBe(1);
    };
    driver.run((nowNs) => times.push(nowNs));
    expect(times).toEqual([5_000, 5_000]);
    loop.runUntil(1 * MILLISECOND_NS);
    expect(sent.map(({ port }) => port)).toEqual([1]);
  });

  it('throws what an action throws, and drains in the next turn', () => {
    const { loop, machine, driver, sent } = bench();
    const mistake = () =>
      driver.run((nowNs) => {
        machine.plan(1, nowNs, nowNs);
        throw new Error('the caller is wrong');
      });
    expect(mistake).toThrow('the caller is wrong');
    expect(sent).toEqual([]);
    loop.runUntil(10 * MICROSECOND_NS);
    expect(sent.length).toBe(1);
    expect(driver.run(() => 'still works')).toBe('still works');
  });

  it('counts how late it came to its deadlines', () => {
    const { loop, machine, driver } = bench();
    machine.plan(1, 1 * MILLISECOND_NS, 1 * MILLISECOND_NS);
    driver.run(() => {});
    loop.turnNs = 3 * MILLISECOND_NS;
    loop.runUntil(10 * MILLISECOND_NS);
    const { wakes, maxNs, overMillisecond } = driver.lateness.snapshot();
    expect({ wakes, maxNs, overMillisecond }).toEqual({ wakes: 1, maxNs: 2e6, overMillisecond: 1 });
  });

  it('sends everything that is held when it closes, and lets go what the kernel refuses', () => {
    const { loop, machine, sink, driver, sent, dropped } = bench();
    machine.plan(1, 0, 10 * MILLISECOND_NS);
    machine.plan(2, 0, 20 * MILLISECOND_NS);
    driver.run(() => {});
    const send = sink.send;
    sink.send = (frame) => {
      const isSent = send(frame);
      sink.isBlocked = true;
      return isSent;
    };
    driver.close();
    expect(sent.map(({ port }) => port)).toEqual([1]);
    expect(dropped).toEqual([2]);
    loop.runUntil(100 * MILLISECOND_NS);
    expect(sent.length).toBe(1);
  });
});

allowLongRuns();

function frameAt(atNs: number, port = 0): Frame {
  const frame = new Frame(new Uint8Array(0));
  frame.atNs = atNs;
  frame.port = port;
  return frame;
}

describe('HoldQueue', () => {
  it('has no next time when it is empty', () => {
    expect(new HoldQueue().peekAtNs()).toBe(NEVER);
  });

  it('gives frames by their time, and those of one time as they came', () => {
    const steps = fc.array(fc.oneof(fc.nat(8), fc.constant('shift' as const)), { maxLength: 200 });
    holds(steps, 500, (list) => {
      const queue = new HoldQueue();
      const naive: Frame[] = [];
      list.forEach((step, index) => {
        if (step !== 'shift') {
          const frame = frameAt(step, index);
          expect(queue.push(frame)).toBe(true);
          naive.push(frame);
          naive.sort((a, b) => a.atNs - b.atNs || a.port - b.port);
        } else if (naive.length > 0) {
          expect(queue.shift()).toBe(naive.shift());
        }
        expect(queue.length).toBe(naive.length);
        expect(queue.peekAtNs()).toBe(naive[0]?.atNs ?? NEVER);
      });
    });
  });

  it('turns frames away beyond its bound and counts them', () => {
    const queue = new HoldQueue(2);
    expect([1, 2, 3, 4].map((atNs) => queue.push(frameAt(atNs)))).toEqual([true, true, false, false]);
    expect(queue.overflows).toBe(2);
    expect(queue.shift().atNs).toBe(1);
    expect(queue.push(frameAt(5))).toBe(true);
  });
});

describe('Lateness', () => {
  it('counts wakes by class, the longest, and those over a millisecond', () => {
    const lateness = new Lateness();
    for (const lateNs of [1, 10e3, 10e3 + 1, 1e6, 1e6 + 1, 250e6]) lateness.add(lateNs);
    const { wakes, maxNs, overMillisecond, classes } = lateness.snapshot();
    expect({ wakes, maxNs, overMillisecond }).toEqual({ wakes: 6, maxNs: 250e6, overMillisecond: 2 });
    expect(classes.map(([, count]) => count)).toEqual([2, 1, 0, 0, 1, 1, 0, 0, 0, 1]);
    expect(classes.length).toBe(LATE_CLASSES_NS.length + 1);
  });
});
