// Tested by test/sim/fuzz/smaller.test.ts
import { NO_IMPAIRMENT } from '../../switch/impairment.js';
import { checkTopology, type Topology } from '../../switch/topology.js';
import type { Fault, HostileSpec, HostSpec, Scenario, TrafficSpec } from '../scenario.js';
import type { MakeFabric } from '../world.js';
import { withTimeBound } from './random-scenario.js';
import { type Finding, tryScenario } from './trial.js';

type Draft = Omit<Scenario, 'durationNs'>;

/** Settings of an endpoint that stay: other idle timeouts would move the end of the run, and with it what counts as never. */
const KEPT_FIELDS: readonly string[] = ['idleTimeoutNs', 'connectTimeoutNs'];

/** Ways to remove one thing from a scenario, the largest first. Each gives playable scenarios: hosts exist, faults end. */
export const REDUCTIONS: readonly ((scenario: Draft) => Iterable<Draft>)[] = [
  fewerLies,
  fewerFaults,
  fewerEntries,
  lessTraffic,
  withoutHosts,
  withoutLinks,
  plainHosts,
  plainerHosts,
  withoutBytes,
];

/** Liars stay: a world without them breaks in other ways. */
function* fewerLies(scenario: Draft): Iterable<Draft> {
  const { hostile = [] } = scenario;
  for (const fewer of subsets(hostile)) if (fewer.length > 0) yield { ...scenario, hostile: fewer };
  for (const fewer of replaced(hostile, smallerLiar)) yield { ...scenario, hostile: fewer };
}

function* smallerLiar(liar: HostileSpec): Iterable<HostileSpec> {
  const lastsNs = liar.untilNs - liar.fromNs;
  if (lastsNs > 2 * liar.gapNs) yield { ...liar, untilNs: liar.fromNs + lastsNs / 2 };
  for (const lateNs of subsets(liar.lateNs)) yield { ...liar, lateNs };
  if (liar.changeShare > 0) yield { ...liar, changeShare: 0 };
  if (liar.isOnPath) yield { ...liar, isOnPath: false };
  else if (liar.spoofs) yield { ...liar, spoofs: false };
  for (const tricks of subsets(liar.tricks)) if (tricks.length > 0) yield { ...liar, tricks };
}

function* fewerFaults(scenario: Draft): Iterable<Draft> {
  for (const faults of subsets(scenario.faults)) if (everyFaultEnds(faults)) yield { ...scenario, faults };
}

function* fewerEntries(scenario: Draft): Iterable<Draft> {
  for (const traffic of subsets(scenario.traffic)) if (traffic.length > 0) yield { ...scenario, traffic };
}

function* lessTraffic(scenario: Draft): Iterable<Draft> {
  for (const traffic of replaced(scenario.traffic, smallerTraffic)) yield { ...scenario, traffic };
}

function* plainHosts(scenario: Draft): Iterable<Draft> {
  if (scenario.hosts.some(isSpecial)) yield { ...scenario, hosts: scenario.hosts.map(plainHost) };
}

function* plainerHosts(scenario: Draft): Iterable<Draft> {
  for (const hosts of replaced(scenario.hosts, smallerHost)) yield { ...scenario, hosts };
}

function* withoutBytes(scenario: Draft): Iterable<Draft> {
  const { payload, doors = false, hostile = [] } = scenario;
  if (hostile.length > 0) return;
  if (doors) yield { ...scenario, doors: false };
  if (payload === 'bytes') yield { ...scenario, payload: 'lengths', doors: false };
}

/** Half of a list, a quarter, and so on down to one entry or two less. */
function* subsets<T>(items: readonly T[]): Iterable<readonly T[]> {
  for (let size = Math.ceil(items.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < items.length; from += size) yield items.filter((_, at) => at < from || at >= from + size);
  }
  for (let one = 0; one < items.length; one++) {
    for (let other = one + 1; other < items.length; other++) yield items.filter((_, at) => at !== one && at !== other);
  }
}

