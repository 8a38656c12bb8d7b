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

/** A host while groups are laid over each other. */
type Draft = { -readonly [K in keyof HostSpec]: HostSpec[K] };

/** What each host of the topology is like, in its order. Throws a ConfigError. */
export function hostsOf(topology: Topology, groups: readonly PlacedGroup[], hostList: HostList): HostSpec[] {
  const ports = hostPorts(topology);
  const drafts = new Map<number, Draft>();
  for (const { id, name } of topology.hosts) drafts.set(id, plainHost(id, ports.get(name)));
  for (const placed of groups) {
    const ids = hostList.find(placed.group.hosts ?? ['all'], [...placed.path, 'hosts']);
    const check = new GroupCheck(placed);
    for (const id of ids) {
      const draft = drafts.get(id) as Draft;
      lay(placed, draft);
      check.host(draft);
    }
  }
  return [...drafts.values()];
}

/** The settings of the link at each host, by its name. */
function hostPorts({ links, hosts }: Topology): ReadonlyMap<string, PortConfig> {
  const names = new Set(hosts.map(({ name }) => name));
  const ends = links.flatMap((link) => [[link.a, link.port] as const, [link.b, link.port] as const]);
  return new Map(ends.filter(([name]) => names.has(name)));
}

/** Frames of a host are as large as its link takes, as behind a switch that says so. */
function plainHost(id: number, port: PortConfig | undefined): Draft {
  const frameBytes = port?.maxFrameBytes ?? DEFAULT_FRAME_BYTES;
  const endpoint = frameBytes === SIMULATION_CONFIG.frameBytes ? {} : { frameBytes };
  return { id, endpoint, nic: {}, processing: { delayNs: 0, jitterNs: 0 }, clockDriftPpm: 0 };
}

function lay({ group, path }: PlacedGroup, draft: Draft): void {
  draft.endpoint = layEndpoint(group, draft.endpoint);
  draft.processing = layProcessing(group, draft.processing);
  draft.clockDriftPpm = group.clockDrift ?? draft.clockDriftPpm;
  if (group.nic !== undefined) draft.nic = { ...draft.nic, ...nicOf(group.nic, draft.endpoint, [...path, 'nic']) };
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

/** Finds what a group cannot mean, once for each kind of host that it is laid over. */
class GroupCheck {
  private readonly path: Path;
  private checked = '';

  constructor({ path }: PlacedGroup) {
    this.path = path;
  }

  /** Throws a ConfigError. */
  host({ endpoint }: Draft): void {
    const key = JSON.stringify(endpoint);
    if (key === this.checked) return;
    within([...this.path, 'parameters'], () => checkAlgorithms(endpoint), 'cannot be taken');
    within([...this.path, 'endpoint'], () => endpointConfig({ ...SIMULATION_CONFIG, ...endpoint }), 'cannot be taken');
    this.checked = key;
  }
}
