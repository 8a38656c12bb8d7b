import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { refusal } from './refusal.js';

const topologyOf = (topology: unknown) => parseScenario({ topology, flows: ['pairs'] }).topology;

const EXPLICIT = {
  hosts: [{ id: 1 }, { id: 7, name: 'sink' }],
  switches: [{ name: 'west' }, { name: 'east' }],
  links: [
    { a: 'h1', b: 'west' },
    { a: 'sink', b: 'east', frameSize: 8972, dataQueue: '2frames' },
    { name: 'middle', a: 'west', b: 'east', rate: '100mbit', frameTypes: ['data', 'credit'], loss: '1%' },
  ],
};

describe('the topology of a scenario', () => {
  it('is a built-in one, with links of 10 Gbit/s and 4 us where nothing is said', () => {
    const settings = { rateBps: 1e10, delayNs: 4_000 };
    expect(topologyOf('star')).toEqual(builtinTopology('star', settings));
    expect(topologyOf({ name: 'leaf-spine', leaves: 2, spread: 'path' })).toEqual(
      builtinTopology('leaf-spine', { leaves: 2, spread: 'path', ...settings }),
    );
    expect(topologyOf({ pairs: '3' })).toEqual(builtinTopology('dumbbell', { pairs: 3, ...settings }));
  });

  it('has settings of all links, of those at hosts and of those between switches', () => {
    const written = {
      name: 'fat-tree',
      rate: '40gbit',
      creditQueue: 16,
      edge: { rate: '10gbit' },
      core: { delay: '1us', ecnThreshold: 'off' },
    };
    const meant = {
      rateBps: 4e10,
      creditQueueFrames: 16,
      delayNs: 4_000,
      edge: { rateBps: 1e10 },
      core: { delayNs: 1_000, ecnThresholdBytes: Number.POSITIVE_INFINITY },
    };
    expect(topologyOf(written)).toEqual(builtinTopology('fat-tree', meant));
    expect(topologyOf({ ...written, aggregation: { delay: '2us' } })).toEqual(
      builtinTopology('fat-tree', { ...meant, aggregation: { delayNs: 2_000 } }),
    );
  });

  it('counts queues in frames of the size that the settings give', () => {
    const [link] = topologyOf({ frameSize: 8972, core: { dataQueue: '10frames' } }).links;
    expect(link.port.dataQueueBytes).toBe(10 * (8972 + 66));
  });

  it('may list hosts, switches and links as a topology file does', () => {
    const topology = topologyOf({ ...EXPLICIT, defaults: { delay: '20us' }, spread: 'path' });
    expect(topology).toMatchObject({
      hosts: [
        { id: 1, name: 'h1' },
        { id: 7, name: 'sink' },
      ],
      spread: 'path',
    });
    const [first, second, middle] = topology.links;
    expect(first).toMatchObject({ name: 'l1', port: { rateBps: 1e10, delayNs: 20_000 } });
    expect(second.port).toMatchObject({ maxFrameBytes: 8972, dataQueueBytes: 2 * (8972 + 66) });
    expect(middle).toMatchObject({
      name: 'middle',
      port: { rateBps: 1e8 },
      impairment: { lossRate: 0.01, frameTypes: ['data', 'credit'] },
    });
  });

  it.each([
    [{ name: 'ring' }, "topology.name is 'ring'; allowed: star, dumbbell, "],
    ['ring', "topology.name is 'ring'; allowed: star, "],
    [3, "topology is '3'; allowed: star, "],
    [{ name: 'star', pairs: 3 }, "topology has the unknown key 'pairs'; allowed: name, hosts, rate"],
    [{ name: 'star', hosts: 0 }, "topology.hosts is '0'; allowed: a whole number from 1"],
    [{ name: 'star', aggregation: {} }, "topology has the unknown key 'aggregation'"],
    [{ core: { rate: '10 lightyears' } }, "topology.core.rate is '10 lightyears'; allowed: a rate"],
    [{ edge: { burst: 1 } }, "topology.edge has the unknown key 'burst'"],
    [{ ...EXPLICIT, links: EXPLICIT.links.slice(1) }, "topology cannot be built: host 'h1' has 0 links"],
    [{ ...EXPLICIT, switches: [] }, 'topology cannot be built: link'],
    [{ hosts: [{ id: 'x' }], switches: [], links: [] }, "topology.hosts.0.id is 'x'; allowed: a whole number"],
    [{ hosts: [], switches: [] }, 'topology.links is missing; allowed: a list'],
  ])('is refused where it cannot be: %j', (topology, sentence) => {
    expect(refusal({ topology })).toContain(sentence);
  });
});
