import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { NEVER } from '../../src/base/time.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { Fabric, type FabricOptions } from '../../src/switch/fabric.js';
import type { DirectionSnapshot } from '../../src/switch/link-direction.js';
import { MAX_LINE_FRAMES } from '../../src/switch/link-direction.js';
import { checkTopology } from '../../src/switch/topology.js';
import { dataCreditSequence, frameType, hopLimit } from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import { FrameType, Header } from '../../src/wire/layout.js';
import { TEST_SEED } from '../harness/seeds.js';
import { CountingPool, creditFrame, dataFrame, type FrameOptions, FULL_WIRE_BYTES } from './frames.js';

const seed = TEST_SEED;
/** Of a full frame at 1 Gbit/s. */
const FULL_NS = FULL_WIRE_BYTES * 8;

class Bed {
  readonly pool = new CountingPool();
  readonly fabric: Fabric;

  constructor(options: Partial<FabricOptions> & Pick<FabricOptions, 'topology'>) {
    this.fabric = new Fabric({ random: new SeededRandom(seed), pool: this.pool, ...options });
  }

  data(options: FrameOptions = {}): Frame {
    return dataFrame({ ...options, into: this.pool.take() });
  }

  credit(options: FrameOptions = {}): Frame {
    return creditFrame({ ...options, into: this.pool.take() });
  }

  /** Frames that have come out, given back to the pool. */
  drain(): { port: number; atNs: number; label: number; type: number }[] {
    const out = [];
    for (let frame = this.fabric.poll(); frame !== null; frame = this.fabric.poll()) {
      const { port, atNs, bytes } = frame;
      out.push({ port, atNs, label: dataCreditSequence(bytes), type: frameType(bytes) });
      this.pool.give(frame);
    }
    return out;
  }

  /** The same with everything that is still to come. */
  finish() {
    const out = this.drain();
    while (this.fabric.nextTimeout() !== NEVER) {
      this.fabric.advance(this.fabric.nextTimeout());
      out.push(...this.drain());
    }
    return out;
  }

  port(name: string, nowNs = 0): DirectionSnapshot {
    const found = this.fabric.statistics(nowNs).find((port) => port.name === name);
    if (found === undefined) throw new Error(`no port ${name}`);
    return found;
  }
}

describe('a fabric of unlimited links', () => {
  it('passes frames through at once, by the port of their destination', () => {
    const bed = new Bed({ topology: builtinTopology('leaf-spine') });
    for (let destination = 2; destination <= 16; destination++) {
      bed.fabric.handleFrame(0, bed.data({ source: 1, destination, label: destination }), 500);
      expect(bed.drain()).toEqual([{ port: destination - 1, atNs: 500, label: destination, type: FrameType.data }]);
    }
    expect(bed.fabric.nextTimeout()).toBe(NEVER);
    expect(bed.pool.out).toBe(0);
  });

  it('takes one off the hop limit at each switch', () => {
    const bed = new Bed({ topology: builtinTopology('parking-lot', { bottlenecks: 3 }) });
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 2 }), 0);
    expect(hopLimit(bed.fabric.poll()!.bytes)).toBe(63 - 4);
  });

  it('drops a frame whose hop limit is used up where it would be forwarded', () => {
    const bed = new Bed({ topology: builtinTopology('parking-lot', { bottlenecks: 3 }) });
    const frame = bed.data({ source: 1, destination: 2 });
    frame.bytes[Header.hopLimitAndEcn] = (2 << 2) | 2;
    bed.fabric.handleFrame(0, frame, 0);
    expect(bed.finish()).toEqual([]);
    expect(bed.port('s2->s3').drops).toEqual({ hopLimit: 1 });
    expect(bed.pool.out).toBe(0);
  });

  it('drops and counts a frame to an unknown host', () => {
    const bed = new Bed({ topology: builtinTopology('star', { hosts: 2 }) });
    bed.fabric.handleFrame(0, bed.data({ destination: 99 }), 0);
    bed.fabric.handleFrame(0, bed.data({ destination: 0 }), 0);
    expect(bed.finish()).toEqual([]);
    expect(bed.port('h1->s1').drops).toEqual({ noRoute: 2 });
  });
});

