import { ConfigError, listNames, showValue } from '../base/config-error.js';
import type { Crc32 } from '../base/crc32.js';
import { counters, gauge, group, label, list, namedCounts, type Values } from '../base/metric.js';
import type { Random } from '../base/random.js';
import { Ring } from '../base/ring.js';
import { MILLISECOND_NS, SECOND_NS } from '../base/time.js';
import { checkFrame, DROP_NAMES, DropCode, destinationHost, flowId, peekHeader, sourceHost } from '../wire/decode.js';
import type { FlowHeader } from '../wire/encode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import {
  Attach,
  AttachChallenge,
  Attached,
  AttachRefused,
  Detach,
  isSwitchType,
  KeepAlive,
  Version,
} from '../wire/frames.js';
import {
  AttachRefusal,
  FrameType,
  MAX_PLAIN_CREDIT_BYTES,
  NO_HOST,
  SEALED_CREDIT_EXTRA_BYTES,
  VERSION,
} from '../wire/layout.js';
import {
  type AttachProof,
  BITS_BYTES,
  type Bits64,
  COOKIE_BYTES,
  type CookieMaker,
  NONCE_PROOF,
  proofAt,
  proveFrame,
} from '../wire/proofs.js';
import { ATTACHMENT_METRICS, type AttachClaim, Attachments } from './attachments.js';
import { Fabric, type LinkChanges } from './fabric.js';
import { DIRECTION_METRICS } from './link-direction.js';
import { pathChoices } from './path-choices.js';
import type { Topology } from './topology.js';

const SLOTS = 256;

/** Limits answers to unknown peers in fixed memory: 256 slots by peer number, each one answer an interval. */
export class AnswerLimiter {
  private readonly intervalNs: number;
  private readonly nextNs = new Float64Array(SLOTS).fill(Number.NEGATIVE_INFINITY);

  constructor(intervalNs: number) {
    this.intervalNs = intervalNs;
  }

  /** Whether `peer` may be answered at `nowNs`; if so, that counts as its answer. */
  allow(peer: number, nowNs: number): boolean {
    const slot = peer & (SLOTS - 1);
    if (nowNs < this.nextNs[slot]) return false;
    this.nextNs[slot] = nowNs + this.intervalNs;
    return true;
  }
}

/** How often hosts send KEEP_ALIVE unless told otherwise: a vanished host frees its port within four seconds (ours). PROTOCOL §3.9 */
export const DEFAULT_KEEP_ALIVE_MS = 1000;
/** Answers that wait for `poll` at most (ours). */
const MAX_ANSWERS = 1024;
/** An unknown peer whose frames are turned away hears so ten times a second at most: after a restart every host attaches again soon (ours). */
const NOT_ATTACHED_INTERVAL_NS = 100 * MILLISECOND_NS;
const VERSION_INTERVAL_NS = SECOND_NS;
/** A sealed one. */
const MAX_CREDIT_BYTES = MAX_PLAIN_CREDIT_BYTES + SEALED_CREDIT_EXTRA_BYTES;
/** Rate field of ATTACHED. PROTOCOL §3.9 */
const MAX_RATE_KBPS = 0xffffffff;
const NO_TOKEN = 0;

/** Why the switch turned a datagram away before it entered the fabric; the first seven are PROTOCOL §2.7's by `DropCode`. */
const DOOR_NAMES: readonly string[] = [
  ...DROP_NAMES,
  'direction',
  'spoofed',
  'notAttached',
  'answerQueueFull',
  'wrongKey',
];
const DoorDrop = { direction: 8, spoofed: 9, notAttached: 10, answerQueueFull: 11, wrongKey: 12 } as const;

