import { expect, it } from 'vitest';
import { bothDirections, directionNames, LinkNames } from '../../src/scenario/link-names.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { buildDirections } from '../../src/switch/fabric-directions.js';
import { checkTopology } from '../../src/switch/topology.js';

const PARALLEL = checkTopology({
  hosts: [{ id: 1 }, { id: 2 }],
  switches: [{ name: 'a' }, { name: 'b' }],
  links: [
    { a: 'h1', b: 'a' },
    { a: 'h2', b: 'b' },
    { name: 'one', a: 'a', b: 'b' },
    { name: 'two', a: 'a', b: 'b' },
    { name: 'three', a: 'b', b: 'a' },
  ],
});

it.each([
  ['a star', builtinTopology('star')],
  ['a fat tree', builtinTopology('fat-tree')],
  ['parallel links', PARALLEL],
])('names the directions as the fabric does: %s', (_, topology) => {
  const { directions } = buildDirections({ topology, earlyNs: 0, makeSeed: () => 1 });
  expect(directionNames(topology)).toEqual(directions.map(({ place }) => place.name));
});

it('finds a link by its own name and by that of a direction', () => {
  const names = new LinkNames(PARALLEL);
  expect(names.find('two', []).name).toBe('two');
  expect(names.find('a->b', []).name).toBe('one');
  expect(names.find('b->a#three', []).name).toBe('three');
  names.checkDirections(['a->b#two', 'h1->a'], []);
  expect(() => names.checkDirections(['a->b', 'two'], ['bottlenecks'])).toThrow(
    "bottlenecks.1 is 'two', and there is no such link",
  );
});

it('names both directions of a link, and those of no parallel one', () => {
  expect(bothDirections(PARALLEL, ['a->b#two', 'b->b2', 'h1->a'])).toEqual(['h1->a', 'a->h1', 'a->b#two', 'b->a#two']);
  expect(bothDirections(PARALLEL, [])).toEqual([]);
});
