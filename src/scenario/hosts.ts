import { type Path, within } from '../base/config-error.js';
import { checkFields } from '../base/setting.js';
import { algorithmFields, checkAlgorithms } from '../core/algorithms.js';
import { type EndpointConfig, endpointConfig } from '../core/config.js';
import { SIMULATION_CONFIG } from '../sim/endpoint-defaults.js';
import type { HostSpec } from '../sim/scenario.js';
import { PORT_SETTINGS } from '../switch/link-settings.js';
import type { PortConfig } from '../switch/port.js';
import type { Topology } from '../switch/topology.js';
import { DEFAULT_FRAME_BYTES } from '../wire/layout.js';
import type { HostList } from './host-list.js';
import type { HostGroupDocument } from './host-shape.js';
import { type LinkTexts, linkFields } from './link-text.js';
import { ENDPOINT_CONSTANTS } from './setting-shapes.js';

/** A group and where it stands. */
export interface PlacedGroup {
  readonly group: HostGroupDocument;
  readonly path: Path;
}

/** What hosts of a kind have in common; they share the objects. */
type HostKind = Omit<HostSpec, 'id'>;

/** What each host of the topology is like, in its order. Throws a ConfigError. */
export function hostsOf(topology: Topology, groups: readonly PlacedGroup[], hostList: HostList): HostSpec[] {
  const kinds = plainHosts(topology);
  for (const placed of groups) {
    const laid = new Map<HostKind, HostKind>();
    for (const id of hostList.find(placed.group.hosts ?? ['all'], [...placed.path, 'hosts'])) {
      const before = kinds.get(id) as HostKind;
      const after = laid.get(before) ?? lay(placed, before);
      laid.set(before, after);
      kinds.set(id, after);
    }
  }
  return [...kinds].map(([id, kind]) => ({ id, ...kind }));
}

/** By id. Frames of a host are as large as its link takes, as behind a switch that says so. */
function plainHosts(topology: Topology): Map<number, HostKind> {
  const ports = hostPorts(topology);
  const byFrameBytes = new Map<number, HostKind>();
  const kindOf = (name: string): HostKind => {
    const frameBytes = ports.get(name)?.maxFrameBytes ?? DEFAULT_FRAME_BYTES;
    const kind = byFrameBytes.get(frameBytes) ?? plainHost(frameBytes);
    byFrameBytes.set(frameBytes, kind);
    return kind;
  };
  return new Map(topology.hosts.map(({ id, name }) => [id, kindOf(name)]));
}

/** The settings of the link at each host, by its name. */
function hostPorts({ links, hosts }: Topology): ReadonlyMap<string, PortConfig> {
  const names = new Set(hosts.map(({ name }) => name));
  const ends = links.flatMap((link) => [[link.a, link.port] as const, [link.b, link.port] as const]);
  return new Map(ends.filter(([name]) => names.has(name)));
}

function plainHost(frameBytes: number): HostKind {
  const endpoint = frameBytes === SIMULATION_CONFIG.frameBytes ? {} : { frameBytes };
  return { endpoint, nic: {}, processing: { delayNs: 0, jitterNs: 0 }, clockDriftPpm: 0 };
}

/** Throws a ConfigError where the group cannot mean this. */
function lay({ group, path }: PlacedGroup, before: HostKind): HostKind {
  const endpoint = layEndpoint(group, before.endpoint);
  const nic = group.nic === undefined ? before.nic : { ...before.nic, ...nicOf(group.nic, endpoint, [...path, 'nic']) };
  within([...path, 'parameters'], () => checkAlgorithms(endpoint), 'cannot be taken');
  within([...path, 'endpoint'], () => endpointConfig({ ...SIMULATION_CONFIG, ...endpoint }), 'cannot be taken');
  const processing = layProcessing(group, before.processing);
  return { endpoint, nic, processing, clockDriftPpm: group.clockDrift ?? before.clockDriftPpm };
}

function layProcessing({ processing }: HostGroupDocument, before: HostSpec['processing']): HostSpec['processing'] {
  const { delay = before.delayNs, jitter = before.jitterNs, work = before.workNs } = processing ?? {};
  return { delayNs: delay, jitterNs: jitter, ...(work !== undefined && { workNs: work }) };
}

function nicOf(nic: LinkTexts, { frameBytes }: Partial<EndpointConfig>, path: Path): Partial<PortConfig> {
  return within(path, () => checkFields(PORT_SETTINGS, linkFields(nic, frameBytes), 'the NIC'), 'cannot be taken');
}

/** The constants of one algorithm say nothing to another: a group that names one starts from its defaults. */
function layEndpoint(group: HostGroupDocument, before: Partial<EndpointConfig>): Partial<EndpointConfig> {
  const { algorithm, parameters, jitter, endpoint = {} } = group;
  const constants = ENDPOINT_CONSTANTS.filter(({ name }) => endpoint[name] !== undefined);
  return {
    ...before,
    ...layAlgorithm(algorithm, parameters, before),
    ...(jitter !== undefined && { jitter }),
    ...Object.fromEntries(constants.map(({ name, field }) => [field, endpoint[name]])),
  };
}

function layAlgorithm(
  algorithm: string | undefined,
  parameters: Readonly<Record<string, number>> | undefined,
  before: Partial<EndpointConfig>,
): Partial<EndpointConfig> {
  if (algorithm !== undefined) return algorithmFields(algorithm, parameters, before);
  if (parameters === undefined) return {};
  const { creditParameters, windowAlgorithm = '', windowParameters } = before;
  if (windowAlgorithm !== '') return { windowParameters: { ...windowParameters, ...parameters } };
  return { creditParameters: { ...creditParameters, ...parameters } };
}
