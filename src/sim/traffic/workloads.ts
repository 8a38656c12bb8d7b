import type { SizeDistribution } from '../scenario.js';

/**
 * Flow sizes of the ExpressPass papers: bytes and cumulative probability. Declared means (kaist-ina/ns2-xpass, large-scale-fattree.tcl) lie 1.0 to 3.7 % below
 * the tables'. Size classes are within 3 points of EC4, Table I, except web search: 16 % S and 39 % M here, 49 and 3 there.
 */
const TABLES = {
  /** A web server at Facebook (Roy et al., SIGCOMM 2015); declared mean 63,735 B. */
  'web-server': [
    [150, 0],
    [300, 0.12],
    [300, 0.2],
    [600, 0.2],
    [1000, 0.3],
    [2000, 0.4],
    [3100, 0.5],
    [6000, 0.6],
    [20_000, 0.71],
    [60_000, 0.8],
    [150_000, 0.82],
    [300_000, 0.9],
    [500_000, 1],
  ],
  /** Web search (Alizadeh et al., DCTCP, SIGCOMM 2010); declared mean 1,654,275 B. */
  'web-search': [
    [9000, 0],
    [9000, 0.15],
    [18_582, 0.2],
    [28_140, 0.3],
    [38_913, 0.4],
    [77_468, 0.53],
    [200_000, 0.6],
    [1_000_000, 0.7],
    [2_000_000, 0.8],
    [5_000_000, 0.9],
    [10_000_000, 0.97],
    [30_000_000, 1],
  ],
  /** A cache follower at Facebook (Roy et al., SIGCOMM 2015); declared mean 701,490 B. */
  'cache-follower': [
    [70, 0],
    [70, 0.01],
    [150, 0.015],
    [150, 0.04],
    [300, 0.08],
    [350, 0.1],
    [350, 0.19],
    [450, 0.2],
    [500, 0.28],
    [600, 0.3],
    [700, 0.35],
    [1100, 0.4],
    [2000, 0.42],
    [10_000, 0.48],
    [30_000, 0.5],
    [100_000, 0.52],
    [200_000, 0.6],
    [400_000, 0.68],
    [600_000, 0.7],
    [1_500_000, 0.701],
    [2_000_000, 0.8],
    [2_400_000, 0.9],
    [3_000_000, 1],
  ],
  /** Data mining (Greenberg et al., VL2, SIGCOMM 2009); declared mean 7,410,212 B. */
  'data-mining': [
    [100, 0],
    [10_000, 0.8],
    [152_522, 0.8346],
    [390_541, 0.9],
    [3_223_542, 0.953846],
    [100_000_000, 0.99],
    [1_000_000_000, 1],
  ],
} as const;

export type WorkloadName = keyof typeof TABLES;

export const WORKLOAD_NAMES = Object.keys(TABLES) as readonly WorkloadName[];

/** The workload of this name. */
export function workload(name: WorkloadName): SizeDistribution {
  return { name, points: TABLES[name].map(([bytes, probability]) => ({ bytes, probability })) };
}
