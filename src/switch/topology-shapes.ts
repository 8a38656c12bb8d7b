// Tested by test/switch/builtin-topologies.test.ts
import type { LinkFields } from './link-settings.js';
import type { LinkDraft } from './topology.js';

/** Counts by name, within their bounds. */
export type Counts = Readonly<Record<string, number>>;

/** Settings of the links at hosts, of those between switches, and of those among them that lead to an aggregation switch from below. */
export interface Settings {
  readonly edge: LinkFields;
  readonly core: LinkFields;
  readonly aggregation: LinkFields;
}

/** What `checkTopology` takes. */
export interface Draft {
  readonly hosts: { id: number }[];
  readonly switches: { name: string }[];
  readonly links: LinkDraft[];
}

export function star(counts: Counts, { edge }: Settings): Draft {
  const hosts = hostList(counts.hosts);
  return { hosts, switches: [{ name: 's1' }], links: hosts.map(({ id }) => hostLink(id, 's1', edge)) };
}

export function dumbbell(counts: Counts, { edge, core }: Settings): Draft {
  const hosts = hostList(counts.pairs * 2);
  const edges = hosts.map(({ id }) => hostLink(id, id <= counts.pairs ? 'left' : 'right', edge));
  return {
    hosts,
    switches: [{ name: 'left' }, { name: 'right' }],
    links: [switchLink('left', 'right', core), ...edges],
  };
}

export function parkingLot({ bottlenecks }: Counts, { edge, core }: Settings): Draft {
  const links = [hostLink(1, 's1', edge), hostLink(2, `s${bottlenecks + 1}`, edge)];
  for (let index = 1; index <= bottlenecks; index++) {
    links.push(switchLink(`s${index}`, `s${index + 1}`, core));
    links.push(hostLink(2 * index + 1, `s${index}`, edge), hostLink(2 * index + 2, `s${index + 1}`, edge));
  }
  return { hosts: hostList(2 * bottlenecks + 2), switches: named('s', bottlenecks + 1), links };
}

/**
 * ExpressPass 2017, Figure 11, as in the authors' ns-2 script (kaist-ina/ns2-xpass, multi-bottleneck.tcl): one host sends all flows; its own link is link 1 and
 * has the bottlenecks' settings.
 */
export function multiBottleneck({ bottlenecks, receivers }: Counts, { edge, core }: Settings): Draft {
  const hosts = hostList(2 + receivers);
  const links = [hostLink(1, 's1', core), hostLink(2, 's1', edge)];
  for (let index = 1; index < bottlenecks; index++) links.push(switchLink(`s${index}`, `s${index + 1}`, core));
  for (const { id } of hosts.slice(2)) links.push(hostLink(id, `s${bottlenecks}`, edge));
  return { hosts, switches: named('s', bottlenecks), links };
}

export function leafSpine(counts: Counts, { edge, core }: Settings): Draft {
  const hosts = hostList(counts.leaves * counts.hostsPerLeaf);
  const leaves = named('leaf', counts.leaves);
  const spines = named('spine', counts.spines);
  const edges = hosts.map(({ id }) => hostLink(id, leaves[Math.floor((id - 1) / counts.hostsPerLeaf)].name, edge));
  const cores = leaves.flatMap((leaf) => spines.map((spine) => switchLink(leaf.name, spine.name, core)));
  return { hosts, switches: [...leaves, ...spines], links: [...cores, ...edges] };
}

/**
 * Three tiers as in the authors' ns-2 script (kaist-ina/ns2-xpass, large-scale-fattree.tcl): core switch i has one link to each pod, to its aggregation switch
 * i modulo `aggregationPerPod`.
 */
export function fatTree(counts: Counts, { edge, aggregation, core }: Settings): Draft {
  const { pods, coreSwitches, aggregationPerPod, torsPerPod, hostsPerTor } = counts;
  const tors = named('tor', pods * torsPerPod);
  const aggregations = named('agg', pods * aggregationPerPod);
  const cores = named('core', coreSwitches);
  const hosts = hostList(tors.length * hostsPerTor);
  const upper = aggregations.flatMap((lower, index) =>
    everyNth(cores, index % aggregationPerPod, aggregationPerPod).map(({ name }) => switchLink(lower.name, name, core)),
  );
  const middle = tors.flatMap((lower, index) => {
    const first = Math.floor(index / torsPerPod) * aggregationPerPod;
    const above = aggregations.slice(first, first + aggregationPerPod);
    return above.map(({ name }) => switchLink(lower.name, name, aggregation));
  });
  const edges = hosts.map(({ id }) => hostLink(id, tors[Math.floor((id - 1) / hostsPerTor)].name, edge));
  return { hosts, switches: [...tors, ...aggregations, ...cores], links: [...upper, ...middle, ...edges] };
}

function everyNth<T>(all: readonly T[], first: number, step: number): T[] {
  return all.filter((_, index) => index % step === first);
}

function hostList(count: number): { id: number }[] {
  return Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
}

function named(prefix: string, count: number): { name: string }[] {
  return Array.from({ length: count }, (_, index) => ({ name: `${prefix}${index + 1}` }));
}

function hostLink(host: number, at: string, settings: LinkFields): LinkDraft {
  return { name: `h${host}`, a: `h${host}`, b: at, ...settings };
}

function switchLink(a: string, b: string, settings: LinkFields): LinkDraft {
  return { name: `${a}-${b}`, a, b, ...settings };
}
