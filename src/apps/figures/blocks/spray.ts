// Tested by test/apps/figures/blocks/spray.test.ts
import type { SimulationRun } from '../../../sim/result.js';
import type { FigureDocument } from '../figure.js';
import type { Quantity } from './comparison.js';
import { mean } from './statistics.js';

/** Systems by the names of their algorithms; ExpressPass goes by flow, whose links a symmetric hash picks. */
export const SPRAY_SYSTEMS = ['expresspass', 'spraypass-1', 'spraypass-2', 'spraypass'] as const;
export type SpraySystem = (typeof SPRAY_SYSTEMS)[number];

/** Both begin as for realistic workloads (ExpressPass 2017; SprayPass Algorithm 1 has the initial rate at w_init). */
export function systemFields(system: SpraySystem, parameters: FigureDocument = {}): FigureDocument {
  return { algorithm: system, parameters: { initial_rate: 1 / 16, w_init: 1 / 16, ...parameters } };
}

export interface Fabric {
  readonly leaves: number;
  readonly hostsPerLeaf: number;
  readonly edge: string;
  readonly core: string;
}

/** SprayPass §IV-A: 4 spines, 24 leaves, 240 hosts. */
export const PAPER_FABRIC: Fabric = { leaves: 24, hostsPerLeaf: 10, edge: '40gbit', core: '100gbit' };

/** Four spines; eight links of 3 us there and back and 4 us in each host, which is an RTT of 32 us as in SprayPass §IV-A. */
export function leafSpine({ leaves, hostsPerLeaf, edge, core }: Fabric): FigureDocument {
  return {
    topology: {
      name: 'leaf-spine',
      spines: 4,
      leaves,
      hostsPerLeaf,
      edge: { rate: edge, delay: '3us' },
      core: { rate: core, delay: '3us' },
    },
    hosts: [{ processing: { delay: '4us' } }],
  };
}

/**
 * A permutation across leaves: every host sends one endless flow to the host of its number at another leaf and gets one, and the hosts of a leaf send to different
 * leaves as far as there are enough.
 */
export function acrossLeaves({ leaves, hostsPerLeaf }: Fabric): FigureDocument[] {
  return Array.from({ length: leaves * hostsPerLeaf }, (_, index) => {
    const leaf = Math.floor(index / hostsPerLeaf);
    const place = index % hostsPerLeaf;
    const to = (leaf + 1 + (place % (leaves - 1))) % leaves;
    return { kind: 'flow', from: index + 1, to: to * hostsPerLeaf + place + 1, startJitter: '20us' };
  });
}

function goodputs({ result }: SimulationRun): number[] {
  return result.flows.map(({ goodputBps }) => goodputBps / 1e9);
}

export const MEAN_GOODPUT: Quantity = { title: 'goodput_mean_gbps', digits: 3, of: (run) => mean(goodputs(run)) };
export const LEAST_GOODPUT: Quantity = {
  title: 'goodput_least_gbps',
  digits: 3,
  of: (run) => Math.min(...goodputs(run)),
};
export const JAIN: Quantity = { title: 'jain', digits: 4, of: ({ result }) => result.jain };
export const DISORDER_P99: Quantity = {
  title: 'disorder_p99',
  digits: 0,
  of: ({ result }) => result.disorder?.p99 ?? null,
};
export const DISORDER_MAX: Quantity = {
  title: 'disorder_max',
  digits: 0,
  of: ({ result }) => result.disorder?.max ?? null,
};
/** Of all ports and NICs, since the start. */
export const LARGEST_QUEUE: Quantity = {
  title: 'queue_bytes_max',
  digits: 0,
  of: ({ result }) => Math.max(...result.links.map(({ dataQueueBytesMaxEver }) => dataQueueBytesMaxEver)),
};
/** Of the ports that carried data, over the measured time. */
export const MEAN_QUEUE: Quantity = {
  title: 'queue_bytes_mean',
  digits: 1,
  of: ({ result }) =>
    mean(result.links.filter(({ utilisation }) => utilisation > 0).map(({ dataQueueBytesMean }) => dataQueueBytesMean)),
};
export const DATA_DROPS: Quantity = {
  title: 'data_drops',
  digits: 0,
  of: ({ result }) => result.links.reduce((sum, link) => sum + link.dataDrops, 0),
};
