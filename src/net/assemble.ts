// Tested by test/loopback/net/host.test.ts; usualQueueBoundNs by test/sim/late-host.test.ts

import type { XpassError } from '../base/errors.js';
import { formatRate } from '../base/quantities.js';
import { MILLISECOND_NS } from '../base/time.js';
import { algorithmFields } from '../core/algorithms.js';
import type { Application } from '../core/application.js';
import type { AttachedLink } from '../core/attachment.js';
import { DEFAULT_CONFIG, type EndpointConfig, endpointConfig } from '../core/config.js';
import { Door, type PeerHolder } from '../core/door.js';
import { Endpoint } from '../core/endpoint.js';
import { Host } from '../core/host.js';
import type { MtuParts } from '../core/path-mtus.js';
import { Traffic } from '../core/traffic.js';
import { DEFAULT_PORT, Port, type PortConfig } from '../switch/port.js';
import { HmacCookies } from '../udp/cookies.js';
import { checkSentence } from '../udp/crc.js';
import { type HostParts, UdpHost } from '../udp/host-driver.js';
import { mtuWarning, unseenFragmentsWarning } from '../udp/interface-mtu.js';
import type { SocketProblem } from '../udp/socket-errors.js';
import { TIMER_SLACK_NS } from '../udp/wake-policy.js';
import { Chunks, NO_HOST, SEALED_EXTRA_BYTES } from '../wire/layout.js';
import type { Notice } from './host-options.js';
import type { HostPlace, HostSettings } from './host-settings.js';
import type { HostWatch } from './host-watch.js';
import { type Keys, keyExchange, readKeys, refuseOpenDoor } from './keys.js';

/** Between processes of one site: what a flow sends before it hears of its receiver, as time on its link (ours; at 100 Mbit/s eight full frames). */
const SPECULATIVE_RTT_NS = 1e6;

/** What may be under way to a peer without credits before the path has shown what it carries: the initial window of TCP, RFC 6928 section 2. */
const UNPROVED_FRAMES = 10;

/** Bytes that wait at the host's own NIC at most. Credits allow each of them, so a short queue would lose data (ours: four receive windows). */
export const NIC_QUEUE_BYTES = 16 * 1024 * 1024;

/** Speculative bytes that wait there at most: a burst that has waited for a handshake comes at once (PROTOCOL §12.1). */
const NIC_SPECULATIVE_BYTES = 65_536;

/** NIC credit burst: 8 credits, the depth of a port's credit queue (PROTOCOL §9.1; docs/decisions/0007-late-processes.md). */
export const NIC_CREDIT_BURST_BYTES = 8 * 92;

/** Data that may queue for a host, as part of its paths' shortest RTT, where that is longer than the queue bound (docs/decisions/0007-late-processes.md). */
const QUEUE_BOUND_RTTS = 1 / 4;
/** Data that may queue for a host behind a switch (docs/decisions/0007-late-processes.md). */
const SWITCHED_QUEUE_BOUND_NS = 1.5 * MILLISECOND_NS;
/** The same without a switch, on the slowest links (the same decision). */
const QUEUE_BOUND_NS = 1.3 * MILLISECOND_NS;
/** What may queue besides without a switch, where both processes are busy with frames: at this rate, and in proportion below it (the same decision). */
const BUSY_QUEUE_NS = 2.7 * MILLISECOND_NS;
const BUSY_RATE_BPS = 1e9;

/** The queue bound of a host that was given none, ns. */
export function usualQueueBoundNs({ hostId, rateBps }: Pick<AttachedLink, 'hostId' | 'rateBps'>): number {
  if (hostId !== NO_HOST) return SWITCHED_QUEUE_BOUND_NS;
  return QUEUE_BOUND_NS + BUSY_QUEUE_NS * Math.min(1, rateBps / BUSY_RATE_BPS);
}

/** Peers at once; as many as flows (PROTOCOL §6.6). */
const MAX_PEERS = 65_536;

/** A host's machine on its socket, and its NIC. */
export interface Assembled {
  readonly driver: UdpHost<Host>;
  readonly nic: Port;
}

/** What differs from the settings, for who plays a scenario on real hosts. */
export interface Overrides {
  readonly endpoint?: Partial<EndpointConfig>;
  readonly nic?: PortConfig;
}

export interface AssemblyOptions {
  readonly settings: HostSettings;
  readonly place: HostPlace;
  readonly application: Application;
  readonly overrides?: Overrides;
  readonly watch?: HostWatch;
  onNotice(notice: Notice): void;
  onLinkChanged(link: AttachedLink, before: AttachedLink): void;
  onDetached(error: XpassError): void;
}