describe('virtual time in a fabric', () => {
  const topology = builtinTopology('dumbbell', {
    pairs: 2,
    rateBps: 1e9,
    edge: { delayNs: 10_000 },
    core: { delayNs: 30_000 },
  });

  it('adds the uplink delay, and at each port the transmission and the delay', () => {
    const bed = new Bed({ topology });
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 3 }), 1000);
    expect(bed.finish().map(({ atNs }) => atNs)).toEqual([1000 + 10_000 + FULL_NS + 30_000 + FULL_NS + 10_000]);
  });

  it('serialises what meets at a port, in the order of arrival there', () => {
    const bed = new Bed({ topology });
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 3, label: 1 }), 0);
    bed.fabric.handleFrame(1, bed.data({ source: 2, destination: 4, label: 2 }), 100);
    const arrivalNs = 10_000 + FULL_NS + 30_000 + FULL_NS + 10_000;
    expect(bed.finish()).toEqual([
      { port: 2, atNs: arrivalNs, label: 1, type: FrameType.data },
      { port: 3, atNs: arrivalNs + FULL_NS, label: 2, type: FrameType.data },
    ]);
    expect(bed.port('left->right', 1e6)).toMatchObject({ dataQueueBytesMax: FULL_WIRE_BYTES });
    expect(bed.port('right->h3', 1e6)).toMatchObject({ dataQueueBytesMax: 0 });
  });

  it('hands frames to the caller when their last transmission starts', () => {
    const bed = new Bed({ topology });
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 3 }), 0);
    const startNs = 10_000 + FULL_NS + 30_000;
    bed.fabric.advance(startNs - 1);
    expect(bed.drain()).toEqual([]);
    expect(bed.fabric.nextTimeout()).toBe(startNs);
    bed.fabric.advance(startNs);
    expect(bed.drain().map(({ atNs }) => atNs)).toEqual([startNs + FULL_NS + 10_000]);
  });

  it('holds them until the last bit arrives, or the time before it that was asked for', () => {
    const arrivalNs = 10_000 + FULL_NS + 30_000 + FULL_NS + 10_000;
    for (const earlyNs of [0, 5000]) {
      const bed = new Bed({ topology, earlyNs });
      bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 3 }), 0);
      bed.fabric.advance(arrivalNs - earlyNs - 1);
      expect(bed.drain()).toEqual([]);
      expect(bed.fabric.nextTimeout()).toBe(arrivalNs - earlyNs);
      bed.fabric.advance(arrivalNs - earlyNs);
      expect(bed.drain().map(({ atNs }) => atNs)).toEqual([arrivalNs]);
    }
  });

  it('gives frames in the order of their arrivals over all hosts when it holds them', () => {
    const star = builtinTopology('star', { hosts: 3, rateBps: 1e9 });
    const bed = new Bed({ topology: star, earlyNs: 0 });
    bed.fabric.configureLink('h2', { port: { delayNs: 50_000 } }, 0);
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 2, label: 1 }), 0);
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 3, label: 2 }), 0);
    bed.fabric.advance(1e9);
    expect(bed.drain().map(({ label }) => label)).toEqual([2, 1]);
  });

  it('takes departures that lie ahead', () => {
    const bed = new Bed({ topology, earlyNs: 0 });
    const frame = bed.data({ source: 1, destination: 3 });
    frame.atNs = 7000;
    bed.fabric.handleDeparture(0, frame, 0);
    expect(bed.finish().map(({ atNs }) => atNs)).toEqual([7000 + 10_000 + FULL_NS + 30_000 + FULL_NS + 10_000]);
  });

  it('takes a departure or a stamp that lies behind as now', () => {
    const bed = new Bed({ topology: builtinTopology('star', { hosts: 2, delayNs: 1000 }) });
    bed.fabric.advance(5000);
    const frame = bed.data();
    frame.atNs = 3000;
    bed.fabric.handleDeparture(0, frame, 4000);
    bed.fabric.handleFrame(0, bed.data(), 1000);
    bed.fabric.handleFrame(0, bed.data(), 4500);
    expect(bed.finish().map(({ atNs }) => atNs)).toEqual([7000, 7000, 7000]);
  });

  it('does the same in whatever steps the caller comes', () => {
    for (let run = 0; run < 20; run++) {
      const fine = randomRun(seed + run, (bed, nowNs) => {
        while (bed.fabric.nextTimeout() <= nowNs) bed.fabric.advance(bed.fabric.nextTimeout());
      });
      const coarse = randomRun(seed + run, () => {});
      expect(coarse, `seed ${seed + run}`).toEqual(fine);
      expect(fine.frames.length).toBeGreaterThan(50);
    }
  });
});

