import { describe, expect, it } from 'vitest';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { buildDirections } from '../../src/switch/fabric-directions.js';
import { pathChoices } from '../../src/switch/path-choices.js';
import { checkTopology, type Topology } from '../../src/switch/topology.js';

/** The choices by the names of their ports, which have the numbers that a switch's statistics have. */
function namesOf(topology: Topology): string[][] {
  const { directions } = buildDirections({ topology, earlyNs: 0, makeSeed: () => 1 });
  return pathChoices(topology).map((choice) => choice.map((direction) => directions[direction].place.name));
}

describe('choices of path', () => {
  it('are those of a leaf among its spines', () => {
    const topology = builtinTopology('leaf-spine', { leaves: 2, spines: 3, hostsPerLeaf: 1 });
    expect(namesOf(topology)).toEqual([
      ['leaf1->spine1', 'leaf1->spine2', 'leaf1->spine3'],
      ['leaf2->spine1', 'leaf2->spine2', 'leaf2->spine3'],
    ]);
  });

  it('are on the way up of a fat tree at both tiers', () => {
    const shape = { pods: 2, coreSwitches: 4, aggregationPerPod: 2, torsPerPod: 1, hostsPerTor: 1 };
    const choices = namesOf(builtinTopology('fat-tree', shape));
    expect(choices).toHaveLength(2 + 4);
    for (const choice of choices) expect(choice).toHaveLength(2);
    expect(choices.flat().filter((name) => /^core|->tor/.test(name))).toEqual([]);
  });

  it.each(['star', 'dumbbell', 'parking-lot', 'multi-bottleneck'])('are none in a %s', (name) => {
    expect(pathChoices(builtinTopology(name))).toEqual([]);
  });

  it('are parallel links, in either direction', () => {
    const topology = checkTopology({
      hosts: [{ id: 1 }, { id: 2 }],
      switches: [{ name: 'a' }, { name: 'b' }],
      links: [
        { a: 'h1', b: 'a' },
        { a: 'b', b: 'h2' },
        { name: 'one', a: 'a', b: 'b' },
        { name: 'two', a: 'b', b: 'a' },
      ],
    });
    expect(namesOf(topology)).toEqual([
      ['a->b', 'a->b#two'],
      ['b->a', 'b->a#two'],
    ]);
  });

  it('are trunks to the same hosts', () => {
    const trunk = (name: string, hosts: number[]) => ({ name, switch: 'a', address: 'x', hosts });
    const topology = checkTopology({
      hosts: [{ id: 1 }],
      switches: [{ name: 'a' }],
      links: [{ a: 'h1', b: 'a' }],
      trunks: [trunk('t1', [2, 3]), trunk('t2', [3, 2]), trunk('t3', [4])],
    });
    expect(namesOf(topology)).toEqual([['a->t1', 'a->t2']]);
  });
});
