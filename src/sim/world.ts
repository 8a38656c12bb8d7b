// Tested by test/sim/simulate.test.ts
import { crc32 } from '../base/crc32.js';
import { SeededRandom } from '../base/random.js';
import type { Application } from '../core/application.js';
import { endpointConfig } from '../core/config.js';
import { CreditMemory } from '../core/credit-memory.js';
import { Door, type DoorEvents } from '../core/door.js';
import { Endpoint } from '../core/endpoint.js';
import { FlowRecords } from '../core/flow-record.js';
import type { FlowTrace } from '../core/flow-trace.js';
import type { HandshakeOptions } from '../core/handshakes.js';
import { Host } from '../core/host.js';
import { Fabric } from '../switch/fabric.js';
import { DEFAULT_PORT, Port, type PortConfig } from '../switch/port.js';
import { PortRecords } from '../switch/port-record.js';
import { PortStatistics } from '../switch/port-statistics.js';
import type { Topology } from '../switch/topology.js';
import { FramePool } from '../wire/frame.js';
import { SumCookies } from './cookies.js';
import { SIMULATION_CONFIG } from './endpoint-defaults.js';
import { LinkProbe } from './measure/link-probe.js';
import { Network } from './network.js';
import type { HostSpec, Scenario } from './scenario.js';
import { SimHost } from './sim-host.js';

/** Buffers that wait to be used again (ours: what a busy world of hundreds of hosts has under way). */
const POOLED_FRAMES = 16_384;
/**
 * Flows' records in one array (ours): a world of thousands of flows has few arrays, which stay in the caches. What flows that are over leave in them
 * is little beside the rest of a run.
 */
const RECORDS_IN_ARRAY = 4_096;
/** Credits whose times and fates stand in one array (ours, likewise): 9 bytes each. */
const CREDITS_IN_ARRAY = 32_768;
/** Every frame of lengths but ACKs of many ranges, which get a larger one. */
const LENGTHS_BUFFER_BYTES = 64;
/** Their buffers are cut from slabs of 64 KiB (ours): of its own each takes 104 bytes more of V8's heap. */
const SLAB_BYTES = 65_536;
/** Peers that a door knows at a time (ours): more than worlds of bytes have hosts. */
const MAX_PEERS = 1_000;

/** Chance of a run, each part its own, so that a change in one does not change the others. */
export interface Chances {
  readonly traffic: SeededRandom;
  readonly fabric: SeededRandom;
  readonly hosts: SeededRandom;
  readonly nics: SeededRandom;
  readonly doors: SeededRandom;
}

export function chancesOf(seed: number): Chances {
  const root = new SeededRandom(seed);
  return {
    traffic: root.fork(),
    fabric: root.fork(),
    hosts: root.fork(),
    nics: root.fork(),
    doors: root.fork(),
  };
}

/** What makes the switches of a world; the planted bugs of the fuzz tests make others. */
export type MakeFabric = (options: ConstructorParameters<typeof Fabric>[0]) => Fabric;
/** What makes the store of frames of a world; checks make one that keeps books. */
export type MakePool = (makeBytes: () => Uint8Array, capacity: number) => FramePool;

/** What makes the doors of a world that has them. */
export type MakeDoor = (options: HandshakeOptions, events: DoorEvents) => Door;
/** What puts the parts of the host at `port` together; checks make hosts that lie. */
export type MakeHost = (parts: HostParts, port: number) => Host;

/** What takes the flows of the host at `port`, in front of the one that does so usually. */
export type MakeApplication = (usual: Application, port: number) => Application;

export interface HostParts {
  readonly endpoint: Endpoint;
  readonly nic: Port;
  readonly door: Door | null;
}

/** What of a world may be other than usual. */
export interface WorldMakers {
  readonly makeFabric?: MakeFabric | undefined;
  readonly makePool?: MakePool | undefined;
  readonly makeDoor?: MakeDoor | undefined;
  readonly makeHost?: MakeHost | undefined;
  readonly makeApplication?: MakeApplication | undefined;
  /** Hears what happens to the flows of a host, by its id. */
  readonly traceOf?: ((hostId: number) => FlowTrace) | undefined;
}

export interface World {
  readonly network: Network;
  /** Every direction of every link. */
  readonly links: readonly LinkProbe[];
  /** By host id. */
  readonly ports: ReadonlyMap<number, number>;
  /** Frames that are nobody's; for checks. */
  readonly pool: FramePool;
  /** The NIC of the host at each port, another one after a crash; for checks. */
  readonly nics: readonly Port[];
}

export interface WorldOptions extends WorldMakers {
  readonly scenario: Scenario;
  readonly chances: Chances;
  /** Who takes the flows of the host at `port`. */
  readonly applicationAt: (port: number) => Application;
}

