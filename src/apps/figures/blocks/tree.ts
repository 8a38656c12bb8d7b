// Tested by test/apps/figures/catalogue.test.ts
import type { WorkloadName } from '../../../sim/traffic/workloads.js';
import type { FigureDocument, Profile } from '../figure.js';

/** The fat tree of EC4's workloads. */

/** What the hosts speak. The first is the paper's: the listing, which opens at the rate of the link (EC4 §III.C). */
export const MIXES = ['ec4-literal-dctcp', 'ec4-full-rate-dctcp', 'ec4-dctcp', 'expresspass-dctcp', 'dctcp'] as const;
export type Mix = (typeof MIXES)[number];

export interface TreeCase {
  readonly workload: WorkloadName;
  readonly load: number;
}

/** The paper does not say how many (ours): as many as SprayPass's figures; of data mining 900 are XL. */
export const PAPER_FLOWS = 10_000;
export const QUICK_FLOWS: Readonly<Record<WorkloadName, number>> = { 'data-mining': 100, 'web-search': 250, 'cache-follower': 400, 'web-server': 2_000 };
/** What ec4-dctcp opens with: ExpressPass 2017 §3.3, for realistic workloads, and what ExpressPass does here. Why: docs/decisions/0015-ec4.md. */
const INITIAL_RATE = 1 / 16;
const HOSTS = 192;

/** A handful of large flows decide the 99 % of a quick run. */
export function treeSeeds(profile: Profile): number {
  return profile === 'quick' ? 2 : 1;
}

export const TREE =
  "8 core, 16 aggregation and 32 ToR switches, 192 hosts, 40 Gbit/s, links of 1 us, hosts that take 1 us over a frame, queues of 250 frames that mark above 100. Every second host sends by DCTCP. Flows of ec4-literal and ec4-full-rate open at the rate of the link, as in the paper, those of ec4 and expresspass at a sixteenth, as ExpressPass has it for realistic workloads. ec4-literal is the listing and carries the paper's values.";

export function treeDocument({ workload, load, mix }: TreeCase & { readonly mix: Mix }, profile: Profile): FigureDocument {
  const every = mix === 'dctcp' ? 1 : 2;
  const hosts = Array.from({ length: HOSTS / every }, (_, at) => `${every * (at + 1)}`);
  // The links of 192 hosts over 4.5, as for the workloads of ExpressPass.
  const loadRate = '1706.67gbit';
  return {
    algorithm: ALGORITHMS[mix],
    duration: '60s',
    topology: { name: 'fat-tree', rate: '40gbit', delay: '1us', dataQueue: '250frames', ecnThreshold: '100frames' },
    hosts: [
      ...(mix === 'ec4-dctcp' ? [{ parameters: { initial_rate: INITIAL_RATE } }] : []),
      { processing: { delay: '1us' }, nic: { dataQueue: '1000frames' } },
      { hosts, algorithm: 'dctcp' },
    ],
    flows: [{ kind: 'poisson', workload, load, loadRate, flows: profile === 'quick' ? QUICK_FLOWS[workload] : PAPER_FLOWS }],
  };
}

/** Of the hosts that do not send by DCTCP. */
const ALGORITHMS: Readonly<Record<Mix, string>> = {
  'ec4-literal-dctcp': 'ec4-literal',
  'ec4-full-rate-dctcp': 'ec4',
  'ec4-dctcp': 'ec4',
  'expresspass-dctcp': 'expresspass',
  dctcp: 'ec4',
};
