import { describe, expect, it } from 'vitest';
import { topologyText } from '../../../src/apps/lab/switch-process.js';
import { parseTopologyFile } from '../../../src/scenario/topology-file.js';
import { builtinTopology } from '../../../src/switch/builtin-topologies.js';
import type { Topology } from '../../../src/switch/topology.js';

async function readBack(topology: Topology): Promise<Topology> {
  return (await parseTopologyFile('lab.yaml', topologyText(topology))).topology;
}

describe('the topology file of a lab', () => {
  it('is read by xpass switch as what it was written from', async () => {
    for (const [name, parameters] of [
      ['star', { hosts: 3 }],
      [
        'dumbbell',
        { pairs: 2, rateBps: 1e9, delayNs: 12_345, core: { rateBps: 123_456_789, ecnThresholdBytes: 65_000 } },
      ],
      ['parking-lot', { bottlenecks: 3, rateBps: 1e8, creditQueueFrames: 16, dataQueueBytes: 384_500 }],
      ['leaf-spine', { maxFrameBytes: 8_972, creditBurstBytes: 1_472, spread: 'path' }],
    ] as const) {
      const topology = builtinTopology(name, parameters);
      expect(await readBack(topology), name).toEqual(topology);
    }
  });

  it('keeps every impairment to the last digit', async () => {
    const topology = builtinTopology('star', {
      hosts: 2,
      down: true,
      lossRate: 0.1 + 0.2,
      burstEnterRate: 1e-7,
      burstLeaveRate: 1 / 3,
      burstLossRate: 1,
      duplicateRate: 0.01,
      reorderRate: 0.02,
      reorderDelayNs: 1_234_567,
      corruptRate: 0.001,
      extraDelayNs: 5,
      jitterNs: 7e6,
      frameTypes: ['data', 'credit'],
    });
    expect(await readBack(topology)).toEqual(topology);
  });
});