/** Opens the socket, attaches where there is a switch, and builds the host's machine. Throws XpassError as `UdpHost.open` does. */
export async function assembleHost(options: AssemblyOptions): Promise<Assembled> {
  const { settings, place, onNotice } = options;
  const keys = { ...(await readKeys(settings)), onSecret: options.watch?.secrets ?? null };
  if (settings.switch === undefined && place.listen !== undefined)
    refuseOpenDoor({ listen: place.listen, hasKey: keys.own !== null, insecure: settings.insecure });
  let nic: Port | null = null;
  const driver = await UdpHost.open<Host>({
    ...(settings.switch !== undefined && { switchAddress: settings.switch }),
    ...(place.listen !== undefined && settings.switch === undefined && { bind: place.listen }),
    ...(place.peer !== undefined && settings.switch === undefined && { onlyPeer: place.peer }),
    ...(settings.hostId !== undefined && { hostId: settings.hostId }),
    proof: keys.proof,
    ...(settings.frameSize !== undefined && { frameBytes: settings.frameSize }),
    rateBps: settings.rate,
    spin: settings.spin,
    datapath: settings.datapath,
    connectTimeoutNs: settings.connectTimeout,
    ...(options.watch?.datagrams !== undefined && { tap: options.watch.datagrams }),
    onProblem: (problem) => onNotice(problemNotice(problem)),
    onAttachedAgain: () =>
      onNotice(info('attached again to the switch, which had lost this host: it was restarted, perhaps')),
    onLinkChanged: (link, before) => {
      for (const notice of termNotices(link, before)) onNotice(notice);
      options.onLinkChanged(link, before);
    },
    onDetached: options.onDetached,
    makeMachine: (parts) => {
      nic = new Port(options.overrides?.nic ?? nicOptions(parts.link));
      nic.tap = options.watch?.nic ?? null;
      return makeMachine({ ...options, keys }, parts, nic);
    },
  });
  if (keys.ciphers?.warning !== undefined) onNotice(warning(keys.ciphers.warning));
  for (const notice of openingNotices(driver)) onNotice(notice);
  return { driver, nic: nic as unknown as Port };
}

function makeMachine(options: AssemblyOptions & { keys: Keys }, parts: HostParts, nic: Port): Host {
  const { settings, application, overrides, keys } = options;
  const { random, pool } = parts;
  const isSealed = keys.own !== null;
  const sizes = isSealed
    ? { sealBytes: SEALED_EXTRA_BYTES, frameBytes: parts.link.maxFrameBytes - SEALED_EXTRA_BYTES }
    : {};
  const config = endpointConfig({
    ...deployedConfig(settings, parts),
    ...ownedFields(parts, overrides?.endpoint),
    ...sizes,
  });
  // What a seal opens needs no check.
  const check = isSealed ? null : parts.check;
  const mtu = mtuParts(parts, options);
  const trace = options.watch?.flows?.(config.hostId) ?? null;
  const hashSeed = random.uint32();
  const endpoint = new Endpoint(config, {
    random,
    check,
    pool,
    application,
    mtu,
    hashSeed,
    traffic: new Traffic(),
    trace,
  });
  return new Host(endpoint, nic, doorOf(endpoint, parts, keys));
}

/** What the machine knows of its paths. PROTOCOL §7.9 */
function mtuParts({ link, takesAll, addressOf }: HostParts, { onNotice }: AssemblyOptions): MtuParts {
  return {
    isLocal: takesAll,
    onLimited: (peer, frameBytes) => {
      const sizes = `frames of ${frameBytes} bytes, not of ${link.maxFrameBytes}`;
      const advice = `--frame-size ${frameBytes} on both hosts fits credits to it`;
      onNotice(warning(`the path to ${addressOf(peer)} carries ${sizes}: ${advice}`));
    },
  };
}

/** Whom the host talks to. PROTOCOL §7 */
export function doorOf(endpoint: Endpoint, parts: HostParts, keys: Keys | null = null): Door {
  const { random, check, pool, addressOf, sourceOf, peers } = parts;
  const { config } = endpoint;
  const cookies = new HmacCookies(addressOf);
  const options = {
    hostId: config.hostId,
    random,
    check,
    pool,
    cookies,
    sourceOf,
    keys: keys === null ? null : keyExchange(keys, addressOf),
    maxPeers: MAX_PEERS,
    times: config,
  };
  const events = { onFailed: (peer: number, error: XpassError) => endpoint.closePeer(peer, error) };
  return new Door(options, { ...events, peers: peers && new MovingPeers(peers, endpoint) });
}

/** A peer that moves is at the end of another path. */
class MovingPeers implements PeerHolder {
  private readonly table: PeerHolder;
  private readonly endpoint: Endpoint;