/** The list with one entry replaced by a smaller one. */
function* replaced<T>(items: readonly T[], smaller: (item: T) => Iterable<T>): Iterable<readonly T[]> {
  for (const [at, item] of items.entries()) {
    for (const less of smaller(item)) yield items.with(at, less);
  }
}

function* smallerTraffic(spec: TrafficSpec): Iterable<TrafficSpec> {
  if (spec.startJitterNs > 0) yield { ...spec, startJitterNs: 0 };
  switch (spec.kind) {
    case 'flow':
      if (spec.count > 1) yield { ...spec, count: Math.floor(spec.count / 2) };
      break;
    case 'incast':
      if (spec.rounds > 1) yield { ...spec, rounds: 1 };
      for (const from of subsets(spec.from)) if (from.length > 0) yield { ...spec, from };
      break;
    case 'permutation':
    case 'shuffle':
      for (const hosts of subsets(spec.hosts)) if (hosts.length > 1) yield { ...spec, hosts };
      break;
    case 'poisson':
      if (spec.flows > 1) yield { ...spec, flows: Math.floor(spec.flows / 2) };
      return;
  }
  if (spec.bytes > 1) {
    yield { ...spec, bytes: 1 };
    yield { ...spec, bytes: Math.ceil(spec.bytes / 2) };
  }
}

function plainHost(host: HostSpec): HostSpec {
  const kept = Object.entries(host.endpoint).filter(([field]) => KEPT_FIELDS.includes(field));
  return { id: host.id, endpoint: Object.fromEntries(kept), nic: {}, processing: NO_TIME, clockDriftPpm: 0 };
}

const NO_TIME = { delayNs: 0, jitterNs: 0 };

function isSpecial({ endpoint, nic, processing, clockDriftPpm }: HostSpec): boolean {
  const fields = [...Object.keys(endpoint).filter((field) => !KEPT_FIELDS.includes(field)), ...Object.keys(nic)];
  return fields.length > 0 || processing.delayNs + processing.jitterNs > 0 || clockDriftPpm !== 0;
}

function* smallerHost(host: HostSpec): Iterable<HostSpec> {
  const { endpoint, nic, processing, clockDriftPpm } = host;
  if (isSpecial(host)) yield plainHost(host);
  if (clockDriftPpm !== 0) yield { ...host, clockDriftPpm: 0 };
  if (processing.delayNs + processing.jitterNs > 0) yield { ...host, processing: NO_TIME };
  if (Object.keys(nic).length > 0) yield { ...host, nic: {} };
  for (const field of Object.keys(endpoint)) {
    if (KEPT_FIELDS.includes(field)) continue;
    yield { ...host, endpoint: Object.fromEntries(Object.entries(endpoint).filter(([name]) => name !== field)) };
  }
}

/** One host less, of those that nobody speaks of, with its link. */
function* withoutHosts(scenario: Draft): Iterable<Draft> {
  const { topology, traffic, faults, hosts } = scenario;
  const used = new Set([
    ...traffic.flatMap(hostsOfTraffic),
    ...(scenario.hostile ?? []).map(({ host }) => host),
    ...faults.flatMap((fault) => ('host' in fault ? [fault.host] : [])),
  ]);
  for (const { id, name } of topology.hosts) {
    if (used.has(id)) continue;
    const links = topology.links.filter(({ a, b }) => a !== name && b !== name);
    if (!faults.every((fault) => concerns(fault, links))) continue;
    const fewer = { ...topology, hosts: topology.hosts.filter((host) => host.id !== id), links };
    yield { ...scenario, topology: fewer, hosts: hosts.filter((host) => host.id !== id) };
  }
}