export interface SwitchOptions {
  topology: Topology;
  random: Random;
  check: Crc32;
  /** Its buffers take a full frame of the largest link. */
  pool: FramePool;
  /** Make and check what hosts show when they attach. PROTOCOL §8.3 */
  cookies: CookieMaker;
  proof?: AttachProof;
  keepAliveMs?: number;
  /** While an address is held its number stands for no other. */
  onHeld?(peer: number, isHeld: boolean): void;
  /** How long before its last bit arrives a frame may leave by `poll`; see FabricOptions. */
  earlyNs?: number;
}

/** One direction of a link at one time, as plain JSON. */
export interface PortSample {
  name: string;
  /** The most since the sample before. */
  dataQueueBytesPeak: number;
  creditQueueFrames: number;
  /** Sent since the last reset. */
  dataWireBytes: number;
}

/** What a switch counts since the last reset. */
export const SWITCH_METRICS = {
  ports: list("Both directions of every link, in the topology's order", DIRECTION_METRICS, { port: 'name' }),
  choices: label<readonly (readonly number[])[]>('Places in `ports` of those among which a switch chooses', []),
  unusedLinks: label<readonly string[]>('Links and trunks that no path uses now (PROTOCOL §9.4)', []),
  door: counters('datagrams', 'reason', 'Datagrams that never entered the fabric, the reasons that occurred'),
  attachments: group('Claims to ports (PROTOCOL §8)', ATTACHMENT_METRICS),
  hosts: list('Hosts of the topology', {
    id: gauge('id', 'Host id'),
    name: label('Name'),
    attached: label('Whether somebody is attached', false),
  }),
};

/** Plain JSON. */
export type SwitchStatistics = Values<typeof SWITCH_METRICS>;

/**
 * The deployed switch: a fabric, and who is attached to its ports (PROTOCOL §8, §9). `peer` of a datagram is the driver's number of its UDP address, both ways.
 * Call `handleDatagram` or `advance`, then `poll` until null, then `nextTimeout`; it owns a frame in between. Network faults are dropped and counted.
 */
export class Switch {
  private readonly topology: Topology;
  private readonly check: Crc32;
  private readonly pool: FramePool;
  private readonly cookies: CookieMaker;
  private readonly proof: AttachProof;
  private readonly keepAliveMs: number;
  private readonly fabric: Fabric;
  private readonly attachments: Attachments;
  private readonly hostCount: number;
  private readonly choices: readonly (readonly number[])[];
  /** By trunk; -1 until the driver knows its address. */
  private readonly trunkPeers: number[];
  private readonly answers = new Ring<Frame>(MAX_ANSWERS);
  private readonly door = new Float64Array(DOOR_NAMES.length);
  private readonly notAttachedAnswers = new AnswerLimiter(NOT_ATTACHED_INTERVAL_NS);
  private readonly versionAnswers = new AnswerLimiter(VERSION_INTERVAL_NS);

  constructor(options: SwitchOptions) {
    const { topology, random, pool, earlyNs = Number.POSITIVE_INFINITY } = options;
    this.topology = topology;
    this.check = options.check;
    this.pool = pool;
    this.cookies = options.cookies;
    this.proof = options.proof ?? NONCE_PROOF;
    this.keepAliveMs = options.keepAliveMs ?? DEFAULT_KEEP_ALIVE_MS;
    this.fabric = new Fabric({ topology, random, pool, earlyNs });
    this.hostCount = topology.hosts.length;
    this.choices = pathChoices(topology);
    this.trunkPeers = topology.trunks.map(() => -1);
    this.attachments = new Attachments({
      hostIds: topology.hosts.map(({ id }) => id),
      keepAliveMs: this.keepAliveMs,
      portOf: (id) => this.fabric.routes.localPort(id),
      maxFrameBytesAt: (port) => this.fabric.portSettings(port).maxFrameBytes,
      onHeld: options.onHeld?.bind(options),
    });
  }

  /** The number that the driver gave to the address of a trunk's other end. Throws a ConfigError for an unknown trunk. */
  trunkPeer(name: string, peer: number): void {
    const index = this.topology.trunks.findIndex((trunk) => trunk.name === name);
    if (index < 0) {
      const known = this.topology.trunks.map((trunk) => trunk.name);
      throw new ConfigError(`unknown trunk ${showValue(name)}; known trunks: ${listNames(known)}`);
    }
    this.trunkPeers[index] = peer;
  }