  constructor(table: PeerHolder, endpoint: Endpoint) {
    this.table = table;
    this.endpoint = endpoint;
  }

  hold(peer: number): void {
    this.table.hold(peer);
  }

  release(peer: number): void {
    this.table.release(peer);
    this.endpoint.forgetPeer(peer);
  }

  move(peer: number, to: number): void {
    this.table.move(peer, to);
    this.endpoint.pathChanged(peer);
  }
}

/** The settings of an endpoint on a real machine. */
function deployedConfig(settings: HostSettings, { link, unprobedBytes }: HostParts): Partial<EndpointConfig> {
  return {
    ...algorithmFields(settings.algorithm ?? DEFAULT_CONFIG.creditAlgorithm, settings.set),
    frameBytes: link.maxFrameBytes,
    unprobedFrameBytes: Math.min(unprobedBytes, link.maxFrameBytes),
    jitter: settings.jitter,
    queueBoundNs: settings.queueBound ?? usualQueueBoundNs(link),
    queueBoundRtts: QUEUE_BOUND_RTTS,
    // Behind a switch the port's queue of 8 credits would drop what is made up for.
    catchUpRtts: link.hostId === NO_HOST ? QUEUE_BOUND_RTTS : 0,
    receiveWindowBytes: settings.receiveWindow,
    heldMemoryBytes: settings.heldMemory,
    maxWeight: settings.maxWeight,
    ...(settings.speculative && { speculativeRttNs: SPECULATIVE_RTT_NS, unprovedFrames: UNPROVED_FRAMES }),
    frameChunks: settings.fillFrames ? Chunks.maxChunks : 0,
    connectTimeoutNs: settings.connectTimeout,
    idleTimeoutNs: settings.idleTimeout,
    timerSlackNs: TIMER_SLACK_NS,
  };
}

/** What somebody else decides for the endpoint, and what the socket and its link do in the end. */
function ownedFields({ link, hostCredits }: HostParts, changes: Partial<EndpointConfig> = {}): Partial<EndpointConfig> {
  return {
    ...changes,
    hostId: link.hostId,
    rateBps: link.rateBps,
    // What the socket's buffer does not hold, no scenario makes it hold.
    hostCredits: Math.min(hostCredits, changes.hostCredits ?? Number.POSITIVE_INFINITY),
  };
}

function nicOptions({ rateBps, maxFrameBytes }: AttachedLink): PortConfig {
  return {
    ...DEFAULT_PORT,
    rateBps,
    maxFrameBytes,
    creditBurstBytes: NIC_CREDIT_BURST_BYTES,
    dataQueueBytes: NIC_QUEUE_BYTES,
    speculativeQueueBytes: NIC_SPECULATIVE_BYTES,
  };
}

function info(message: string): Notice {
  return { level: 'info', message };
}

function warning(message: string): Notice {
  return { level: 'warn', message };
}

function openingNotices(driver: UdpHost<Host>): Notice[] {
  const { info: opened, frameCheck } = driver;
  const tooLong = driver.seesPaths ? null : fragmentsWarning(driver);
  return [
    ...(opened.fallback === undefined ? [] : [warning(opened.fallback)]),
    ...opened.warnings.map(info),
    ...(tooLong === null ? [] : [warning(tooLong)]),
    info(checkSentence(frameCheck)),
  ];
}

/** Where the system cuts what the path does not carry. */
function fragmentsWarning({ info: opened, link }: UdpHost<Host>): string | null {
  const known = mtuWarning(opened.local, link.maxFrameBytes);
  if (known !== null || link.hostId !== NO_HOST) return known;
  return unseenFragmentsWarning(opened.local, link.maxFrameBytes);
}

/** The rate is in force already. A flow keeps the frame size and the id with which it began, and so the host does. */
function termNotices(link: AttachedLink, before: AttachedLink): Notice[] {
  const notices: Notice[] = [];
  if (link.rateBps !== before.rateBps) {
    const rates = `from ${formatRate(before.rateBps)} to ${formatRate(link.rateBps)}`;
    notices.push(info(`the switch changed the rate of this link ${rates}`));
  }
  if (link.maxFrameBytes !== before.maxFrameBytes) {
    const sizes = `from ${before.maxFrameBytes} to ${link.maxFrameBytes} B`;
    notices.push(warning(`the switch changed the frame size of this link ${sizes}: restart this host to use it`));
  }
  if (link.hostId !== before.hostId)
    notices.push(warning(`the switch changed the id of this host from ${before.hostId} to ${link.hostId}: restart it`));
  return notices;
}

/** Trouble comes back with every frame that is tried again, so only its first time is news. */
function problemNotice({ code, count, message }: SocketProblem): Notice {
  return { level: count === 1 ? 'warn' : 'debug', code, message };
}
