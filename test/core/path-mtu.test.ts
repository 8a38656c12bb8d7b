import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { DEFAULT_CONFIG } from '../../src/core/config.js';
import { type MtuSizes, MtuState, PathMtu } from '../../src/core/path-mtu.js';
import { frameType } from '../../src/wire/decode.js';
import { Frame } from '../../src/wire/frame.js';
import { kindOf, MtuProbe, MtuProbed } from '../../src/wire/frames.js';
import { KINDS, Pair } from '../harness/pair.js';
import { TEST_SEED } from '../harness/seeds.js';

const SIZES: MtuSizes = {
  leastBytes: 548,
  baseBytes: 1_200,
  startBytes: 1_472,
  targetBytes: 8_972,
  isStartKnown: false,
};

/** One path in virtual time: probes take half an RTT there and back, and `passes` says which arrive. */
class Bench {
  nowNs = 0;
  readonly counts = { probes: 0, probesLost: 0, probesAnswered: 0, blackHoles: 0 };
  readonly path: PathMtu;
  readonly sent: number[] = [];
  passes: (size: number) => boolean;
  rttNs = 20 * MILLISECOND_NS;
  private numbers = 0xfffffffe;
  private readonly answers: { atNs: number; number: number; size: number }[] = [];

  constructor(passes: (size: number) => boolean, sizes: Partial<MtuSizes> = {}) {
    this.passes = passes;
    this.path = new PathMtu({ ...SIZES, ...sizes }, DEFAULT_CONFIG, this.counts, () => this.numbers++ >>> 0);
  }

  begin(): this {
    this.path.begin(this.nowNs);
    return this;
  }

  suspect(): void {
    this.path.suspect(this.nowNs);
  }

  run(seconds: number): this {
    const untilNs = this.nowNs + seconds * SECOND_NS;
    this.send();
    for (;;) {
      const next = Math.min(this.path.nextTimeout(), this.answers[0]?.atNs ?? NEVER);
      if (next > untilNs) break;
      this.nowNs = next;
      if (this.answers[0]?.atNs === next) {
        const { number, size } = this.answers.shift() as { number: number; size: number };
        this.path.answer(number, size, next);
      } else this.path.advance(next);
      this.send();
    }
    this.nowNs = untilNs;
    return this;
  }

  private send(): void {
    for (let probe = this.path.poll(); probe !== null; probe = this.path.poll()) {
      this.sent.push(probe.size);
      if (this.passes(probe.size)) this.answers.push({ atNs: this.nowNs + this.rttNs, ...probe });
    }
  }
}