  handleDatagram(frame: Frame, nowNs: number): void {
    const type = peekHeader(frame.bytes, frame.length);
    if (type < 0) this.refuse(frame, type, nowNs);
    else if (isSwitchType(type)) this.handleControl(frame, nowNs);
    else if (type === FrameType.credit && frame.length > MAX_CREDIT_BYTES) this.turnAway(frame, -DropCode.length);
    else this.forward(frame, nowNs);
  }

  /** Lets everything happen that happens up to `nowNs`. */
  advance(nowNs: number): void {
    this.fabric.advance(nowNs);
    this.attachments.advance(nowNs);
  }

  /** The next frame to send to `frame.peer`, its last bit arriving at `frame.atNs`. Null when there is none. */
  poll(): Frame | null {
    const answer = this.answers.shift();
    if (answer !== undefined) return answer;
    for (let frame = this.fabric.poll(); frame !== null; frame = this.fabric.poll()) {
      const peer = this.peerAt(frame.port);
      if (peer >= 0) {
        frame.peer = peer;
        return frame;
      }
      this.fabric.dropUndeliverable(frame);
    }
    return null;
  }

  nextTimeout(): number {
    return Math.min(this.fabric.nextTimeout(), this.attachments.nextTimeout());
  }

  /** Changes a link as `Fabric.configureLink` does, and tells attached hosts of another rate or frame size. */
  configureLink(name: string, changes: LinkChanges, nowNs: number): void {
    const directions = this.fabric.configureLink(name, changes, nowNs);
    if (changes.port?.rateBps === undefined && changes.port?.maxFrameBytes === undefined) return;
    for (const { place } of directions) {
      const port = place.exitPort;
      if (port >= 0 && port < this.hostCount && this.attachments.peerAt(port) >= 0) this.sendAttached(port, nowNs);
    }
  }

  /** Of several in one process: as `Fabric.stopSwitch`. Hosts stay attached. */
  stopSwitch(name: string, nowNs: number): void {
    this.fabric.stopSwitch(name, nowNs);
  }

  startSwitch(name: string, nowNs: number): void {
    this.fabric.startSwitch(name, nowNs);
  }

  statistics(nowNs: number): SwitchStatistics {
    return {
      ports: this.fabric.statistics(nowNs),
      choices: this.choices,
      unusedLinks: this.fabric.unusedLinks,
      door: namedCounts(DOOR_NAMES, this.door),
      attachments: { ...this.attachments.statistics },
      hosts: this.topology.hosts.map(({ id, name }, port) => ({
        id,
        name,
        attached: this.attachments.peerAt(port) >= 0,
      })),
    };
  }

  /** One point of a series; whoever asks is the only one that takes samples. */
  samplePorts(nowNs: number): PortSample[] {
    this.fabric.advance(nowNs);
    return this.fabric.linkDirections.map(({ place, statistics }) => ({
      name: place.name,
      dataQueueBytesPeak: statistics.takeQueuePeak(),
      creditQueueFrames: statistics.creditQueueLength,
      dataWireBytes: statistics.dataWireBytes,
    }));
  }

  resetStatistics(nowNs: number): void {
    this.fabric.resetStatistics(nowNs);
    this.attachments.resetStatistics();
    this.door.fill(0);
  }

  /** Only the address that attached a source id may use it (PROTOCOL §8.2), or the trunk that leads to it. */
  private forward(frame: Frame, nowNs: number): void {
    const source = sourceHost(frame.bytes);
    const port = this.fabric.routes.localPort(source);
    if (port >= 0 && this.attachments.peerAt(port) === frame.peer) this.fabric.handleFrame(port, frame, nowNs);
    else if (port >= 0) this.turnAwayHost(frame, port, nowNs);
    else this.forwardFromTrunk(frame, source, nowNs);
  }

