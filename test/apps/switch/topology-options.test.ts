import { describe, expect, it } from 'vitest';
import { resolveOptions } from '../../../src/apps/shared/options.js';
import { chooseTopology, TOPOLOGY_OPTIONS } from '../../../src/apps/switch/topology-options.js';
import { longName } from '../../../src/base/value-kind.js';
import { BUILTIN_TOPOLOGIES, builtinCounts } from '../../../src/switch/builtin-topologies.js';

/** Options as they would stand on a command line. */
function choose(options: Readonly<Record<string, string>>) {
  const given = new Map(Object.entries(options).map(([key, text]) => [longName(key), [text]]));
  return chooseTopology(resolveOptions(TOPOLOGY_OPTIONS, given));
}

describe('the options of a topology', () => {
  it('give a star of eight hosts with unlimited links when there are none', async () => {
    const { name, topology, trunks } = await choose({});
    expect(name).toBe('star');
    expect(topology.hosts).toHaveLength(8);
    expect(topology.links.every(({ port }) => port.rateBps === Number.POSITIVE_INFINITY)).toBe(true);
    expect(trunks).toEqual([]);
  });

  it.each<[Record<string, string>, number, number]>([
    [{ topology: 'star', hosts: '3' }, 3, 3],
    [{ topology: 'dumbbell', pairs: '2' }, 4, 5],
    [{ topology: 'parking-lot', bottlenecks: '3' }, 8, 11],
    [{ topology: 'multi-bottleneck', bottlenecks: '3', receivers: '5' }, 7, 9],
    [
      {
        topology: 'fat-tree',
        pods: '2',
        coreSwitches: '4',
        aggregationPerPod: '2',
        torsPerPod: '3',
        hostsPerTor: '5',
      },
      30,
      8 + 12 + 30,
    ],
    [{ topology: 'leaf-spine', leaves: '2', spines: '3', hostsPerLeaf: '5' }, 10, 16],
  ])('shape built-in topologies: %o', async (options, hosts, links) => {
    const { topology } = await choose(options);
    expect(topology.hosts).toHaveLength(hosts);
    expect(topology.links).toHaveLength(links);
  });

  it.each(BUILTIN_TOPOLOGIES)('have one for every count of %s', async (name) => {
    for (const { name: key } of builtinCounts(name)) {
      expect(TOPOLOGY_OPTIONS).toHaveProperty(key);
      await expect(choose({ topology: name, [key]: '2' })).resolves.toBeDefined();
    }
  });

  it('give all links their settings, and those between switches their own', async () => {
    const { topology } = await choose({
      topology: 'dumbbell',
      pairs: '1',
      linkRate: '10g',
      coreRate: '100mbit',
      delay: '20us',
      coreDelay: '1ms',
      creditQueue: '16',
      dataQueue: '65frames',
      ecnThreshold: '30KiB',
      frameSize: '8972',
      spread: 'path',
    });
    const [core, edge] = topology.links;
    const shared = {
      creditQueueFrames: 16,
      dataQueueBytes: 65 * 9038,
      ecnThresholdBytes: 30_720,
      maxFrameBytes: 8972,
    };
    expect(core.port).toMatchObject({ rateBps: 1e8, delayNs: 1e6, ...shared });
    expect(edge.port).toMatchObject({ rateBps: 1e10, delayNs: 20_000, ...shared });
    expect(topology.spread).toBe('path');
  });

  it('spoil every link with --loss', async () => {
    const { topology } = await choose({ hosts: '2', loss: '5%' });
    expect(topology.links.map(({ impairment }) => impairment.lossRate)).toEqual([0.05, 0.05]);
  });

  it.each([
    [
      { topology: 'strar' },
      "unknown topology 'strar'; did you mean 'star'?; allowed: star, dumbbell, parking-lot, multi-bottleneck, leaf-spine, fat-tree, or a",
    ],
    [{ topology: 'constructor' }, "unknown topology 'constructor'; allowed: star"],
    [{ topology: 'no/such.yaml' }, "topology file 'no/such.yaml' does not exist"],
    [
      { topology: 'dumbbell', hosts: '4' },
      '--hosts is not for topology dumbbell; allowed with it: --pairs, --link-rate',
    ],
    [{ coreRate: '1g' }, '--core-rate is not for topology star; allowed with it: --hosts, --link-rate'],
    [
      { topology: 'a.yaml', linkRate: '1g' },
      "--link-rate is for built-in topologies; the file 'a.yaml' itself says it",
    ],
    [{ linkRate: 'fast' }, "--link-rate 'fast' is not allowed; allowed: a rate"],
    [{ ecnThreshold: 'x' }, "--ecn-threshold 'x' is not allowed; allowed: a size from 0 up"],
    [{ loss: '101%' }, "--loss '101%' is not allowed; allowed: a part from 0% to 100%"],
    [{ topology: 'leaf-spine', leaves: '501' }, "--leaves '501' is not allowed; allowed: a whole number from 1 to 500"],
  ])('are refused with what is allowed: %o', async (options, sentence) => {
    await expect((async () => choose(options))()).rejects.toThrow(sentence);
  });
});
