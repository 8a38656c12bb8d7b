import { describe, expect, it } from 'vitest';
import { type Random, SeededRandom } from '../../src/base/random.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { EXIT, flowHash, NO_ROUTE, Routes } from '../../src/switch/forwarding.js';
import { checkTopology, type Topology } from '../../src/switch/topology.js';
import { TEST_SEED } from '../harness/seeds.js';
import { creditFrame, dataFrame, emptyFrame } from './frames.js';

const seed = TEST_SEED;
const scratch = emptyFrame();

/** The directions that a frame takes from one host to another. */
function walk(routes: Routes, bytes: Uint8Array, from: number): number[] {
  const way: number[] = [];
  let offset = routes.find(bytes, routes.switchAt(routes.localPort(from)));
  if (offset === NO_ROUTE) throw new Error('there is no route');
  for (; routes.hop(offset) !== EXIT; offset++) way.push(routes.hop(offset));
  return way;
}

/** What a credit takes from `b` to `a`, and what the data that it releases takes back. */
function roundTrip(routes: Routes, { a, b, flowId, pathId }: { a: number; b: number; flowId: number; pathId: number }) {
  const credit = creditFrame({ source: b, destination: a, flowId, pathId, into: scratch });
  const there = walk(routes, credit.bytes, b);
  const data = dataFrame({ source: a, destination: b, flowId, pathId, wireBytes: 100, into: scratch });
  return { there, back: walk(routes, data.bytes, a) };
}

function reversed(way: readonly number[]): number[] {
  return way.map((direction) => direction ^ 1).reverse();
}

/** A connected graph of random switches with parallel links and cycles, and a host at each. */
function randomTopology(random: Random): Topology {
  const below = (bound: number) => Math.floor(random.next() * bound);
  const count = 2 + below(7);
  const links: { a: string; b: string }[] = [];
  for (let node = 1; node < count; node++) links.push({ a: `s${node}`, b: `s${below(node)}` });
  for (let extra = below(12); extra > 0; extra--) {
    const a = below(count);
    links.push({ a: `s${a}`, b: `s${(a + 1 + below(count - 1)) % count}` });
  }
  for (let node = 0; node < count; node++) links.push({ a: `h${node + 1}`, b: `s${node}` });
  return checkTopology({
    hosts: Array.from({ length: count }, (_, node) => ({ id: node + 1 })),
    switches: Array.from({ length: count }, (_, node) => ({ name: `s${node}` })),
    links,
    spread: random.next() < 0.5 ? 'flow' : 'path',
  });
}

function expectSymmetry(topology: Topology, random: Random, message: string): void {
  const routes = new Routes(topology);
  const host = () => topology.hosts[Math.floor(random.next() * topology.hosts.length)].id;
  for (let trip = 0; trip < 200; trip++) {
    const flow = { a: host(), b: host(), flowId: random.uint32(), pathId: random.uint32() & 0xff };
    const { there, back } = roundTrip(routes, flow);
    // An assertion for each of so many trips would take most of the time.
    if (String(back) !== String(reversed(there))) {
      expect(back, `${message}, ${JSON.stringify(flow)}`).toEqual(reversed(there));
    }
  }
}

/** Over the path ids 1 to 255: the way back is the way out, and no way has two ids more than another. */
function expectPathSymmetry(routes: Routes, a: number, b: number): void {
  const counts = new Map<string, number>();
  for (let pathId = 1; pathId <= 255; pathId++) {
    const { there, back } = roundTrip(routes, { a, b, flowId: 1, pathId });
    const way = String(there);
    if (String(reversed(back)) !== way) expect(reversed(back), `${a} to ${b} by ${pathId}`).toEqual(there);
    counts.set(way, (counts.get(way) ?? 0) + 1);
  }
  const least = Math.floor(255 / counts.size);
  for (const count of counts.values()) if (count !== least && count !== least + 1) expect(count).toBe(least);
}

describe('the flow hash', () => {
  it('is the same for both directions', () => {
    const random = new SeededRandom(seed);
    for (let flow = 0; flow < 1000; flow++) {
      const [a, b, id] = [random.uint32() & 0xffff, random.uint32() & 0xffff, random.uint32()];
      expect(flowHash(a, b, id)).toBe(flowHash(b, a, id));
    }
  });

  it('spreads flows of consecutive ids evenly', () => {
    const counts = new Array<number>(16).fill(0);
    for (let id = 0; id < 16_000; id++) counts[flowHash(1, 2, id) % 16]++;
    // Five standard deviations of a binomial with mean 1000.
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(155);
  });

  it('depends on the hosts as well', () => {
    const values = new Set<number>();
    for (let host = 2; host < 1002; host++) values.add(flowHash(1, host, 7));
    expect(values.size).toBeGreaterThan(998);
  });
});