  private forwardFromTrunk(frame: Frame, source: number, nowNs: number): void {
    const index = this.trunkPeers.indexOf(frame.peer);
    const port = this.hostCount + index;
    if (index >= 0 && this.fabric.routes.isBehind(source, port)) this.fabric.handleFrame(port, frame, nowNs);
    else this.turnAway(frame, DoorDrop.spoofed);
  }

  private peerAt(port: number): number {
    return port < this.hostCount ? this.attachments.peerAt(port) : this.trunkPeers[port - this.hostCount];
  }

  private handleControl(frame: Frame, nowNs: number): void {
    const type = checkFrame(frame, this.check);
    if (type < 0) {
      this.turnAway(frame, -type);
      return;
    }
    if (type === Attach.type) this.handleAttach(frame, nowNs);
    else if (type === KeepAlive.type) this.handleKeepAlive(frame, nowNs);
    else if (type === Detach.type) this.handleDetach(frame);
    else this.door[DoorDrop.direction]++;
    this.pool.give(frame);
  }

  /** An address that has not shown a cookie is sent one, and nothing is kept of it. */
  private handleAttach(frame: Frame, nowNs: number): void {
    const { bytes, peer } = frame;
    const token = Attach.read.token(bytes);
    const nonce = Attach.read.nonce(bytes, new Uint8Array(BITS_BYTES));
    const cookie = Attach.read.cookie(bytes, new Uint8Array(COOKIE_BYTES));
    const id = sourceHost(bytes);
    if (!this.cookies.isValid(peer, nonce, nowNs, cookie)) this.sendChallenge({ id, token, nonce, peer }, nowNs);
    else if (!this.proof.isValid(bytes, proofAt(frame), nonce)) {
      this.door[DoorDrop.wrongKey]++;
      if (this.notAttachedAnswers.allow(peer, nowNs))
        this.sendRefusal({ id, token, peer }, AttachRefusal.wrongKey, nowNs);
    } else this.attach({ id, token, nonce, peer, maxFrameBytes: Attach.read.maxFrameBytes(bytes) }, nowNs);
  }

  private attach(claim: AttachClaim, nowNs: number): void {
    this.attachments.advance(nowNs);
    const port = this.attachments.attach(claim, nowNs);
    if (port >= 0) this.sendAttached(port, nowNs);
    else this.sendRefusal(claim, -port, nowNs);
  }

  private handleKeepAlive(frame: Frame, nowNs: number): void {
    this.attachments.advance(nowNs);
    const port = this.provedPort(frame);
    if (port >= 0) {
      this.attachments.keepAlive(port, nowNs);
      this.sendAttached(port, nowNs);
      return;
    }
    this.door[DoorDrop.notAttached]++;
    const { bytes, peer } = frame;
    this.answerNotAttached({ id: sourceHost(bytes), token: KeepAlive.read.token(bytes), peer }, nowNs);
  }

  private handleDetach(frame: Frame): void {
    const port = this.provedPort(frame);
    if (port >= 0) this.attachments.detach(port);
    else this.door[DoorDrop.notAttached]++;
  }

  /** Port of the host that a KEEP_ALIVE or DETACH is of; -1 where it is of nobody who is attached, or came before. */
  private provedPort(frame: Frame): number {
    const { bytes, peer } = frame;
    const port = this.attachments.portAt(sourceHost(bytes), peer);
    if (port < 0 || !this.proof.isValid(bytes, proofAt(frame), this.attachments.nonceAt(port))) return -1;
    return this.attachments.isNew(port, KeepAlive.read.counter(bytes)) ? port : -1;
  }

