// Tested by test/apps/figures/blocks/spray.test.ts
import type { FigureDocument } from '../figure.js';

/** Systems by the names of their algorithms; ExpressPass goes by flow, whose links a symmetric hash picks. */
export const SPRAY_SYSTEMS = ['expresspass', 'spraypass-1', 'spraypass-2', 'spraypass'] as const;
/** What the paper's listing has where our default has something else, by algorithm. A system named `...-listing` carries the paper's values. */
const LISTINGS = { 'spraypass-1': { late_lost: 1 }, 'spraypass-2': { sent_rate: 0 }, spraypass: { sent_rate: 0 } } as const;
export type SpraySystem = (typeof SPRAY_SYSTEMS)[number] | 'expresspass-literal' | `${keyof typeof LISTINGS}-listing`;

/** Both begin as for realistic workloads (ExpressPass 2017; SprayPass Algorithm 1 has the initial rate at w_init). */
export function systemFields(system: SpraySystem, parameters: FigureDocument = {}): FigureDocument {
  const algorithm = system.replace(/-listing$/, '');
  const listing = algorithm === system ? {} : LISTINGS[algorithm as keyof typeof LISTINGS];
  return { algorithm, parameters: { initial_rate: 1 / 16, w_init: 1 / 16, ...listing, ...parameters } };
}

/** For the pages: what the two columns of SprayPass are. */
export const TWO_RULES =
  "spraypass-listing and its like have the paper's Algorithm 1 word for word and carry its values; spraypass, our default, stands beside them: it takes a decrease off the rate at which the credits were sent, instead of off the rate in force.";

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
    topology: { name: 'leaf-spine', spines: 4, leaves, hostsPerLeaf, edge: { rate: edge, delay: '3us' }, core: { rate: core, delay: '3us' } },
    hosts: [{ processing: { delay: '4us' } }],
  };
}

/** A permutation: every host sends an endless flow to the host of its number at another leaf; hosts of a leaf send to different leaves where they can. */
export function acrossLeaves({ leaves, hostsPerLeaf }: Fabric): FigureDocument[] {
  return Array.from({ length: leaves * hostsPerLeaf }, (_, index) => {
    const leaf = Math.floor(index / hostsPerLeaf);
    const place = index % hostsPerLeaf;
    const to = (leaf + 1 + (place % (leaves - 1))) % leaves;
    return { kind: 'flow', from: index + 1, to: to * hostsPerLeaf + place + 1, startJitter: '20us' };
  });
}

/** Eight hosts at each of two leaves: over-subscribed two to one over four paths. */
export const TWO_LEAVES: Fabric = { leaves: 2, hostsPerLeaf: 8, edge: '10gbit', core: '10gbit' };

/** From the hosts of the first leaf alone. */
export function fromOneLeaf(fabric: Fabric): FigureDocument[] {
  return acrossLeaves(fabric).slice(0, fabric.hostsPerLeaf);
}

/** The same with settings of every host's endpoint, if any. */
export function withEndpoint(fabric: FigureDocument, endpoint: FigureDocument | undefined): FigureDocument {
  const [host] = fabric.hosts as FigureDocument[];
  return { ...fabric, hosts: [{ ...host, ...(endpoint !== undefined && { endpoint }) }] };
}
