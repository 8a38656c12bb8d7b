import { describe, expect, it } from 'vitest';
import { BUILTIN_TOPOLOGIES, builtinTopology } from '../../src/switch/builtin-topologies.js';
import type { Topology } from '../../src/switch/topology.js';
import { refusal } from '../harness/refusal.js';

function edges({ links }: Topology): string[] {
  return links.map(({ a, b }) => `${a} ${b}`).sort();
}

/** How many links the switches of a tier have from below and to above, as the topology lists them: the lower end first. */
function degrees({ switches, links }: Topology, tier: string): Set<string> {
  const names = switches.map(({ name }) => name).filter((name) => name.startsWith(tier));
  const count = (end: 'a' | 'b', wanted: string) => links.filter((link) => link[end] === wanted).length;
  return new Set(names.map((name) => `${count('b', name)} down, ${count('a', name)} up`));
}

describe('a built-in topology', () => {
  it.each(BUILTIN_TOPOLOGIES)('%s is valid without parameters', (name) => {
    expect(builtinTopology(name).hosts.length).toBeGreaterThan(1);
  });

  it('star has every host at one switch', () => {
    expect(edges(builtinTopology('star', { hosts: 3 }))).toEqual(['h1 s1', 'h2 s1', 'h3 s1']);
  });

  it('dumbbell has pairs at both ends of one link', () => {
    const topology = builtinTopology('dumbbell', { pairs: 2 });
    expect(edges(topology)).toEqual(['h1 left', 'h2 left', 'h3 right', 'h4 right', 'left right']);
  });

  it('parking-lot has a chain, a long pair at its ends and a pair across each link', () => {
    expect(edges(builtinTopology('parking-lot', { bottlenecks: 2 }))).toEqual([
      'h1 s1',
      'h2 s3',
      'h3 s1',
      'h4 s2',
      'h5 s2',
      'h6 s3',
      's1 s2',
      's2 s3',
    ]);
  });

  it('leaf-spine joins every leaf to every spine', () => {
    expect(edges(builtinTopology('leaf-spine', { leaves: 2, spines: 2, hostsPerLeaf: 2 }))).toEqual([
      'h1 leaf1',
      'h2 leaf1',
      'h3 leaf2',
      'h4 leaf2',
      'leaf1 spine1',
      'leaf1 spine2',
      'leaf2 spine1',
      'leaf2 spine2',
    ]);
  });

  it('multi-bottleneck has a sender and a near receiver at the start of a chain, the other receivers at its end', () => {
    expect(edges(builtinTopology('multi-bottleneck', { bottlenecks: 3, receivers: 2 }))).toEqual([
      'h1 s1',
      'h2 s1',
      'h3 s3',
      'h4 s3',
      's1 s2',
      's2 s3',
    ]);
  });

  it('multi-bottleneck gives the link of the sender the settings of the other bottlenecks', () => {
    const { links } = builtinTopology('multi-bottleneck', { edge: { rateBps: 4e10 }, core: { rateBps: 1e10 } });
    const slow = links.filter(({ port }) => port.rateBps === 1e10).map(({ name }) => name);
    expect(slow).toEqual(['h1', 's1-s2']);
    expect(links.filter(({ port }) => port.rateBps === 4e10)).toHaveLength(5);
  });

  it('fat-tree joins ToR switches to the aggregation switches of their pod, and each pod once to every core switch', () => {
    const counts = { pods: 2, coreSwitches: 4, aggregationPerPod: 2, torsPerPod: 1, hostsPerTor: 2 };
    expect(edges(builtinTopology('fat-tree', counts))).toEqual([
      'agg1 core1',
      'agg1 core3',
      'agg2 core2',
      'agg2 core4',
      'agg3 core1',
      'agg3 core3',
      'agg4 core2',
      'agg4 core4',
      'h1 tor1',
      'h2 tor1',
      'h3 tor2',
      'h4 tor2',
      'tor1 agg1',
      'tor1 agg2',
      'tor2 agg3',
      'tor2 agg4',
    ]);
  });

  it("fat-tree is by default the paper's: 8 core, 16 aggregation and 32 ToR switches, 192 hosts, 3 to 1 at the ToR switches", () => {
    const topology = builtinTopology('fat-tree');
    expect(topology.hosts).toHaveLength(192);
    const tiers = topology.switches.map(({ name }) => name.replace(/\d+$/, ''));
    expect(['core', 'agg', 'tor'].map((tier) => tiers.filter((name) => name === tier).length)).toEqual([8, 16, 32]);
    expect(degrees(topology, 'tor')).toEqual(new Set(['6 down, 2 up']));
    expect(degrees(topology, 'agg')).toEqual(new Set(['4 down, 4 up']));
    expect(degrees(topology, 'core')).toEqual(new Set(['8 down, 0 up']));
  });

  it('fat-tree takes settings for each tier of links; those between switches hold for both upper tiers', () => {
    const { links } = builtinTopology('fat-tree', {
      edge: { rateBps: 1e10 },
      core: { rateBps: 4e10, delayNs: 4000 },
      aggregation: { rateBps: 2e10 },
    });
    const seen = new Set(
      links.map(({ name, port }) => `${name.replaceAll(/\d/g, '')} ${port.rateBps} ${port.delayNs}`),
    );
    expect(seen).toEqual(new Set(['h 10000000000 0', 'tor-agg 20000000000 4000', 'agg-core 40000000000 4000']));
  });

  it('takes settings for all links, for those at hosts and for those between switches', () => {
    const { links } = builtinTopology('dumbbell', {
      pairs: 1,
      rateBps: 1e10,
      delayNs: 1000,
      edge: { delayNs: 10_000 },
      core: { delayNs: 30_000, creditQueueFrames: 16, lossRate: 0.5 },
    });
    const seen = links.map(({ name, port, impairment }) => [
      name,
      port.rateBps,
      port.delayNs,
      port.creditQueueFrames,
      impairment.lossRate,
    ]);
    expect(seen).toEqual([
      ['left-right', 1e10, 30_000, 16, 0.5],
      ['h1', 1e10, 10_000, 8, undefined],
      ['h2', 1e10, 10_000, 8, undefined],
    ]);
  });

  it('can spread by path', () => {
    expect(builtinTopology('leaf-spine', { spread: 'path' }).spread).toBe('path');
  });

  it.each<[string, string, unknown, string]>([
    [
      'an unknown name',
      'ring',
      {},
      "unknown topology 'ring'; allowed: star, dumbbell, parking-lot, multi-bottleneck, leaf-spine, fat-tree",
    ],
    [
      'a name of every object',
      'toString',
      {},
      "unknown topology 'toString'; allowed: star, dumbbell, parking-lot, multi-bottleneck, leaf-spine, fat-tree",
    ],
    [
      'too many hosts',
      'star',
      { hosts: 70_000 },
      "hosts of topology 'star' is 70000; allowed: a whole number from 1 to 65534",
    ],
    [
      'more bottlenecks than the hop limit passes',
      'parking-lot',
      { bottlenecks: 63 },
      "bottlenecks of topology 'parking-lot' is 63; allowed: a whole number from 1 to 62",
    ],
    [
      'core switches that cannot be divided among the aggregation switches',
      'fat-tree',
      { coreSwitches: 6, aggregationPerPod: 4 },
      "topology 'fat-tree' has 6 core switches for 4 aggregation switches in each pod; allowed: a multiple",
    ],
    [
      'more switches than one process has',
      'fat-tree',
      { pods: 256, torsPerPod: 256 },
      "topology 'fat-tree' would have 66056 switches; allowed: at most 1024",
    ],
    [
      'more hosts than there are ids in a fat-tree',
      'fat-tree',
      { pods: 10, torsPerPod: 10, hostsPerTor: 1000 },
      "topology 'fat-tree' would have 100000 hosts; allowed: at most 65534",
    ],
    [
      'more hosts than there are ids in a leaf-spine',
      'leaf-spine',
      { leaves: 66, hostsPerLeaf: 1000 },
      "topology 'leaf-spine' would have 66000 hosts; allowed: at most 65534",
    ],
    [
      'a wrong setting',
      'star',
      { hosts: 1, delayNs: -5 },
      "delayNs of link 'h1' is -5; allowed: a number from 0 to 100000000000",
    ],
  ])('refuses %s in one sentence', (_, name, parameters, sentence) => {
    expect(refusal(() => builtinTopology(name, parameters))).toBe(sentence);
  });

  it('refuses an unknown parameter and says which there are', () => {
    expect(() => builtinTopology('star', { pairs: 3 })).toThrow(/unknown field 'pairs'; allowed: hosts, rateBps, /);
    expect(() => builtinTopology('leaf-spine', { aggregation: {} })).toThrow(/unknown field 'aggregation'/);
    expect(() => builtinTopology('star', { edge: { speed: 3 } })).toThrow(
      /edge of topology 'star' has an unknown field 'speed'; allowed: rateBps, /,
    );
  });
});
