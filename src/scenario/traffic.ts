// Tested by test/scenario/traffic.test.ts
import { type ConfigError, misfit, type Path, within } from '../base/config-error.js';
import { DEFAULT_CONFIG } from '../core/config.js';
import { takesWeights } from '../core/credit/registry.js';
import type {
  FlowTraffic,
  HostSpec,
  IncastTraffic,
  PermutationTraffic,
  PoissonTraffic,
  ShuffleTraffic,
  SizeDistribution,
  TrafficSpec,
} from '../sim/scenario.js';
import { checkSizeDistribution } from '../sim/traffic/size-distribution.js';
import { workload } from '../sim/traffic/workloads.js';
import type { Topology } from '../switch/topology.js';
import type { HostList } from './host-list.js';
import { CREDITS, MAX_FLOWS, type TrafficDocument } from './traffic-shape.js';

/** A sender and its receiver, by host id. */
type HostPair = readonly [from: number, to: number];

/**
 * Who sends to whom where flows are `pairs`, so that a file fits every size of its topology: in a parking lot 1 to 2 along the chain, then each
 * link's own pair; with several bottlenecks 1 to each of the others; else the first half of the hosts to the second, which in a dumbbell is from left
 * to right.
 */
function hostPairs(name: string, { hosts }: Topology): HostPair[] {
  const ids = hosts.map(({ id }) => id);
  if (name === 'parking-lot') return Array.from({ length: ids.length / 2 }, (_, at) => [ids[2 * at], ids[2 * at + 1]]);
  if (name === 'multi-bottleneck') return ids.slice(1).map((to) => [ids[0], to]);
  const half = Math.floor(ids.length / 2);
  return Array.from({ length: half }, (_, at) => [ids[at], ids[half + at]]);
}

/** What flows are resolved with. */
export interface TrafficContext {
  readonly topologyName: string;
  readonly topology: Topology;
  readonly hosts: HostList;
  /** What they are. */
  readonly hostSpecs: readonly HostSpec[];
  /** The tables that entries name with `file`, by what they say there. */
  readonly tables: ReadonlyMap<string, SizeDistribution>;
}

type Entry<K extends TrafficDocument['kind']> = Extract<TrafficDocument, { kind: K }>;

const ALL = ['all'];
/** As in the shuffle of ExpressPass 2017, section 6.2: every task sends 1 MB to every other. */
const SHUFFLE_BYTES = 1e6;
const DEFAULT_POISSON_FLOWS = 1000;
const NEVER = Number.POSITIVE_INFINITY;

/** The traffic that a document asks for. Throws a ConfigError. */
export function trafficOf(entries: readonly TrafficDocument[], context: TrafficContext): TrafficSpec[] {
  const traffic = entries.flatMap((entry, index) => new EntryReader(entry, index, context).read());
  const flows = traffic.reduce((sum, spec) => sum + flowCount(spec), 0);
  if (flows <= MAX_FLOWS) return traffic;
  throw misfit(['flows'], `are ${flows} flows; allowed: at most ${MAX_FLOWS}`);
}

/** How many flows there will be. */
function flowCount(spec: TrafficSpec): number {
  switch (spec.kind) {
    case 'flow':
      return spec.count;
    case 'permutation':
      return spec.hosts.length;
    case 'incast':
      return spec.from.length * spec.rounds;
    case 'shuffle':
      return spec.hosts.length * (spec.hosts.length - 1) * spec.tasks ** 2 * spec.rounds;
    case 'poisson':
      return spec.flows;
  }
}

/** Whether every flow ends by itself. */
export function everyFlowEnds(traffic: readonly TrafficSpec[]): boolean {
  return traffic.every((spec) => {
    if (spec.kind === 'poisson') return true;
    return Number.isFinite(spec.bytes) || (spec.kind === 'flow' && Number.isFinite(spec.stopNs));
  });
}

class EntryReader {
  private readonly entry: TrafficDocument;
  private readonly path: Path;
  private readonly context: TrafficContext;

  constructor(entry: TrafficDocument, index: number, context: TrafficContext) {
    this.entry = entry;
    this.path = ['flows', index];
    this.context = context;
  }