/** Builds hosts and network as a scenario has them. Throws XpassError `config` for settings that an endpoint cannot have. */
export function buildWorld({
  scenario,
  chances,
  applicationAt,
  makeFabric = (options) => new Fabric(options),
  makePool = (makeBytes, capacity) => new FramePool(makeBytes, capacity),
  makeDoor = (options, events) => new Door(options, events),
  makeHost = ({ endpoint, nic, door }) => new Host(endpoint, nic, door),
  makeApplication = (usual) => usual,
  traceOf,
}: WorldOptions): World {
  const { topology } = scenario;
  const carriesBytes = scenario.payload === 'bytes';
  const frameBytes = largestFrameBytes(topology);
  const pool = makePool(carriesBytes ? () => new Uint8Array(frameBytes) : lengthsBuffers(), POOLED_FRAMES);
  const fabric = makeFabric({
    topology,
    random: chances.fabric,
    pool,
    earlyNs: 0,
    checked: carriesBytes,
    ties: scenario.ties,
  });
  const nics: Port[] = [];
  const portRecords = new PortRecords();
  const records = new FlowRecords(RECORDS_IN_ARRAY, new CreditMemory(CREDITS_IN_ARRAY));
  const nicStatistics = scenario.hosts.map(() => new PortStatistics(portRecords.take()));
  const check = carriesBytes ? crc32 : null;
  const hosts = scenario.hosts.map((spec, port) => {
    const random = chances.hosts.fork();
    const marking = chances.nics.fork();
    const proofs = chances.doors.fork();
    const make = (): Host => {
      const link = fabric.portSettings(port);
      const config = configOf(spec, link);
      const application = makeApplication(applicationAt(port), port);
      const trace = traceOf?.(config.hostId) ?? null;
      const endpoint = new Endpoint(config, { random: random.fork(), check, pool, application, records, trace });
      // After a crash: what the old NIC held is gone.
      nicStatistics[port].setDataQueue(0, 0);
      nicStatistics[port].setCreditQueue(0);
      const tap = nics[port]?.tap ?? null;
      nics[port] = new Port(nicOf(spec, link), nicStatistics[port], marking);
      nics[port].tap = tap;
      const hasDoor = carriesBytes && scenario.doors === true;
      const door = hasDoor ? makeDoor(doorOptions(endpoint, proofs), eventsFor(endpoint)) : null;
      return makeHost({ endpoint, nic: nics[port], door }, port);
    };
    return new SimHost(spec, { make, random: random.fork(), pool });
  });
  const network = new Network(fabric, hosts, scenario.ties);
  return { network, links: probesOf(fabric, nicStatistics), ports: portsOf(scenario), pool, nics };
}

/** Makes buffers for frames of lengths. */
function lengthsBuffers(): () => Uint8Array {
  let slab = new ArrayBuffer(SLAB_BYTES);
  let used = 0;
  return () => {
    if (used === SLAB_BYTES) {
      slab = new ArrayBuffer(SLAB_BYTES);
      used = 0;
    }
    used += LENGTHS_BUFFER_BYTES;
    return new Uint8Array(slab, used - LENGTHS_BUFFER_BYTES, LENGTHS_BUFFER_BYTES);
  };
}

/** A door's secrets are new after a crash. */
function doorOptions({ config, pool }: Endpoint, chance: SeededRandom): HandshakeOptions {
  return {
    hostId: config.hostId,
    random: chance.fork(),
    check: crc32,
    pool,
    cookies: new SumCookies(chance.fork()),
    keys: null,
    maxPeers: MAX_PEERS,
    times: config,
  };
}

function eventsFor(endpoint: Endpoint): DoorEvents {
  return { peers: null, onFailed: (peer, error) => endpoint.closePeer(peer, error) };
}

export function largestFrameBytes({ links }: Topology): number {
  return links.reduce((largest, { port }) => Math.max(largest, port.maxFrameBytes), 0);
}

function configOf({ id, endpoint }: HostSpec, link: Readonly<PortConfig>): ReturnType<typeof endpointConfig> {
  const { rateBps, maxFrameBytes: frameBytes } = link;
  return endpointConfig({ ...SIMULATION_CONFIG, frameBytes, ...endpoint, hostId: id, rateBps });
}

/** The link adds its delay where the frame enters it. */
function nicOf({ nic }: HostSpec, link: Readonly<PortConfig>): PortConfig {
  return { ...DEFAULT_PORT, ...link, ...nic, delayNs: 0 };
}

function probesOf(fabric: Fabric, nics: readonly PortStatistics[]): LinkProbe[] {
  const portOfName = new Map<string, number>();
  for (const { place } of fabric.linkDirections) if (place.exitPort >= 0) portOfName.set(place.link, place.exitPort);
  return fabric.linkDirections.map((direction) => {
    const settings = () => direction.settings;
    if (direction.place.hasPort) return new LinkProbe(direction, direction.statistics, settings);
    return new LinkProbe(direction, nics[portOfName.get(direction.place.link) as number], settings);
  });
}

function portsOf({ hosts }: Scenario): ReadonlyMap<number, number> {
  return new Map(hosts.map(({ id }, port) => [id, port]));
}