describe('the size of frames that a path carries', () => {
  it('is found to the byte, whatever the path carries', () => {
    const scenario = fc.record({
      pathBytes: fc.integer({ min: 1_200, max: 10_000 }),
      targetBytes: fc.integer({ min: 1_000, max: 9_000 }),
      rttNs: fc.integer({ min: 1_000, max: SECOND_NS }),
    });
    fc.assert(
      fc.property(scenario, ({ pathBytes, targetBytes, rttNs }) => {
        const [startBytes, baseBytes] = [1_472, 1_200].map((bytes) => Math.min(bytes, targetBytes));
        const bench = new Bench((size) => size <= pathBytes, { targetBytes, startBytes, baseBytes });
        bench.rttNs = rttNs;
        bench.begin().run(120);
        expect(bench.path.frameBytes).toBe(Math.min(pathBytes, targetBytes));
        expect(bench.path.state).toBe(MtuState.complete);
      }),
      { numRuns: 300, seed: TEST_SEED },
    );
  });

  it('is confirmed with one try where nothing is lost, and nothing more is sent', () => {
    const bench = new Bench(() => true, { targetBytes: 1_472 }).begin().run(3_600);
    expect(bench.sent).toEqual([1_472, 1_200, 64]);
    expect(bench.path.nextTimeout()).toBe(NEVER);
  });

  it('is not asked for on a path that is known', () => {
    const bench = new Bench(() => true, { startBytes: 8_972, isStartKnown: true }).begin().run(3_600);
    expect(bench.sent).toEqual([]);
    expect(bench.path.frameBytes).toBe(8_972);
  });

  it('is the base while the size in use vanishes, and then the largest that passes', () => {
    const bench = new Bench(() => true).begin().run(10);
    expect(bench.path.frameBytes).toBe(8_972);
    bench.passes = (size) => size <= 1_400;
    bench.suspect();
    bench.run(0.5);
    expect(bench.counts.blackHoles).toBe(1);
    bench.run(10);
    expect(bench.path.frameBytes).toBe(1_400);
  });

  it('stays while the peer is away, which answers nothing at all', () => {
    const bench = new Bench(() => true).begin().run(10);
    bench.passes = () => false;
    for (let second = 0; second < 20; second++) {
      bench.suspect();
      bench.run(1);
    }
    expect(bench.path.frameBytes).toBe(8_972);
    const sent = bench.sent.length;
    bench.run(3_600);
    expect(bench.sent.length - sent).toBeLessThan(3 * 8);
  });

  it('is looked for again after 600 s, and grows with the path', () => {
    const bench = new Bench((size) => size <= 1_400).begin().run(100);
    expect(bench.path.frameBytes).toBe(1_400);
    bench.passes = (size) => size <= 4_000;
    bench.run(400);
    expect(bench.path.frameBytes).toBe(1_400);
    bench.run(200);
    expect(bench.path.frameBytes).toBe(4_000);
  });

  it('is 548 where not even the base passes, until the base does', () => {
    const bench = new Bench((size) => size <= 600).begin().run(5);
    expect(bench.path.state).toBe(MtuState.error);
    expect(bench.path.frameBytes).toBe(548);
    bench.passes = () => true;
    bench.run(15);
    expect(bench.path.frameBytes).toBe(8_972);
  });

  it('does not shrink by chance: one probe or answer in ten is lost', () => {
    const random = new SeededRandom(TEST_SEED);
    let wrong = 0;
    for (let world = 0; world < 200; world++) {
      const pathBytes = 1_300 + Math.floor(random.next() * 8_000);
      const bench = new Bench((size) => size <= pathBytes && random.next() >= 0.19);
      bench.begin().run(60);
      for (let second = 0; second < 5; second++) {
        bench.suspect();
        bench.run(30);
      }
      if (bench.path.frameBytes !== Math.min(pathBytes, 8_972)) wrong++;
    }
    expect(wrong, `seed ${TEST_SEED}`).toBeLessThanOrEqual(1);
  });

  it('goes down at once by what this system does not send, and not below the largest that passes', () => {
    const bench = new Bench((size) => size <= 1_400).begin();
    bench.path.tooLong(1_472, 0);
    expect(bench.path.frameBytes).toBe(1_200);
    bench.path.tooLong(1_472, 0);
    bench.run(10);
    expect(bench.path.frameBytes).toBe(1_400);
  });

  it('heeds each answer once, and none that was not asked for', () => {
    const bench = new Bench(() => false).begin();
    const probe = bench.path.poll();
    expect(probe).toEqual({ number: 0xfffffffe, size: 1_472 });
    expect(bench.path.answer(0xfffffffe, 1_471, 1)).toBe(false);
    expect(bench.path.answer(0xfffffffd, 1_472, 1)).toBe(false);
    expect(bench.path.answer(0xffffffff, 1_200, 1)).toBe(true);
    expect(bench.path.answer(0xffffffff, 1_200, 2)).toBe(false);
    expect(bench.path.answer(0xfffffffe, 1_472, 3)).toBe(true);
    expect(bench.path.answer(0xfffffffe, 1_472, 4)).toBe(false);
  });
});

const DISCOVERY = { unprobedFrameBytes: 1_472, frameBytes: 8_972, receiveWindowBytes: 1 << 20 };

/** A path that carries `limit.bytes` at most; it counts types of frames by name. */
function pathOf(pair: Pair, limit: { bytes: number; loss?: number }) {
  const seen = new Map<string, number>();
  pair.network = (frame) => {
    const { name } = kindOf(frameType(frame.bytes));
    seen.set(name, (seen.get(name) ?? 0) + 1);
    const isLost = limit.loss !== undefined && pair.random.next() < limit.loss;
    return frame.length > limit.bytes || isLost ? [] : [0];
  };
  return seen;
}

function sizeAt(pair: Pair, from: number): number {
  return pair.hosts[from].endpoint.mtus?.join(1 - from).payloadBytes ?? 0;
}