describe('routes', () => {
  it.each<[string, object]>([
    ['star', { hosts: 6 }],
    ['dumbbell', { pairs: 3 }],
    ['parking-lot', { bottlenecks: 6 }],
    ['multi-bottleneck', { bottlenecks: 3, receivers: 5 }],
    ['leaf-spine', { leaves: 5, spines: 4, hostsPerLeaf: 2 }],
    ['leaf-spine', { leaves: 5, spines: 3, hostsPerLeaf: 2, spread: 'path' }],
    ['fat-tree', {}],
    ['fat-tree', { spread: 'path' }],
    ['fat-tree', { pods: 3, coreSwitches: 6, aggregationPerPod: 3, torsPerPod: 2, hostsPerTor: 1 }],
  ])('lead data back along its credit in %s %j', (name, parameters) => {
    expectSymmetry(builtinTopology(name, parameters), new SeededRandom(seed), `seed ${seed}`);
  });

  it('lead data back along its credit in any topology', () => {
    for (let run = 0; run < 100; run++) {
      const random = new SeededRandom(seed + run);
      expectSymmetry(randomTopology(random), random, `seed ${seed + run}`);
    }
  });

  it.each<[string, object]>([
    ['star', { hosts: 4 }],
    ['dumbbell', { pairs: 2 }],
    ['parking-lot', { bottlenecks: 3 }],
    ['multi-bottleneck', { bottlenecks: 3, receivers: 2 }],
    ['leaf-spine', { leaves: 4, spines: 4, hostsPerLeaf: 2 }],
    ['leaf-spine', { leaves: 3, spines: 7, hostsPerLeaf: 1 }],
    ['fat-tree', { pods: 3, hostsPerTor: 1 }],
    ['fat-tree', { pods: 3, coreSwitches: 6, aggregationPerPod: 3, torsPerPod: 2, hostsPerTor: 1 }],
  ])(
    'lead data back along its credit between all hosts by every path id, and use each way as often, in %s %j',
    (name, parameters) => {
      const topology = builtinTopology(name, parameters);
      const routes = new Routes(topology);
      const ids = topology.hosts.map(({ id }) => id);
      for (const a of ids) for (const b of ids) if (a !== b) expectPathSymmetry(routes, a, b);
    },
  );

  it('follow the path id only where the topology says so, and the flow where there is none', () => {
    const way = (spread: string, flowId: number, pathId: number): string => {
      const routes = new Routes(builtinTopology('leaf-spine', { leaves: 2, spines: 4, hostsPerLeaf: 1, spread }));
      return String(roundTrip(routes, { a: 1, b: 2, flowId, pathId }).there);
    };
    for (let flowId = 1; flowId < 20; flowId++) {
      expect(way('flow', flowId, 3)).toBe(way('flow', flowId, 0));
      expect(way('path', flowId, 0)).toBe(way('flow', flowId, 0));
      expect(way('path', flowId, 3)).toBe(way('path', 1, 3));
    }
  });

  it('are as short as can be', () => {
    const { there } = roundTrip(new Routes(builtinTopology('parking-lot', { bottlenecks: 3 })), {
      a: 1,
      b: 2,
      flowId: 1,
      pathId: 0,
    });
    // Links 2, 5 and 8 of the topology are the chain's; the credit goes against their direction.
    expect(there).toEqual([17, 11, 5]);
  });

  /** ToR, aggregation, core, aggregation, ToR; within a pod the aggregation switch is the only choice. */
  it.each([
    ['one pod', 7, 2, 2],
    ['different pods', 192, 8, 4],
  ])('use all ways of a fat-tree alike between hosts in %s', (_, b, ways, hops) => {
    const routes = new Routes(builtinTopology('fat-tree'));
    const counts = new Map<string, number>();
    for (let flowId = 1; flowId <= 8000; flowId++) {
      const { there } = roundTrip(routes, { a: 1, b, flowId, pathId: 0 });
      counts.set(String(there), (counts.get(String(there)) ?? 0) + 1);
    }
    expect(counts.size).toBe(ways);
    for (const way of counts.keys()) expect(way.split(',')).toHaveLength(hops);
    // Five standard deviations of a binomial with mean 8000 / ways.
    const mean = 8000 / ways;
    for (const count of counts.values())
      expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean * (1 - 1 / ways)));
  });

  it('keep as many ways as a path id tells apart, however long they are', () => {
    const chain = Array.from({ length: 9 }, (_, node) => `s${node}`);
    const topology = checkTopology({
      hosts: [{ id: 1 }, { id: 2 }],
      switches: chain.map((name) => ({ name })),
      links: [
        { a: 'h1', b: 's0' },
        { a: 'h2', b: 's8' },
        ...chain.slice(1).flatMap((b, node) => [0, 1, 2].map(() => ({ a: `s${node}`, b }))),
      ],
      spread: 'path',
    });
    const routes = new Routes(topology);
    const ways = Array.from({ length: 255 }, (_, path) =>
      roundTrip(routes, { a: 1, b: 2, flowId: 1, pathId: path + 1 }),
    );
    expect(new Set(ways.map(({ there }) => String(there))).size).toBe(255);
    for (const { there, back } of ways) {
      expect(there).toHaveLength(8);
      expect(back).toEqual(reversed(there));
    }
  });

  it('are found between the switches of a larger fat-tree, over as many ways as there are', () => {
    const topology = builtinTopology('fat-tree', {
      pods: 6,
      coreSwitches: 16,
      aggregationPerPod: 4,
      torsPerPod: 5,
      hostsPerTor: 1,
      spread: 'path',
    });
    const routes = new Routes(topology);
    // One host at the start, one in the middle and one at the end of the list, with every other.
    for (const a of [1, 13, 30]) {
      for (const { id: b } of topology.hosts) {
        if (a === b) continue;
        const samePod = Math.floor((a - 1) / 5) === Math.floor((b - 1) / 5);
        const ways = Array.from({ length: 16 }, (_, path) => roundTrip(routes, { a, b, flowId: 1, pathId: path + 1 }));
        expect(new Set(ways.map(({ there }) => String(there))).size).toBe(samePod ? 4 : 16);
        expect(ways.map(({ back }) => back)).toEqual(ways.map(({ there }) => reversed(there)));
      }
    }
  });

  it('do not depend on which frame came first', () => {
    const topology = builtinTopology('leaf-spine', { leaves: 2, spines: 4, hostsPerLeaf: 1 });
    const parallel = checkTopology({
      hosts: [{ id: 1 }, { id: 2 }],
      switches: [{ name: 'x' }, { name: 'y' }, { name: 'z' }],
      links: [
        { a: 'h1', b: 'x' },
        { a: 'h2', b: 'z' },
        ...['x y', 'x y', 'z y', 'y z', 'z y'].map((ends) => ({ a: ends.split(' ')[0], b: ends.split(' ')[1] })),
      ],
    });
    for (const one of [topology, parallel]) {
      const [forward, backward] = [new Routes(one), new Routes(one)];
      roundTrip(forward, { a: 1, b: 2, flowId: 1, pathId: 0 });
      roundTrip(backward, { a: 2, b: 1, flowId: 1, pathId: 0 });
      for (let flowId = 1; flowId <= 100; flowId++) {
        const flow = { a: 1, b: 2, flowId, pathId: 0 };
        expect(roundTrip(backward, flow)).toEqual(roundTrip(forward, flow));
      }
    }
  });

  it('know no way to a host that the topology does not have', () => {
    const routes = new Routes(builtinTopology('star', { hosts: 2 }));
    for (const destination of [0, 3, 65_535]) {
      expect(routes.find(dataFrame({ destination, into: scratch }).bytes, 0)).toBe(NO_ROUTE);
    }
    expect(routes.localPort(3)).toBe(-1);
  });
});

