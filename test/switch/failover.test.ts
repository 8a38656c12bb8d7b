import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../src/base/random.js';
import { NEVER } from '../../src/base/time.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { Fabric } from '../../src/switch/fabric.js';
import type { DirectionSnapshot } from '../../src/switch/link-direction.js';
import { PortField } from '../../src/switch/port-record.js';
import { checkTopology, type Topology } from '../../src/switch/topology.js';
import { TEST_SEED } from '../harness/seeds.js';
import { CountingPool, creditFrame, dataFrame, type FrameOptions } from './frames.js';

const DELAY_NS = 10e6;
const FLOWS = 300;

function leafSpine(parameters: object = {}): Topology {
  return builtinTopology('leaf-spine', { leaves: 3, spines: 4, hostsPerLeaf: 1, ...parameters });
}

/** A fabric of unlimited links, through which a frame goes at once. */
class Bed {
  readonly pool = new CountingPool();
  readonly fabric: Fabric;
  nowNs = 0;

  constructor(topology: Topology) {
    this.fabric = new Fabric({ topology, random: new SeededRandom(TEST_SEED), pool: this.pool });
  }

  set(link: string, down: boolean): void {
    this.fabric.configureLink(link, { impairment: { down } }, this.nowNs);
  }

  wait(ns: number): void {
    this.nowNs += ns;
    this.fabric.advance(this.nowNs);
  }

  /** The links that a frame takes from host `from` on, by the counters of their ports, and whether it came out. */
  send(from: number, frame: ReturnType<typeof dataFrame>): { way: string[]; arrives: boolean } {
    const before = this.counts();
    this.fabric.handleFrame(from - 1, frame, this.nowNs);
    const out = this.fabric.poll();
    if (out !== null) this.pool.give(out);
    const after = this.counts();
    const taken = this.fabric.linkDirections.filter((_, index) => after[index] !== before[index]);
    const way = taken.map(({ place }) => place.name).filter((name) => name.includes('spine'));
    return { way: way.sort(), arrives: out !== null };
  }

  data(options: FrameOptions) {
    return this.send(options.source ?? 1, dataFrame({ ...options, into: this.pool.take() }));
  }

  credit(options: FrameOptions) {
    return this.send(options.source ?? 1, creditFrame({ ...options, into: this.pool.take() }));
  }

  port(name: string): DirectionSnapshot {
    return this.fabric.statistics(this.nowNs).find((port) => port.name === name) as DirectionSnapshot;
  }

  /** Data frames and credits of every direction, out of the records: a snapshot of all ports for each frame took most of the time. */
  private counts(): number[] {
    return this.fabric.linkDirections.map(({ statistics: { record } }) => {
      const { numbers, at } = record;
      return numbers[at + PortField.dataFrames] + numbers[at + PortField.creditFrames];
    });
  }
}

/** How many of many flows from host 1 to host 2 come through, and over which spines. */
function census(bed: Bed, to = 2): { arrived: number; bySpine: Record<string, number> } {
  const bySpine: Record<string, number> = {};
  let arrived = 0;
  for (let flowId = 1; flowId <= FLOWS; flowId++) {
    const { way, arrives } = bed.data({ source: 1, destination: to, flowId });
    if (arrives) arrived++;
    const spine = /->(spine\d)/.exec(way.join(' '))?.[1] ?? 'none';
    bySpine[spine] = (bySpine[spine] ?? 0) + 1;
  }
  return { arrived, bySpine };
}

/** A credit from host 2 to host 1 and the data that it releases take the same links. */
function expectSymmetry(bed: Bed, options: FrameOptions): string[] {
  const there = bed.credit({ ...options, source: 2, destination: 1 });
  const back = bed.data({ ...options, source: 1, destination: 2 });
  expect([there.arrives, back.arrives]).toEqual([true, true]);
  const turned = there.way.map((name) => name.split('->').reverse().join('->')).sort();
  expect(back.way).toEqual(turned);
  return back.way;
}

