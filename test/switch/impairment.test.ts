import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { Impairment, type ImpairmentConfig, NO_IMPAIRMENT, Verdict } from '../../src/switch/impairment.js';
import { PortDrop } from '../../src/switch/port-statistics.js';
import { Hello } from '../../src/wire/frames.js';
import { FrameType } from '../../src/wire/layout.js';
import { TEST_SEED } from '../harness/seeds.js';
import { creditFrame, dataFrame, isIntact } from './frames.js';

const FRAMES = 200_000;
const seed = TEST_SEED;

function makeImpairment(changes: Partial<ImpairmentConfig>, from = seed): Impairment {
  const impairment = new Impairment(new SeededRandom(from));
  impairment.configure(changes);
  return impairment;
}

function verdicts(impairment: Impairment, type: number = FrameType.data): number[] {
  return Array.from({ length: FRAMES }, () => impairment.judge(type, 100));
}

function share(values: readonly number[], test: (value: number) => boolean): number {
  return values.filter(test).length / values.length;
}

/** Five standard deviations of a share of FRAMES draws: a seed in two million fails. */
function tolerance(rate: number): number {
  return 5 * Math.sqrt((rate * (1 - rate)) / FRAMES);
}

describe('an impairment', () => {
  it('is inactive until something is set, and again after', () => {
    const impairment = makeImpairment({});
    expect(impairment.active).toBe(false);
    const changes: Partial<ImpairmentConfig>[] = [
      { down: true },
      { mtuBytes: 1_300 },
      { lossRate: 0.1 },
      { burstEnterRate: 0.1 },
      { duplicateRate: 0.1 },
      { reorderRate: 0.1 },
      { corruptRate: 0.1 },
      { extraDelayNs: 1 },
      { jitterNs: 1 },
    ];
    for (const change of changes) {
      impairment.configure(change);
      expect(impairment.active, JSON.stringify(change)).toBe(true);
      impairment.configure(NO_IMPAIRMENT);
      expect(impairment.active).toBe(false);
    }
  });

  it('loses what is longer than its MTU, whatever the type, and nothing else', () => {
    const impairment = makeImpairment({ mtuBytes: 1_300, frameTypes: ['credit'] });
    const fates = [FrameType.data, FrameType.ack, Hello.type].map((type) =>
      [1_300, 1_301].map((bytes) => impairment.judge(type, bytes)),
    );
    expect(fates).toEqual([
      [0, PortDrop.mtu],
      [0, PortDrop.mtu],
      [0, PortDrop.mtu],
    ]);
  });

  it('loses, duplicates, reorders and corrupts at the rates that were set, each for itself', () => {
    const rates = { lossRate: 0.05, duplicateRate: 0.02, reorderRate: 0.03, corruptRate: 0.01 };
    const all = verdicts(makeImpairment(rates));
    const lost = share(all, (verdict) => verdict === PortDrop.lost);
    expect(Math.abs(lost - rates.lossRate), `seed ${seed}`).toBeLessThan(tolerance(rates.lossRate));
    const kept = all.filter((verdict) => (verdict & Verdict.dropMask) === 0);
    for (const [bit, rate] of [
      [Verdict.duplicate, rates.duplicateRate],
      [Verdict.reorder, rates.reorderRate],
      [Verdict.corrupt, rates.corruptRate],
    ]) {
      const seen = share(kept, (verdict) => (verdict & bit) !== 0);
      expect(Math.abs(seen - rate), `seed ${seed}`).toBeLessThan(tolerance(rate) * 1.1);
    }
  });

  it('loses in bursts of the length and share that the model gives', () => {
    const impairment = makeImpairment({ burstEnterRate: 0.01, burstLeaveRate: 0.2 });
    const lost = verdicts(impairment).map((verdict) => verdict === PortDrop.burstLost);
    const bursts = lost.filter((isLost, index) => isLost && !lost[index - 1]).length;
    const total = lost.filter(Boolean).length;
    // Bad for 1 / 0.2 frames on average, good for 1 / 0.01: 1/21 of the frames. Tolerances: 5 standard deviations of some 1,900 bursts.
    expect(total / bursts, `seed ${seed}`).toBeGreaterThan(4.5);
    expect(total / bursts, `seed ${seed}`).toBeLessThan(5.5);
    expect(total / FRAMES, `seed ${seed}`).toBeGreaterThan(0.84 / 21);
    expect(total / FRAMES, `seed ${seed}`).toBeLessThan(1.16 / 21);
  });

  it('loses only a part of a burst where the bad state does not lose everything', () => {
    const impairment = makeImpairment({ burstEnterRate: 1, burstLeaveRate: 0, burstLossRate: 0.3 });
    const lost = share(verdicts(impairment), (verdict) => verdict === PortDrop.burstLost);
    expect(Math.abs(lost - 0.3), `seed ${seed}`).toBeLessThan(tolerance(0.3));
  });

  it('starts in its good state when burst loss is switched on again', () => {
    const impairment = makeImpairment({ burstEnterRate: 1, burstLeaveRate: 0 });
    expect(impairment.judge(FrameType.data, 100)).toBe(PortDrop.burstLost);
    impairment.configure({ burstEnterRate: 0 });
    expect(impairment.judge(FrameType.data, 100)).toBe(0);
    impairment.configure({ burstEnterRate: 1e-12 });
    expect(impairment.judge(FrameType.data, 100)).toBe(0);
  });

  it('loses everything while down', () => {
    const impairment = makeImpairment({ down: true, frameTypes: ['credit'] });
    expect(impairment.judge(FrameType.data, 100)).toBe(PortDrop.down);
    impairment.configure({ down: false });
    expect(impairment.judge(FrameType.data, 100)).toBe(0);
  });

  it('befalls only the frame types that were named', () => {
    const impairment = makeImpairment({ lossRate: 1, frameTypes: ['credit', 'ack'] });
    const fates = Object.entries(FrameType).filter(([, type]) => impairment.judge(type, 100) !== 0);
    expect(fates.map(([name]) => name)).toEqual(['credit', 'ack']);
    impairment.configure({ frameTypes: null });
    expect(impairment.judge(FrameType.data, 100)).toBe(PortDrop.lost);
  });

  it('takes all control frames for one type', () => {
    const impairment = makeImpairment({ lossRate: 1, frameTypes: ['control'] });
    expect([impairment.judge(Hello.type, 100), impairment.judge(FrameType.creditRequest, 100)]).toEqual([
      PortDrop.lost,
      0,
    ]);
    impairment.configure({ frameTypes: ['creditRequest'] });
    expect([impairment.judge(Hello.type, 100), impairment.judge(FrameType.creditRequest, 100)]).toEqual([
      0,
      PortDrop.lost,
    ]);
  });

  it('gives the same fates from the same seed, and others from another', () => {
    const changes = { lossRate: 0.1, burstEnterRate: 0.01, duplicateRate: 0.1 };
    const first = verdicts(makeImpairment(changes));
    expect(verdicts(makeImpairment(changes))).toEqual(first);
    expect(verdicts(makeImpairment(changes, seed + 1))).not.toEqual(first);
  });

  it('adds its delay, and a jitter that fills its range', () => {
    const impairment = makeImpairment({ extraDelayNs: 1000, jitterNs: 500 });
    const delays = Array.from({ length: 10_000 }, () => impairment.drawDelayNs());
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(1000);
    expect(Math.min(...delays)).toBeLessThan(1005);
    expect(Math.max(...delays)).toBeLessThan(1500);
    expect(Math.max(...delays)).toBeGreaterThan(1495);
  });

  it('flips one to three bits of what a frame has, and nothing behind it', () => {
    const impairment = makeImpairment({ corruptRate: 1 });
    const counts = [0, 0, 0, 0];
    for (let run = 0; run < 3000; run++) {
      const frame = run % 2 === 0 ? creditFrame() : dataFrame();
      const before = frame.bytes.slice();
      impairment.corrupt(frame);
      counts[countFlips(before.subarray(0, frame.length), frame.bytes)]++;
      expect(countFlips(before.subarray(frame.length), frame.bytes.subarray(frame.length))).toBe(0);
    }
    expect(counts[0]).toBe(0);
    for (const count of counts.slice(1)) expect(count, `seed ${seed}`).toBeGreaterThan(850);
  });

  it('corrupts so that the check of the data finds it, unless only byte 0 was hit', () => {
    const impairment = makeImpairment({ corruptRate: 1 });
    for (let run = 0; run < 2000; run++) {
      const frame = dataFrame();
      const before = frame.bytes.slice();
      impairment.corrupt(frame);
      const onlyFirst = countFlips(before.subarray(1, frame.length), frame.bytes.subarray(1)) === 0;
      expect(isIntact(frame), `seed ${seed}, run ${run}`).toBe(onlyFirst);
    }
  });
});

function countFlips(before: Uint8Array, after: Uint8Array): number {
  let flips = 0;
  before.forEach((byte, index) => {
    for (let difference = byte ^ after[index]; difference !== 0; difference &= difference - 1) flips++;
  });
  return flips;
}