describe('flows on a path that carries less than is asked for', () => {
  it.each(KINDS)('of kind $kind use what it carries, and every byte arrives', ({ changes }) => {
    const pair = new Pair(1, { ...DISCOVERY, ...changes });
    const seen = pathOf(pair, { bytes: 4_000 });
    const sources = pair.start(500_000, 2);
    pair.runUntilClosed(sources, 30);
    pair.run(pair.nowNs + SECOND_NS);
    expect(pair.closings).toEqual(['in order', 'in order']);
    expect(pair.sinks[1].readers.map(({ wrong }) => wrong)).toEqual([0, 0]);
    expect(sizeAt(pair, 0)).toBe(4_000 - 26);
    expect(seen.get('MTU_PROBE')).toBeLessThan(150);
  });

  it.each(KINDS)('of kind $kind outlive a black hole in the middle', ({ changes }) => {
    const pair = new Pair(2, { ...DISCOVERY, ...changes });
    const limit = { bytes: 9_000 };
    pathOf(pair, limit);
    const sources = pair.start(3_000_000, 2);
    pair.run(0.15 * SECOND_NS);
    expect(sizeAt(pair, 0)).toBe(8_972 - 26);
    limit.bytes = 1_300;
    const tookNs = pair.runUntilClosed(sources, 60);
    expect(pair.closings).toEqual(['in order', 'in order']);
    expect(pair.sinks[1].readers.map(({ received, wrong }) => [received, wrong])).toEqual([
      [3_000_000, 0],
      [3_000_000, 0],
    ]);
    expect(sizeAt(pair, 0)).toBe(1_300 - 26);
    expect(pair.hosts[0].endpoint.mtus?.counters).toMatchObject({ blackHoles: 1 });
    // Credits pay for 9,038 wire bytes and bring 1,366: the rest of 6 MB at 100 Mbit/s takes 3 s, the search and the repairs one.
    expect(tookNs).toBeLessThan(5 * SECOND_NS);
  });

  it('vanish at the default size, where the path carries 1,250 bytes, and arrive by 1,200', () => {
    const pair = new Pair(3, { unprobedFrameBytes: 1_472 });
    pathOf(pair, { bytes: 1_250 });
    const sources = pair.start(1_000_000);
    const tookNs = pair.runUntilClosed(sources, 30);
    pair.run(pair.nowNs + SECOND_NS);
    expect(pair.closings).toEqual(['in order']);
    expect(sizeAt(pair, 0)).toBe(1_250 - 26);
    expect(tookNs).toBeLessThan(1.5 * SECOND_NS);
  });

  it('keep their size at 10 % loss', () => {
    const pair = new Pair(4, { unprobedFrameBytes: 1_472 });
    pathOf(pair, { bytes: 1_472, loss: 0.1 });
    pair.runUntilClosed(pair.start(3_000_000), 60);
    expect(pair.closings).toEqual(['in order']);
    expect(sizeAt(pair, 0)).toBe(1_472 - 26);
  });

  it('need no round trip more, and no byte more after the first answer', () => {
    const times = [{}, { unprobedFrameBytes: 1_472 }].map((changes) => {
      const pair = new Pair(5, changes);
      return pair.runUntilClosed(pair.start(100_000), 5);
    });
    expect(times[1]).toBe(times[0]);
  });
});

describe('what comes from others', () => {
  it('is answered with a frame that is shorter, a thousand times a second', () => {
    const pair = new Pair(6, { unprobedFrameBytes: 1_472 });
    const answers: Frame[] = [];
    pair.network = (frame) => {
      answers.push(frame);
      return [];
    };
    for (let number = 0; number < 2_000; number++) {
      const frame = new Frame(new Uint8Array(64));
      const header = { destination: 0, source: 0, flowId: 0 };
      frame.length = MtuProbe.encode(frame.bytes, header, { size: 64, probeNumber: number }, crc32);
      pair.inject(frame, 1, 0);
    }
    pair.run(SECOND_NS / 10);
    expect(answers.length).toBe(1_000);
    expect(pair.hosts[0].endpoint.mtus?.counters).toMatchObject({ answers: 1_000, suppressed: 1_000 });
  });

  it('counts for nothing where nobody asked for it', () => {
    const pair = new Pair(7, DISCOVERY);
    pathOf(pair, { bytes: 1_472 });
    const sources = pair.start(100_000);
    for (let number = 0; number < 100; number++) {
      const frame = new Frame(new Uint8Array(64));
      const header = { destination: 0, source: 0, flowId: 0 };
      frame.length = MtuProbed.encode(frame.bytes, header, { size: 8_972, probeNumber: number }, crc32);
      pair.inject(frame, 1, 0);
    }
    pair.runUntilClosed(sources, 5);
    expect(pair.closings).toEqual(['in order']);
    expect(sizeAt(pair, 0)).toBe(1_472 - 26);
    expect(pair.hosts[0].endpoint.mtus?.counters.unasked).toBe(100);
  });
});