/** One link between switches less, or one switch at the end of a link, where the rest hangs together without it. */
function* withoutLinks(scenario: Draft): Iterable<Draft> {
  const { topology, faults } = scenario;
  const names = new Set(topology.switches.map(({ name }) => name));
  for (const gone of topology.links) {
    if (!(names.has(gone.a) && names.has(gone.b))) continue;
    const links = topology.links.filter((link) => link !== gone);
    if (!faults.every((fault) => concerns(fault, links))) continue;
    const switches = topology.switches.filter(({ name }) => links.some(({ a, b }) => a === name || b === name));
    if (faults.some((fault) => fault.kind === 'switchRestart' && !switches.some(({ name }) => name === fault.switch)))
      continue;
    const fewer = connected({ ...topology, links, switches });
    if (fewer !== null) yield { ...scenario, topology: fewer };
  }
}

/** null for a topology that is none. */
function connected(topology: Topology): Topology | null {
  const links = topology.links.map(({ name, a, b, port, impairment }) => ({ name, a, b, ...port, ...impairment }));
  try {
    return checkTopology({ ...topology, links });
  } catch {
    return null;
  }
}

function concerns(fault: Fault, links: Topology['links']): boolean {
  if (fault.kind !== 'link') return true;
  return links.some(({ name, a, b }) => [name, `${a}->${b}`, `${b}->${a}`].includes(fault.link));
}

function hostsOfTraffic(spec: TrafficSpec): readonly number[] {
  switch (spec.kind) {
    case 'flow':
      return [spec.from, spec.to];
    case 'incast':
      return [...spec.from, spec.to];
    case 'poisson':
      return [...spec.from, ...spec.to];
    default:
      return spec.hosts;
  }
}

/** Whether every link and reader is at last as it was at first: faults come in pairs, the second of which undoes the first. A clock may go on as it goes. */
export function everyFaultEnds(faults: readonly Fault[]): boolean {
  const open = new Map<string, boolean>();
  for (const fault of faults) {
    if (fault.kind === 'reader') open.set(`reader ${fault.host}`, Number.isFinite(fault.rateBps));
    if (fault.kind !== 'link') continue;
    for (const [field, value] of [...Object.entries(fault.impairment), ...Object.entries(fault.port)]) {
      const key = `${fault.link} ${field}`;
      open.set(key, !isMended(field, value, open.has(key)));
    }
  }
  return ![...open.values()].includes(true);
}

/** A rate has no neutral value: the second change sets it back. */
function isMended(field: string, value: unknown, isSecond: boolean): boolean {
  if (field === 'rateBps') return isSecond;
  return value === NO_IMPAIRMENT[field as keyof typeof NO_IMPAIRMENT];
}

/** Scenarios that are tried at most: some seconds (ours). */
const MOST_TRIALS = 600;

interface Minimised {
  readonly scenario: Scenario;
  readonly finding: Finding;
  readonly trials: number;
}

/** The smallest scenario found that breaks the same check or assertion (delta debugging, Zeller and Hildebrandt 2002). */
export function minimise(scenario: Scenario, finding: Finding, makeFabric?: MakeFabric): Minimised {
  return new Minimiser({ scenario, finding, trials: 0 }, makeFabric).run();
}

class Minimiser {
  private best: Minimised;
  private readonly makeFabric: MakeFabric | undefined;
  private trials = 0;

  constructor(best: Minimised, makeFabric: MakeFabric | undefined) {
    this.best = best;
    this.makeFabric = makeFabric;
  }

  run(): Minimised {
    for (let before: Minimised | null = null; before !== this.best; ) {
      before = this.best;
      for (const reduce of REDUCTIONS) while (this.improve(reduce(this.best.scenario)));
    }
    return { ...this.best, trials: this.trials };
  }

  /** True if one of the drafts is as bad: it is the best from now on. */
  private improve(drafts: Iterable<Omit<Scenario, 'durationNs'>>): boolean {
    for (const draft of drafts) {
      if (this.trials >= MOST_TRIALS) return false;
      this.trials++;
      const scenario = withTimeBound(draft);
      const { finding } = tryScenario(scenario, this.makeFabric);
      if (finding?.check !== this.best.finding.check) continue;
      this.best = { scenario, finding, trials: this.trials };
      return true;
    }
    return false;
  }
}