describe('a link that dies', () => {
  // One direction that is down is a dead link, since credits need both; the other still carries frames until the delay is over.
  it.each([
    ['leaf1-spine2', 'leaf1-spine2', true],
    ['leaf1->spine2', 'leaf1-spine2', true],
    ['spine2->leaf1', 'leaf1-spine2', false],
    ['leaf2-spine2', 'leaf2-spine2', true],
    ['spine2->leaf2', 'leaf2-spine2', true],
    ['leaf2->spine2', 'leaf2-spine2', false],
  ])('loses its flows until the delay is over, and none from then on: %s', (cut, link, losesData) => {
    const bed = new Bed(leafSpine());
    bed.set(cut, true);
    bed.wait(DELAY_NS - 1);
    expect(census(bed).arrived < FLOWS).toBe(losesData);
    expect(bed.fabric.unusedLinks).toEqual([]);
    bed.wait(1);
    expect(bed.fabric.unusedLinks).toEqual([link]);
    const after = census(bed);
    expect(after.arrived).toBe(FLOWS);
    expect(Object.keys(after.bySpine).sort()).toEqual(['spine1', 'spine3', 'spine4']);
  });

  it('leaves the flows of live paths where they are, and spreads its own over all of them', () => {
    const bed = new Bed(leafSpine());
    const wayOf = (flowId: number) => String(bed.data({ source: 1, destination: 2, flowId }).way);
    const before = Array.from({ length: FLOWS }, (_, flowId) => wayOf(flowId + 1));
    bed.set('leaf1-spine2', true);
    bed.wait(DELAY_NS);
    const moved: Record<string, number> = {};
    before.forEach((way, index) => {
      const now = wayOf(index + 1);
      if (!way.includes('spine2')) expect(now).toBe(way);
      else moved[now] = (moved[now] ?? 0) + 1;
    });
    const counts = Object.values(moved);
    expect(counts).toHaveLength(3);
    // A quarter of the flows, a third of them each: five standard deviations of a binomial.
    const mean = FLOWS / 12;
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean));
  });

  it('is still used by pairs of switches that it does not lie between', () => {
    const bed = new Bed(leafSpine());
    bed.set('leaf2-spine1', true);
    bed.wait(DELAY_NS);
    expect(census(bed, 2).bySpine).not.toHaveProperty('spine1');
    expect(census(bed, 3).bySpine).toHaveProperty('spine1');
  });

  it('is used again when it has been live for the delay, and not before', () => {
    const bed = new Bed(leafSpine());
    const before = census(bed);
    bed.set('leaf1-spine2', true);
    bed.wait(DELAY_NS);
    bed.set('leaf1-spine2', false);
    bed.wait(DELAY_NS - 1);
    expect(census(bed).bySpine).not.toHaveProperty('spine2');
    bed.wait(1);
    expect(census(bed)).toEqual(before);
    expect(bed.fabric.nextTimeout()).toBe(NEVER);
  });

  it('takes nothing out of use in less than the delay, nor where failover is off', () => {
    for (const failoverDelayNs of [DELAY_NS, NEVER]) {
      const bed = new Bed(leafSpine({ failoverDelayNs }));
      bed.set('leaf1-spine2', true);
      bed.wait(DELAY_NS - 1);
      if (failoverDelayNs === DELAY_NS) bed.set('leaf1-spine2', false);
      bed.wait(100 * DELAY_NS);
      expect(bed.fabric.unusedLinks).toEqual([]);
      expect(census(bed).bySpine).toHaveProperty('spine2');
    }
  });

  it('is out of use from the start where it is down from the start', () => {
    const topology = leafSpine();
    const links = topology.links.map((link) =>
      link.name === 'leaf1-spine2' ? { ...link, impairment: { down: true } } : link,
    );
    expect(census(new Bed({ ...topology, links })).arrived).toBe(FLOWS);
  });

  it('carries frames that were on their way to it around, once the delay is over', () => {
    const bed = new Bed(leafSpine({ delayNs: 1000, rateBps: 1e9 }));
    bed.set('leaf1-spine2', true);
    bed.wait(DELAY_NS - 1500);
    // On the link from the host when the choice changes.
    bed.wait(1000);
    for (let flowId = 1; flowId <= FLOWS; flowId++)
      bed.fabric.handleFrame(
        0,
        dataFrame({ source: 1, destination: 2, flowId, wireBytes: 84, into: bed.pool.take() }),
        bed.nowNs,
      );
    let arrived = 0;
    while (bed.fabric.nextTimeout() !== NEVER) {
      bed.wait(bed.fabric.nextTimeout() - bed.nowNs);
      for (let frame = bed.fabric.poll(); frame !== null; frame = bed.fabric.poll()) {
        arrived++;
        bed.pool.give(frame);
      }
    }
    expect(arrived).toBe(FLOWS);
    expect(bed.pool.out).toBe(0);
  });
});

describe('both directions', () => {
  it('of a flow take the same live links, by hash and by path id', () => {
    const bed = new Bed(leafSpine());
    for (const link of ['spine3->leaf2', 'leaf1-spine1']) {
      bed.set(link, true);
      bed.wait(DELAY_NS);
      for (let flowId = 1; flowId <= 40; flowId++) {
        for (const pathId of [0, 1, 2, 3, 4, 7, 255])
          expectSymmetry(bed, { flowId, pathId, label: 1000 * flowId + pathId });
      }
    }
    expect(bed.fabric.unusedLinks).toEqual(['leaf2-spine3', 'leaf1-spine1']);
  });

  it('of sprayed credits are spread evenly over what is left, whichever path ids had a dead path', () => {
    const bed = new Bed(leafSpine());
    bed.set('leaf2-spine2', true);
    bed.wait(DELAY_NS);
    const bySpine: Record<string, number> = {};
    const credits = 1200;
    for (let label = 1; label <= credits; label++) {
      const spine = /spine\d/.exec(expectSymmetry(bed, { flowId: 5, pathId: 1 + (label % 4), label }).join(' '));
      bySpine[String(spine)] = (bySpine[String(spine)] ?? 0) + 1;
    }
    expect(bySpine).toEqual({ spine1: credits / 3, spine3: credits / 3, spine4: credits / 3 });
  });

  it('take a longer way where all the shortest are dead', () => {
    const bed = new Bed(leafSpine({ spines: 2 }));
    // Between leaf1 and leaf2: up by one spine, down to leaf3, and up by the other.
    bed.set('leaf1-spine1', true);
    bed.set('leaf2-spine2', true);
    bed.wait(DELAY_NS);
    expect(expectSymmetry(bed, { flowId: 1 })).toEqual([
      'leaf1->spine2',
      'leaf3->spine1',
      'spine1->leaf2',
      'spine2->leaf3',
    ]);
    expect(census(bed).arrived).toBe(FLOWS);
  });
});