  /** Somebody else has the id: silence. Nobody has it: the host is told to attach, as after a restart of the switch. */
  private turnAwayHost(frame: Frame, port: number, nowNs: number): void {
    const isFree = this.attachments.peerAt(port) < 0;
    if (isFree) this.answerNotAttached({ id: sourceHost(frame.bytes), token: NO_TOKEN, peer: frame.peer }, nowNs);
    this.turnAway(frame, isFree ? DoorDrop.notAttached : DoorDrop.spoofed);
  }

  private answerNotAttached(to: { id: number; token: number; peer: number }, nowNs: number): void {
    if (this.notAttachedAnswers.allow(to.peer, nowNs)) this.sendRefusal(to, AttachRefusal.notAttached, nowNs);
  }

  /** PROTOCOL §3.13 */
  private refuse(frame: Frame, drop: number, nowNs: number): void {
    const mayAnswer = drop === DropCode.version && frame.length >= Version.minBytes;
    if (mayAnswer && this.versionAnswers.allow(frame.peer, nowNs)) {
      const { bytes, peer } = frame;
      const header = { destination: sourceHost(bytes), source: destinationHost(bytes), flowId: flowId(bytes) };
      const answer = this.takeAnswer(Version.minBytes, peer, nowNs);
      answer.length = Version.encode(answer.bytes, header, { lowest: VERSION, highest: VERSION }, this.check);
      this.queueAnswer(answer);
    }
    this.turnAway(frame, -drop);
  }

  private turnAway(frame: Frame, doorDrop: number): void {
    this.door[doorDrop]++;
    this.pool.give(frame);
  }

  private sendAttached(port: number, nowNs: number): void {
    const { rateBps, maxFrameBytes } = this.fabric.portSettings(port);
    const fields = {
      token: this.attachments.tokenAt(port),
      rateKbps: rateKbps(rateBps),
      maxFrameBytes,
      keepAliveMs: this.keepAliveMs,
      counter: this.attachments.nextCounter(port),
    };
    const answer = this.takeAnswer(Attached.minBytes, this.attachments.peerAt(port), nowNs);
    answer.length = Attached.encode(answer.bytes, toHost(this.topology.hosts[port].id), fields, null);
    proveFrame(answer, { check: this.check, proof: this.proof, nonce: this.attachments.nonceAt(port) });
    this.queueAnswer(answer);
  }

  private sendChallenge(to: { id: number; token: number; nonce: Bits64; peer: number }, nowNs: number): void {
    const { id, peer, ...fields } = to;
    const cookie = new Uint8Array(COOKIE_BYTES);
    this.cookies.write(peer, to.nonce, nowNs, cookie);
    const answer = this.takeAnswer(AttachChallenge.minBytes, peer, nowNs);
    answer.length = AttachChallenge.encode(answer.bytes, toHost(id), { ...fields, cookie }, this.check);
    this.queueAnswer(answer);
  }

  private sendRefusal(to: { id: number; token: number; peer: number }, code: number, nowNs: number): void {
    const answer = this.takeAnswer(AttachRefused.minBytes, to.peer, nowNs);
    answer.length = AttachRefused.encode(answer.bytes, toHost(to.id), { token: to.token, code }, this.check);
    this.queueAnswer(answer);
  }

  private takeAnswer(bytes: number, peer: number, nowNs: number): Frame {
    const frame = this.pool.take();
    if (frame.bytes.length < bytes) frame.bytes = new Uint8Array(bytes);
    frame.peer = peer;
    frame.atNs = nowNs;
    return frame;
  }

  private queueAnswer(frame: Frame): void {
    if (!this.answers.push(frame)) this.turnAway(frame, DoorDrop.answerQueueFull);
  }
}

function toHost(id: number): FlowHeader {
  return { destination: id, source: NO_HOST, flowId: 0 };
}

/** 0 stands for unlimited, so a slower link than 1 kbit/s is told as that. PROTOCOL §3.9 */
function rateKbps(rateBps: number): number {
  if (rateBps === Number.POSITIVE_INFINITY) return 0;
  return Math.min(Math.max(Math.round(rateBps / 1000), 1), MAX_RATE_KBPS);
}
