import { describe, expect, it } from 'vitest';
import { BUILTIN_TOPOLOGIES, builtinTopology } from '../../src/switch/builtin-topologies.js';
import { ConfigError } from '../../src/switch/config-error.js';
import type { Topology } from '../../src/switch/topology.js';

function edges({ links }: Topology): string[] {
  return links.map(({ a, b }) => `${a} ${b}`).sort();
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
    ['an unknown name', 'ring', {}, "unknown topology 'ring'; allowed: star, dumbbell, parking-lot, leaf-spine"],
    [
      'a name of every object',
      'toString',
      {},
      "unknown topology 'toString'; allowed: star, dumbbell, parking-lot, leaf-spine",
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
      'a wrong setting',
      'star',
      { hosts: 1, delayNs: -5 },
      "delayNs of link 'h1' is -5; allowed: a number from 0 to 100000000000",
    ],
  ])('refuses %s in one sentence', (_, name, parameters, sentence) => {
    expect(() => builtinTopology(name, parameters)).toThrow(new ConfigError(sentence));
  });

  it('refuses an unknown parameter and says which there are', () => {
    expect(() => builtinTopology('star', { pairs: 3 })).toThrow(/unknown field 'pairs'; allowed: hosts, rateBps, /);
    expect(() => builtinTopology('star', { edge: { speed: 3 } })).toThrow(
      /edge of topology 'star' has an unknown field 'speed'; allowed: rateBps, /,
    );
  });
});