  read(): TrafficSpec[] {
    const specs = this.specs();
    for (const spec of specs) checkShare(spec, this.context.hostSpecs, this.path);
    return specs;
  }

  private specs(): TrafficSpec[] {
    const { entry } = this;
    switch (entry.kind) {
      case 'flow':
        return this.equalFlows(entry, this.zipped(entry));
      case 'pairs':
        return this.equalFlows(entry, this.pairs(entry));
      case 'permutation':
        return [this.permutation(entry)];
      case 'incast':
        return [this.incast(entry)];
      case 'shuffle':
        return [this.shuffle(entry)];
      case 'poisson':
        return [this.poisson(entry)];
    }
  }

  private base() {
    const {
      kind,
      group = kind,
      start: startNs = 0,
      startJitter: startJitterNs = 0,
      algorithm,
      weight,
      class: creditClass,
    } = this.entry;
    const windowAlgorithm = algorithm === CREDITS ? '' : algorithm;
    const share = { ...(weight !== undefined && { weight }), ...(creditClass !== undefined && { creditClass }) };
    return {
      group,
      startNs,
      startJitterNs,
      ...(windowAlgorithm !== undefined && { windowAlgorithm }),
      ...((weight ?? creditClass) !== undefined && { share }),
    };
  }

  private equalFlows(entry: Entry<'flow' | 'pairs'>, pairs: readonly HostPair[]): FlowTraffic[] {
    const { bytes = NEVER, count = 1, stop: stopNs = NEVER } = entry;
    const base = this.base();
    if (stopNs <= base.startNs) throw this.problem('stop', 'is not after the start; allowed: a later time, or never');
    return pairs.map(([from, to]) => ({ kind: 'flow', ...base, from, to, bytes, count, stopNs }));
  }

  /** One sender for each receiver, or one for all; flows from a host to itself, as `from: all` has them, are left out. */
  private zipped(entry: Entry<'flow'>): HostPair[] {
    const from = this.hosts(entry.from, 'from');
    const to = this.hosts(entry.to, 'to');
    if (from.length !== to.length && from.length !== 1 && to.length !== 1) {
      throw this.problem('to', `names ${to.length} hosts and from ${from.length}; allowed: as many, or one`);
    }
    const length = Math.max(from.length, to.length);
    const at = (ids: readonly number[], index: number): number => ids[ids.length === 1 ? 0 : index];
    const pairs = Array.from({ length }, (_, index): HostPair => [at(from, index), at(to, index)]);
    return this.some(
      pairs.filter(([one, other]) => one !== other),
      'to',
    );
  }

  private pairs(entry: Entry<'pairs'>): HostPair[] {
    const within = new Set(this.hosts(entry.hosts, 'hosts'));
    const pairs = hostPairs(this.context.topologyName, this.context.topology);
    return this.some(
      pairs.filter((pair) => pair.every((id) => within.has(id))),
      'hosts',
    );
  }

  private permutation({ hosts, bytes = NEVER }: Entry<'permutation'>): PermutationTraffic {
    return { kind: 'permutation', ...this.base(), hosts: this.atLeastTwo(hosts), bytes };
  }

  private incast({ from, to, bytes = NEVER, rounds = 1, every }: Entry<'incast'>): IncastTraffic {
    const receiver = this.context.hosts.findOne(to, [...this.path, 'to']);
    const senders = this.hosts(from, 'from').filter((id) => id !== receiver);
    if (rounds > 1 && every === undefined)
      throw this.problem('every', `is missing for ${rounds} rounds; allowed: a time`);
    if (rounds > 1 && bytes === NEVER) throw this.problem('bytes', `is endless with ${rounds} rounds; allowed: a size`);
    return {
      kind: 'incast',
      ...this.base(),
      from: this.some(senders, 'from'),
      to: receiver,
      bytes,
      rounds,
      everyNs: every ?? 0,
    };
  }

  private shuffle({ hosts, tasks = 1, bytes = SHUFFLE_BYTES, rounds = 1 }: Entry<'shuffle'>): ShuffleTraffic {
    return { kind: 'shuffle', ...this.base(), hosts: this.atLeastTwo(hosts), tasks, bytes, rounds };
  }

