import { ConfigError, misfit, type Path } from '../base/config-error.js';
import type { ProbeSpec, Scenario, SizeDistribution } from '../sim/scenario.js';
import type { Topology } from '../switch/topology.js';
import { faultsOf } from './faults.js';
import { HostList } from './host-list.js';
import { hostsOf, type PlacedGroup } from './hosts.js';
import { LinkNames } from './link-names.js';
import { DEFAULTS, SCENARIO_SHAPE, type ScenarioDocument } from './scenario-shape.js';
import { topologyOf } from './topology.js';
import { DEFAULT_TOPOLOGY } from './topology-shape.js';
import { everyFlowEnds, trafficOf } from './traffic.js';
import { shaped } from './written.js';

/** Where a document comes from. */
export interface ScenarioOrigin {
  /** What it is called where it does not say itself. */
  readonly name?: string;
  /** Where a value stands, for errors: `scenario file 'x.yaml', line 3`. */
  readonly locate?: (path: Path) => string;
  /** Tables of flow sizes that it names as files. */
  readonly tables?: ReadonlyMap<string, SizeDistribution>;
}

/**
 * The scenario that a document means: plain data as a scenario file has it (docs/SCENARIOS.md), with quantities as texts or numbers. Throws a
 * ConfigError that names the place, the field by its path, the value and what is allowed.
 */
export function parseScenario(document: unknown, origin: ScenarioOrigin = {}): Scenario {
  try {
    return resolve(shaped(SCENARIO_SHAPE, document, 'the scenario'), origin);
  } catch (error) {
    if (!(error instanceof ConfigError) || origin.locate === undefined) throw error;
    throw new ConfigError(`${origin.locate(error.path)}: ${error.message}`, error.path);
  }
}

function resolve(document: ScenarioDocument, origin: ScenarioOrigin): Scenario {
  const written = document.topology ?? { name: DEFAULT_TOPOLOGY };
  const topology = topologyOf(written);
  const hosts = new HostList(topology.hosts);
  const links = new LinkNames(topology);
  const context = { topologyName: written.name, topology, hosts, links, tables: origin.tables ?? new Map() };
  const hostSpecs = hostsOf(topology, groupsOf(document), hosts);
  const traffic = trafficOf(document.flows, { ...context, hostSpecs });
  const bottlenecks = document.bottlenecks ?? chainOf(written.name, topology);
  links.checkDirections(bottlenecks, ['bottlenecks']);
  return {
    name: document.name ?? origin.name ?? DEFAULTS.name,
    seed: document.seed ?? DEFAULTS.seed,
    ...timesOf(document, everyFlowEnds(traffic)),
    topology,
    bottlenecks,
    hosts: hostSpecs,
    traffic,
    faults: faultsOf(document.faults ?? [], context),
    jainWindowsNs: document.jainWindows ?? DEFAULTS.jainWindowsNs,
    probes: probesOf(document, links),
    payload: document.payload ?? 'lengths',
    ...(document.ties !== undefined && { ties: document.ties }),
    ...(document.slowdowns !== undefined && { slowdowns: document.slowdowns }),
  };
}

/** What the whole scenario says of its hosts is the first group, over which those of `hosts` are laid. */
function groupsOf({ algorithm, parameters, hosts = [] }: ScenarioDocument): PlacedGroup[] {
  const common: PlacedGroup = {
    group: { ...(algorithm !== undefined && { algorithm }), ...(parameters !== undefined && { parameters }) },
    path: [],
  };
  return [common, ...hosts.map((group, index) => ({ group, path: ['hosts', index] }))];
}

/** The links of a parking lot's chain are its bottlenecks, along the way of the flow that crosses them all. */
function chainOf(name: string, { links, switches }: Topology): readonly string[] {
  if (name !== 'parking-lot') return [];
  const names = new Set(switches.map((each) => each.name));
  return links.filter(({ a, b }) => names.has(a) && names.has(b)).map(({ a, b }) => `${a}->${b}`);
}

function timesOf(document: ScenarioDocument, allEnd: boolean) {
  const durationNs = document.duration ?? (allEnd ? DEFAULTS.finiteDurationNs : DEFAULTS.endlessDurationNs);
  const warmUpNs = document.warmUp ?? (allEnd ? 0 : Math.round(durationNs * DEFAULTS.warmUpPart));
  if (warmUpNs >= durationNs) {
    throw misfit(['warmUp'], 'is not before the end of the run; allowed: a time below the duration');
  }
  const { endsWithFlows = 'auto' } = document;
  return { durationNs, warmUpNs, endsWithFlows: endsWithFlows === 'auto' ? allEnd : endsWithFlows };
}

function probesOf({ probes = {} }: ScenarioDocument, linkNames: LinkNames): ProbeSpec {
  const { interval = 0, links = [], maxFlows = DEFAULTS.maxFlows } = probes;
  linkNames.checkDirections(links, ['probes', 'links']);
  return { intervalNs: interval, links, maxFlows };
}