/** Random traffic over a parking lot with impairments on every link; `step` comes before each frame. */
function randomRun(runSeed: number, step: (bed: Bed, nowNs: number) => void) {
  const random = new SeededRandom(runSeed);
  const impairments = {
    lossRate: 0.05,
    duplicateRate: 0.05,
    reorderRate: 0.05,
    reorderDelayNs: 30_000,
    jitterNs: 3000,
  };
  const topology = builtinTopology('parking-lot', { bottlenecks: 2, rateBps: 1e9, delayNs: 4000, ...impairments });
  const bed = new Bed({ topology, earlyNs: 0, random: new SeededRandom(runSeed) });
  let nowNs = 0;
  for (let label = 0; label < 300; label++) {
    nowNs += Math.floor(random.next() ** 3 * 30_000);
    const source = 1 + Math.floor(random.next() * 6);
    const destination = 1 + Math.floor(random.next() * 6);
    const frame = random.next() < 0.5 ? bed.data({ source, destination, label }) : bed.credit({ source, destination });
    step(bed, nowNs);
    bed.fabric.handleFrame(source - 1, frame, nowNs);
  }
  bed.fabric.advance(1e12);
  const frames = bed.drain();
  expect(bed.pool.out).toBe(0);
  return { frames, statistics: bed.fabric.statistics(1e12) };
}