  private poisson(entry: Entry<'poisson'>): PoissonTraffic {
    const from = this.hosts(entry.from, 'from');
    const to = this.hosts(entry.to, 'to');
    if (new Set([...from, ...to]).size < 2) throw this.problem('to', 'is the sender itself; allowed: another host');
    return {
      kind: 'poisson',
      ...this.base(),
      from,
      to,
      sizes: this.sizes(entry),
      load: entry.load,
      loadRateBps: entry.loadRate ?? this.linkRates(from),
      flows: entry.flows ?? DEFAULT_POISSON_FLOWS,
    };
  }

  private sizes({ workload: name, file, points }: Entry<'poisson'>): SizeDistribution {
    const given = [name, file, points].filter((each) => each !== undefined).length;
    if (given !== 1)
      throw this.problem('workload', `is one of ${given} size tables; allowed: one of workload, file, points`);
    if (name !== undefined) return workload(name);
    if (points !== undefined) return this.pointSizes(points);
    const table = this.context.tables.get(file as string);
    if (table === undefined)
      throw this.problem('file', `is '${file}', which was not read; allowed: files of scenario files`);
    return table;
  }

  private pointSizes(points: readonly (readonly [number, number])[]): SizeDistribution {
    const sizes = { name: 'points', points: points.map(([bytes, probability]) => ({ bytes, probability })) };
    within([...this.path, 'points'], () => checkSizeDistribution(sizes), 'cannot be taken');
    return sizes;
  }

  private linkRates(from: readonly number[]): number {
    const { hosts, links } = this.context.topology;
    const names = new Set(hosts.filter(({ id }) => from.includes(id)).map(({ name }) => name));
    const ends = links.flatMap(({ a, b, port }) => [a, b].filter((end) => names.has(end)).map(() => port.rateBps));
    const sum = ends.reduce((total, rateBps) => total + rateBps, 0);
    if (Number.isFinite(sum)) return sum;
    throw this.problem('loadRate', 'is missing, and links of the senders are unlimited; allowed: a rate');
  }

  private hosts(words: readonly string[] | undefined, key: string): number[] {
    return this.context.hosts.find(words ?? ALL, [...this.path, key]);
  }

  private atLeastTwo(words: readonly string[] | undefined): number[] {
    const found = this.hosts(words, 'hosts');
    if (found.length < 2) throw this.problem('hosts', 'names one host; allowed: two or more');
    return found;
  }

  private some<T>(found: readonly T[], key: string): T[] {
    if (found.length === 0) throw this.problem(key, 'leaves no flow; allowed: hosts of which some send to others');
    return [...found];
  }

  private problem(key: string, predicate: string): ConfigError {
    return misfit([...this.path, key], predicate);
  }
}

/** Throws a ConfigError where flows have a weight or class that their hosts' algorithms do not know. `path`: of their entry. */
function checkShare(spec: TrafficSpec, hosts: readonly HostSpec[], path: Path): void {
  const { share } = spec;
  if (share === undefined) return;
  const { senders, receivers } = endsOf(spec);
  const { weight = 1, creditClass } = share;
  const key = weight > 1 || creditClass === undefined ? 'weight' : 'class';
  for (const { id, endpoint } of hosts) {
    const window = spec.windowAlgorithm ?? endpoint.windowAlgorithm ?? '';
    if (senders.has(id) && window !== '')
      throw misfit([...path, key], `is given for flows of ${window}; allowed: for flows with credits`);
    const { creditAlgorithm = DEFAULT_CONFIG.creditAlgorithm } = endpoint;
    if (receivers.has(id) && weight > 1 && !takesWeights(creditAlgorithm))
      throw misfit([...path, key], `is ${weight}, and ${creditAlgorithm} gives no weights; allowed: 1`);
  }
}

function endsOf(spec: TrafficSpec): { senders: ReadonlySet<number>; receivers: ReadonlySet<number> } {
  if (spec.kind === 'permutation' || spec.kind === 'shuffle')
    return { senders: new Set(spec.hosts), receivers: new Set(spec.hosts) };
  const list = (hosts: number | readonly number[]): ReadonlySet<number> => new Set([hosts].flat());
  return { senders: list(spec.from), receivers: list(spec.to) };
}