describe('routes over trunks', () => {
  /** Two processes with two trunks between them, listed in different order; each has two switches and one host. */
  function process(own: number, other: number, names: readonly string[]): Topology {
    return checkTopology({
      hosts: [{ id: own }],
      switches: [{ name: 'x' }, { name: 'y' }],
      links: [
        { a: `h${own}`, b: 'x' },
        { a: 'x', b: 'y' },
        { a: 'x', b: 'y' },
      ],
      trunks: names.map((name) => ({ name, switch: 'y', address: 'a:1', hosts: [other] })),
    });
  }

  it('use the same trunk in both directions, and all of them', () => {
    const left = process(1, 2, ['north', 'south']);
    const right = process(2, 1, ['south', 'north']);
    const [leftRoutes, rightRoutes] = [new Routes(left), new Routes(right)];
    const used = new Map<string, number>();
    for (let flowId = 1; flowId <= 1000; flowId++) {
      const data = dataFrame({ source: 1, destination: 2, flowId, wireBytes: 100, into: scratch });
      const out = left.trunks[leftRoutes.exitPort(data.bytes) - 1].name;
      const way = walk(leftRoutes, data.bytes, 1);
      const credit = creditFrame({ source: 2, destination: 1, flowId, into: scratch });
      const back = right.trunks[rightRoutes.exitPort(credit.bytes) - 1].name;
      expect(back).toBe(out);
      used.set(`${out} ${way}`, (used.get(`${out} ${way}`) ?? 0) + 1);
    }
    // Two trunks times two parallel links inside: the choices are independent.
    expect(used.size).toBe(4);
    for (const count of used.values()) expect(Math.abs(count - 250)).toBeLessThan(69);
  });

  it('know which trunk leads to a host', () => {
    const topology = checkTopology({
      ...process(1, 2, ['north']),
      links: [
        { a: 'h1', b: 'x' },
        { a: 'x', b: 'y' },
      ],
      trunks: [
        { name: 'north', switch: 'y', address: 'a:1', hosts: [2, 3] },
        { name: 'south', switch: 'x', address: 'a:1', hosts: [3, 4] },
      ],
    });
    const routes = new Routes(topology);
    const behind = (port: number) => [1, 2, 3, 4, 5].filter((id) => routes.isBehind(id, port));
    expect(behind(1)).toEqual([2, 3]);
    expect(behind(2)).toEqual([3, 4]);
  });
});