describe('impaired links', () => {
  const star = (settings: object) => builtinTopology('star', { hosts: 2, ...settings });

  function sendMany(bed: Bed, count: number): void {
    for (let label = 0; label < count; label++) {
      bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 2, label, wireBytes: 100 }), label * 1000);
    }
  }

  it('act on one direction or on both, and can be changed while frames flow', () => {
    const bed = new Bed({ topology: star({}) });
    bed.fabric.configureLink('s1->h2', { impairment: { down: true } }, 0);
    sendMany(bed, 10);
    expect(bed.finish()).toEqual([]);
    expect(bed.port('s1->h2').drops).toEqual({ down: 10 });
    bed.fabric.configureLink('s1->h2', { impairment: { down: false } }, 1e6);
    bed.fabric.configureLink('h1', { impairment: { lossRate: 1 } }, 1e6);
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 2 }), 1e6);
    bed.fabric.handleFrame(1, bed.data({ source: 2, destination: 1 }), 1e6);
    expect(bed.finish()).toEqual([]);
    expect(bed.port('h1->s1').drops).toEqual({ lost: 1 });
    expect(bed.port('s1->h1').drops).toEqual({ lost: 1 });
    bed.fabric.configureLink('h1', { impairment: { lossRate: 0 } }, 1e6);
    sendMany(bed, 5);
    expect(bed.finish()).toHaveLength(5);
    expect(bed.pool.out).toBe(0);
  });

  it('duplicate frames right behind the original', () => {
    const bed = new Bed({ topology: star({}) });
    bed.fabric.configureLink('h1->s1', { impairment: { duplicateRate: 1 } }, 0);
    sendMany(bed, 3);
    expect(bed.finish().map(({ label }) => label)).toEqual([0, 0, 1, 1, 2, 2]);
    expect(bed.port('h1->s1').duplicated).toBe(3);
    expect(bed.pool.out).toBe(0);
  });

  it('copy a duplicate whole even into a smaller buffer', () => {
    const bed = new Bed({ topology: star({}) });
    bed.fabric.configureLink('h1->s1', { impairment: { duplicateRate: 1 } }, 0);
    const small = bed.pool.take();
    small.bytes = new Uint8Array(20);
    const frame = bed.data({ source: 1, destination: 2 });
    bed.pool.give(small);
    bed.fabric.handleFrame(0, frame, 0);
    const [first, second] = [bed.fabric.poll()!, bed.fabric.poll()!];
    expect(second).not.toBe(first);
    expect(second.bytes.subarray(0, second.length)).toEqual(first.bytes.subarray(0, first.length));
  });

  it('reorder by holding frames back while others pass', () => {
    const bed = new Bed({ topology: star({}), earlyNs: 0 });
    bed.fabric.configureLink('h1->s1', { impairment: { reorderRate: 0.2, reorderDelayNs: 3500 } }, 0);
    sendMany(bed, 1000);
    const labels = bed.finish().map(({ label }) => label);
    expect(labels).toHaveLength(1000);
    const late = labels.filter((label, index) =>
      labels.slice(Math.max(index - 4, 0), index).some((one) => one > label),
    );
    const reordered = bed.port('h1->s1', 1e9).reordered;
    expect(Math.abs(reordered - 200), `seed ${seed}`).toBeLessThan(64);
    // A held frame falls three places behind; at the very end there may be nothing left to overtake it.
    expect(late.length, `seed ${seed}`).toBeGreaterThanOrEqual(reordered - 20);
    expect(Math.max(...labels.map((label, index) => Math.abs(label - index)))).toBeLessThanOrEqual(4);
  });

  it('corrupt in place', () => {
    const bed = new Bed({ topology: star({}) });
    bed.fabric.configureLink('s1->h2', { impairment: { corruptRate: 1 } }, 0);
    const frame = bed.data({ source: 1, destination: 2 });
    const before = frame.bytes.slice();
    bed.fabric.handleFrame(0, frame, 0);
    const out = bed.fabric.poll()!;
    expect(out.bytes.subarray(1, out.length)).not.toEqual(before.subarray(1, out.length));
    expect(bed.port('s1->h2')).toMatchObject({ corrupted: 1, drops: {} });
  });

  it('drop what they corrupt in a world without checks, or where the payload is only counted', () => {
    const unchecked = new Bed({ topology: star({ corruptRate: 1 }), checked: false });
    unchecked.fabric.handleFrame(0, unchecked.data(), 0);
    const phantom = new Bed({ topology: star({ corruptRate: 1 }) });
    const frame = phantom.data({ wireBytes: 92 });
    frame.phantomBytes = 1000;
    phantom.fabric.handleFrame(0, frame, 0);
    for (const bed of [unchecked, phantom]) {
      expect(bed.finish()).toEqual([]);
      expect(bed.port('h1->s1').drops).toEqual({ corrupted: 1 });
      expect(bed.pool.out).toBe(0);
    }
  });

  it('delay and jitter without reordering', () => {
    const bed = new Bed({ topology: star({}), earlyNs: 0 });
    bed.fabric.configureLink('h1->s1', { impairment: { extraDelayNs: 50_000, jitterNs: 20_000 } }, 0);
    sendMany(bed, 500);
    const out = bed.finish();
    expect(out.map(({ label }) => label)).toEqual(Array.from({ length: 500 }, (_, label) => label));
    const delays = out.map(({ atNs, label }) => atNs - label * 1000);
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(50_000);
    expect(Math.max(...delays)).toBeLessThan(70_000);
  });

  it('stamp frames in their order when the delay of the last link shrinks', () => {
    const bed = new Bed({ topology: star({}) });
    bed.fabric.configureLink('s1->h2', { port: { delayNs: 100_000 } }, 0);
    bed.fabric.handleFrame(0, bed.data({ label: 1 }), 0);
    bed.fabric.configureLink('s1->h2', { port: { delayNs: 0 } }, 10);
    bed.fabric.handleFrame(0, bed.data({ label: 2 }), 20);
    expect(bed.drain()).toMatchObject([
      { label: 1, atNs: 100_000 },
      { label: 2, atNs: 100_000 },
    ]);
  });

  it('keep the order when the rate becomes unlimited while a frame is on the link', () => {
    const bed = new Bed({ topology: star({ rateBps: 1e9 }), earlyNs: 0 });
    for (let label = 1; label <= 3; label++) bed.fabric.handleFrame(0, bed.data({ label }), 0);
    bed.fabric.configureLink('h2', { port: { rateBps: Number.POSITIVE_INFINITY } }, 100);
    expect(bed.finish().map(({ label, atNs }) => [label, atNs])).toEqual([
      [1, FULL_NS],
      [2, FULL_NS],
      [3, FULL_NS],
    ]);
  });

  it('do not carry a frame out by the port of another switch when its destination was corrupted on the way', () => {
    const topology = builtinTopology('parking-lot', { bottlenecks: 1, core: { delayNs: 10_000 } });
    const bed = new Bed({ topology });
    const [trunk] = bed.fabric.configureLink('s1->s2', { impairment: { corruptRate: 1 } }, 0);
    trunk.impairment.corrupt = ({ bytes }) => {
      bytes[Header.destination + 1] = 3;
    };
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 2 }), 0);
    expect(bed.finish()).toEqual([]);
    expect(bed.port('s1->s2').drops).toEqual({ noRoute: 1 });
  });
});

describe('the bounds of a fabric', () => {
  it('drop and count what a link cannot hold on its way', () => {
    const bed = new Bed({ topology: builtinTopology('star', { hosts: 2, delayNs: 1e9 }) });
    for (let label = 0; label < MAX_LINE_FRAMES + 10; label++)
      bed.fabric.handleFrame(0, bed.data({ wireBytes: 100 }), 0);
    expect(bed.port('h1->s1').drops).toEqual({ lineFull: 10 });
    expect(bed.pool.out).toBe(MAX_LINE_FRAMES);
    expect(bed.finish()).toHaveLength(MAX_LINE_FRAMES);
    expect(bed.pool.out).toBe(0);
  });

  it('drop and count what nobody polls', () => {
    const bed = new Bed({ topology: builtinTopology('star', { hosts: 2 }) });
    for (let label = 0; label < 65_536 + 5; label++) bed.fabric.handleFrame(0, bed.data({ wireBytes: 100 }), 0);
    expect(bed.port('s1->h2').drops).toEqual({ outputFull: 5 });
    expect(bed.pool.out).toBe(65_536);
  });
});