describe('a partition', () => {
  it('drops and counts what has no way, and mends as soon as a link is back', () => {
    const bed = new Bed(leafSpine());
    const cut = (down: boolean) => {
      for (const spine of [1, 2, 3, 4]) bed.set(`leaf1-spine${spine}`, down);
    };
    cut(true);
    bed.wait(DELAY_NS);
    expect(census(bed).arrived).toBe(0);
    const drops = [1, 2, 3, 4].map((spine) => bed.port(`leaf1->spine${spine}`).drops.down ?? 0);
    expect(drops.reduce((sum, count) => sum + count)).toBe(FLOWS);
    cut(false);
    expect(census(bed).arrived).toBe(FLOWS);
    expect(bed.pool.out).toBe(0);
  });
});

describe('a switch that stops', () => {
  it('is gone around after the delay, until it has been back for as long', () => {
    const bed = new Bed(leafSpine());
    bed.fabric.stopSwitch('spine2', bed.nowNs);
    bed.wait(DELAY_NS - 1);
    expect(census(bed).arrived).toBeLessThan(FLOWS);
    bed.wait(1);
    expect(bed.fabric.unusedLinks).toEqual(['leaf1-spine2', 'leaf2-spine2', 'leaf3-spine2']);
    expect(census(bed).arrived).toBe(FLOWS);
    bed.fabric.startSwitch('spine2', bed.nowNs);
    bed.wait(DELAY_NS);
    expect(census(bed).bySpine).toHaveProperty('spine2');
  });
});

describe('trunks', () => {
  const topology = checkTopology({
    hosts: [{ id: 1 }],
    switches: [{ name: 'x' }],
    links: [{ a: 'h1', b: 'x' }],
    trunks: ['north', 'south', 'west'].map((name) => ({ name, switch: 'x', address: 'a:1', hosts: [2] })),
  });
  const trunksUsed = (bed: Bed): string[] => {
    const used = new Set<number>();
    for (let flowId = 1; flowId <= FLOWS; flowId++) {
      bed.fabric.handleFrame(0, dataFrame({ source: 1, destination: 2, flowId, into: bed.pool.take() }), bed.nowNs);
      const frame = bed.fabric.poll();
      if (frame === null) continue;
      used.add(frame.port);
      bed.pool.give(frame);
    }
    return [...used].map((port) => topology.trunks[port - 1].name).sort();
  };

  it('that are dead are left out as links are', () => {
    const bed = new Bed(topology);
    expect(trunksUsed(bed)).toEqual(['north', 'south', 'west']);
    bed.set('south', true);
    bed.wait(DELAY_NS);
    expect(trunksUsed(bed)).toEqual(['north', 'west']);
    bed.set('north', true);
    bed.set('west', true);
    bed.wait(DELAY_NS);
    expect(trunksUsed(bed)).toEqual([]);
    expect(bed.port('h1->x').drops).toEqual({});
    bed.set('south', false);
    expect(trunksUsed(bed)).toEqual(['south']);
    bed.wait(DELAY_NS);
    expect(trunksUsed(bed)).toEqual(['south']);
  });
});

describe('many failures and returns', () => {
  it('leave no frame on a dead link, whatever dies, once the delay is over', () => {
    const random = new SeededRandom(TEST_SEED);
    const topology = builtinTopology('fat-tree', {
      pods: 3,
      coreSwitches: 4,
      aggregationPerPod: 2,
      torsPerPod: 2,
      hostsPerTor: 1,
    });
    const core = topology.links.filter(({ a, b }) => !a.startsWith('h') && !b.startsWith('h'));
    const bed = new Bed(topology);
    const dead = new Set<string>();
    for (let round = 0; round < 60; round++) {
      const { name } = core[Math.floor(random.next() * core.length)];
      if (dead.has(name)) dead.delete(name);
      else if (dead.size < 5) dead.add(name);
      for (const link of core) bed.set(link.name, dead.has(link.name));
      bed.wait(DELAY_NS);
      expect([...bed.fabric.unusedLinks].sort(), `seed ${TEST_SEED}`).toEqual([...dead].sort());
      const lostBefore = bed.fabric.statistics(bed.nowNs).reduce((sum, { drops }) => sum + (drops.down ?? 0), 0);
      for (let flowId = 1; flowId <= 30; flowId++) bed.data({ source: 1, destination: 6, flowId });
      const lost = bed.fabric.statistics(bed.nowNs).reduce((sum, { drops }) => sum + (drops.down ?? 0), 0);
      expect(lost - lostBefore, `seed ${TEST_SEED}`).toBe(0);
    }
  });
});