describe('trunks of a fabric', () => {
  const topology = checkTopology({
    hosts: [{ id: 1 }],
    switches: [{ name: 's1' }],
    links: [{ a: 'h1', b: 's1' }],
    trunks: [{ name: 't1', switch: 's1', address: 'a:1', hosts: [9], rateBps: 1e9, delayNs: 5000 }],
  });

  it('meter and delay what leaves, and leave what comes in to the other side', () => {
    const bed = new Bed({ topology });
    bed.fabric.handleFrame(0, bed.data({ source: 1, destination: 9 }), 0);
    bed.fabric.handleFrame(1, bed.data({ source: 9, destination: 1 }), 0);
    expect(bed.finish().map(({ port, atNs }) => ({ port, atNs }))).toEqual([
      { port: 1, atNs: FULL_NS + 5000 },
      { port: 0, atNs: 0 },
    ]);
    bed.fabric.configureLink('t1', { port: { delayNs: 9000 } }, 0);
    bed.fabric.handleFrame(1, bed.data({ source: 9, destination: 1 }), 1000);
    expect(bed.finish().map(({ atNs }) => atNs)).toEqual([1000]);
  });
});

describe('statistics of a fabric', () => {
  it('have one entry for each direction of each link, with unique names', () => {
    const topology = checkTopology({
      hosts: [{ id: 1 }, { id: 2 }],
      switches: [{ name: 'a' }, { name: 'b' }],
      links: [
        { a: 'h1', b: 'a' },
        { a: 'h2', b: 'b' },
        { name: 'core1', a: 'a', b: 'b' },
        { name: 'core2', a: 'b', b: 'a' },
      ],
    });
    const ports = new Bed({ topology }).fabric.statistics(0);
    expect(ports.map(({ name }) => name)).toEqual([
      'h1->a',
      'a->h1',
      'h2->b',
      'b->h2',
      'a->b',
      'b->a',
      'b->a#core2',
      'a->b#core2',
    ]);
    expect(ports[4]).toMatchObject({ link: 'core1', from: 'a', to: 'b', rateBps: null });
  });

  it('refuse an unknown link by its name', () => {
    const bed = new Bed({ topology: builtinTopology('star', { hosts: 2 }) });
    expect(() => bed.fabric.configureLink('h7', { impairment: { down: true } }, 0)).toThrow(
      "unknown link 'h7'; known links: h1, h2",
    );
  });
});

describe('a switch that is stopped', () => {
  const topology = builtinTopology('dumbbell', { pairs: 1, rateBps: 1e9, delayNs: 10e3 });

  it('loses what it holds and what comes, counts it, and takes frames again once it is started', () => {
    const bed = new Bed({ topology });
    for (const label of [1, 2, 3]) bed.fabric.handleFrame(0, bed.data({ label, destination: 2 }), 0);
    // At 10 us they come to `left`, where the first is sent at once and the others wait.
    bed.fabric.advance(11e3);
    bed.fabric.stopSwitch('left', 11e3);
    bed.fabric.handleFrame(0, bed.data({ label: 4, destination: 2 }), 12e3);
    bed.fabric.advance(40e3);
    expect(bed.port('left->right', 40e3).drops).toEqual({ switchDown: 2 });
    expect(bed.port('h1->left', 40e3).drops).toEqual({ switchDown: 1 });
    bed.fabric.startSwitch('left', 50e3);
    bed.fabric.handleFrame(0, bed.data({ label: 5, destination: 2 }), 50e3);
    expect(bed.finish().map(({ label }) => label)).toEqual([1, 5]);
    expect(bed.pool.out).toBe(0);
  });

  it('does not concern what waits at another', () => {
    const bed = new Bed({ topology });
    bed.fabric.configureLink('right->h2', { port: { rateBps: 1e8 } }, 0);
    for (const label of [1, 2]) bed.fabric.handleFrame(0, bed.data({ label, destination: 2 }), 0);
    bed.fabric.stopSwitch('left', 60e3);
    expect(bed.finish().map(({ label }) => label)).toEqual([1, 2]);
  });

  it('has to exist', () => {
    expect(() => new Bed({ topology }).fabric.stopSwitch('middle', 0)).toThrow(
      "unknown switch 'middle'; known switches: left, right",
    );
  });
});
