import { XpassError } from '../base/errors.js';
import { counter, initialValues, type Values } from '../base/metric.js';
import { SourceLimit } from '../base/source-limit.js';
import { checkFrame, DropCode, destinationHost, flowId, frameType, peekHeader, sourceHost } from '../wire/decode.js';
import type { FlowHeader } from '../wire/encode.js';
import type { Frame } from '../wire/frame.js';
import { Confirm, MtuProbe, MtuProbed, NoAssociation, Version } from '../wire/frames.js';
import { CONTROL_CODES, Credits, FrameType, VERSION } from '../wire/layout.js';
import { lowerHalf } from '../wire/proofs.js';
import type { Acquaintance } from './acquaintance.js';
import type { FrameSeal } from './association.js';
import { type HandshakeOptions, Handshakes } from './handshakes.js';
import { isPathType, Paths, type PeerMover } from './paths.js';

/** What the door of a host counts. PROTOCOL §7 */
export const DOOR_METRICS = {
  unproved: counter('frames', 'Dropped: from a peer that has proved nothing'),
  forged: counter('frames', 'Dropped: made by nobody of the association, or seen before'),
  held: counter('frames', 'Frames that waited for a handshake'),
  heldDropped: counter('frames', 'Frames that waited for a handshake in vain'),
  hints: counter('frames', 'Answers to frames of no association, or of another version'),
  suppressed: counter('frames', 'Such answers withheld by their rate limit'),
};

/** Counts of one door since it was made. docs/METRICS.md, "Door", has the meaning of each. */
export type DoorCounters = Values<typeof DOOR_METRICS>;

/** Hints and VERSIONs. Each source gets as many as RESETs of §6.8; a flood of one leaves the others theirs. PROTOCOL §7.6 */
const HINTS = { perSecond: 100, perSecondInAll: 1_000 };
/** Frames that wait for one handshake, and for all of a host. Ours: requests of many flows and a burst; more would be lost in the peer's socket buffer. */
const HELD_FRAMES = 64;
const HELD_FRAMES_IN_ALL = 4_096;
/** Frames of a proved peer with wrong checks before it gets a hint. Ours: a link that damages a frame now and then costs no handshake for each. */
const MISSES = 4;
const VERSIONS = { lowest: VERSION, highest: VERSION };

/** Who keeps a peer's number for its address while it is known. */
export interface PeerHolder extends PeerMover {
  hold(peer: number): void;
  release(peer: number): void;
}

/** Who is told of peers. */
export interface DoorEvents {
  /** Null where numbers of peers are never given again: behind a switch and in simulations. */
  readonly peers: PeerHolder | null;
  /** No handshake with `peer` can succeed: its flows end with `error`. */
  onFailed(peer: number, error: XpassError, nowNs: number): void;
}

/**
 * Every frame that comes or goes passes here (PROTOCOL §7). A peer that has proved nothing is sent no more bytes than came from it, and reaches no flow.
 * `admit` takes what comes, `letOut` what goes.
 */
export class Door {
  readonly counters: DoorCounters = initialValues(DOOR_METRICS);
  readonly handshakes: Handshakes;
  readonly paths: Paths;
  private readonly options: HandshakeOptions;
  private readonly hints: SourceLimit;
  private heldCount = 0;
  private nowNs = 0;

  constructor(options: HandshakeOptions, events: DoorEvents) {
    this.options = options;
    this.hints = new SourceLimit({ ...HINTS, seed: options.random.uint32() });
    this.handshakes = new Handshakes(options, {
      onFailed: (peer, error, nowNs) => events.onFailed(peer, error, nowNs),
      onKnown: (who) => events.peers?.hold(who.peer),
      onAgreed: (who) => {
        this.paths.agreed(who);
        this.releaseHeld(who);
      },
      onHint: (who, bits) => this.paths.hinted(who, bits, this.nowNs),
      onGone: (who) => {
        this.paths.forget(who);
        events.peers?.release(who.peer);
        this.dropHeld(who);
      },
      onUnanswered: (who) => this.dropHeld(who),
    });
    this.paths = new Paths(options, this.handshakes, {
      peers: events.peers,
      onUnknown: (frame) => this.hintAt(frame, flowId(frame.bytes)),
    });
  }

  /** Frames that wait for handshakes now. */
  get heldFrames(): number {
    return this.heldCount;
  }

  /** Whether `peer` has proved itself. */
  isProved(peer: number): boolean {
    return this.handshakes.find(peer)?.agreed != null;
  }

  /** A frame has come: true, and it is plain, where it is for the endpoint. It stays the caller's. */
  admit(frame: Frame, nowNs: number): boolean {
    this.nowNs = nowNs;
    const type = peekHeader(frame.bytes, frame.length);
    if (type === DropCode.version) this.answerVersion(frame);
    // The endpoint counts why it is none.
    if (type < 0) return true;
    if (type === FrameType.version) this.handleVersion(frame);
    else if (type < CONTROL_CODES || isEndpointControl(type)) return this.isOfAssociation(frame);
    else if (type === Confirm.type) this.handleConfirm(frame);
    else if (isPathType(type)) this.paths.handle(frame, type, nowNs);
    else this.handshakes.handle(frame, nowNs);
    return false;
  }

  /** A frame of a flow wants to go: true where it may. Otherwise it waits for a handshake, or is dropped. */
  mayLeave(frame: Frame): boolean {
    const who = this.handshakes.find(frame.peer);
    if (sealOf(who) !== null) return true;
    this.hold(who ?? this.handshakes.add(frame.peer), frame);
    return false;
  }

  /** The same at the last moment: true, and it is sealed, unless the association has ended meanwhile. */
  letOut(frame: Frame): boolean {
    const seal = sealOf(this.handshakes.find(frame.peer));
    if (seal === null) return this.mayLeave(frame);
    seal.seal(frame);
    return true;
  }

  /** The next frame of a handshake, or one of a flow that has waited for it. */
  poll(): Frame | null {
    return this.handshakes.output.shift();
  }

  /** Whether `poll` has one. */
  get hasOutput(): boolean {
    return this.handshakes.output.length > 0;
  }

  /** Of the latest input. */
  get clockNs(): number {
    return this.nowNs;
  }

  advance(nowNs: number): void {
    this.nowNs = nowNs;
    this.handshakes.advance(nowNs);
    this.paths.advance(nowNs);
  }

  nextTimeout(): number {
    return Math.min(this.handshakes.nextTimeout(), this.paths.nextTimeout());
  }

  /** `isSure`: nobody looks at the frame's check afterwards. */
  private isOfAssociation(frame: Frame, isSure = false): boolean {
    const who = this.handshakes.find(frame.peer);
    if (who !== null && this.handshakes.open(who, frame, this.nowNs, isSure)) return true;
    if (who !== null && who.agreed !== null) {
      this.counters.forged++;
      this.missed(who, frame);
    } else this.turnAway(frame);
    return false;
  }

  private handleConfirm(frame: Frame): void {
    if (this.isOfAssociation(frame, true)) this.judge(frame, Confirm.type);
  }

  /**
   * What the endpoint said of a frame that was admitted: its type, or a DropCode. Where the check was wrong, it is not of the association. Only a frame
   * whose check was right shows that the peer is there.
   */
  judge(frame: Frame, verdict: number): void {
    const who = this.handshakes.find(frame.peer);
    if (who === null) return;
    if (verdict === DropCode.check) this.missed(who, frame);
    else if (verdict >= 0 || verdict === DropCode.extension || verdict === DropCode.invalid) {
      who.misses = 0;
      who.heardNs = this.nowNs;
    }
  }

  /** A few in a row: the peer may have another association, and is told so. */
  private missed(who: Acquaintance, frame: Frame): void {
    if (++who.misses < MISSES) return;
    who.misses = 0;
    this.hintAt(frame);
  }

  private hold(who: Acquaintance | null, frame: Frame): void {
    if (who === null || who.held.length >= HELD_FRAMES || this.heldCount >= HELD_FRAMES_IN_ALL) this.drop(frame);
    else {
      this.counters.held++;
      this.heldCount++;
      who.held.push(frame);
    }
    if (who !== null && this.handshakes.mayHail(who, this.nowNs)) this.handshakes.hail(who, this.nowNs);
  }

  private releaseHeld(who: Acquaintance): void {
    for (let frame = who.held.shift(); frame !== null; frame = who.held.shift()) {
      this.heldCount--;
      frame.atNs = this.nowNs;
      this.handshakes.output.push(frame);
    }
  }

  private dropHeld(who: Acquaintance): void {
    for (let frame = who.held.shift(); frame !== null; frame = who.held.shift()) {
      this.heldCount--;
      this.drop(frame);
    }
  }

  private drop(frame: Frame): void {
    this.counters.heldDropped++;
    this.options.pool.give(frame);
  }

  /** Only of use to who has just said HELLO, whose bits the frame repeats: nobody else knows them. */
  private handleVersion(frame: Frame): void {
    if (checkFrame(frame, this.options.check) < 0) {
      this.handshakes.counters.malformed++;
      return;
    }
    const { bytes, peer } = frame;
    const [lowest, highest] = [Version.read.lowest(bytes), Version.read.highest(bytes)];
    const who = this.handshakes.find(peer);
    const hailing = who?.hailing ?? null;
    // A host that speaks this version answered a frame that was damaged on its way.
    if (hailing === null || flowId(bytes) !== lowerHalf(hailing.ci) || (lowest <= VERSION && VERSION <= highest)) {
      this.handshakes.counters.unasked++;
      return;
    }
    const message = `the peer speaks the versions ${lowest} to ${highest} of the protocol, this host ${VERSION}`;
    // Anybody on the path can write it, and nobody there keeps the answer of a peer of this version away.
    hailing.refusal = new XpassError('version', message);
  }

  /** PROTOCOL §3.13 */
  private answerVersion(cause: Frame): void {
    if (cause.length < Version.minBytes || frameType(cause.bytes) === FrameType.version) return;
    this.hint(cause, (bytes, header) => Version.encode(bytes, header, VERSIONS, this.options.check));
  }

  /** A frame of no association: its sender may have one that this host has lost. */
  private turnAway(frame: Frame): void {
    this.counters.unproved++;
    this.hintAt(frame);
  }

  /** `id`: the bits of an association that was named, or 0. */
  private hintAt(frame: Frame, id = 0): void {
    if (frame.length < NoAssociation.minBytes || destinationHost(frame.bytes) !== this.options.hostId) return;
    this.hint(frame, (bytes, header) => NoAssociation.encode(bytes, { ...header, flowId: id }, {}, this.options.check));
  }

  /** An answer to a peer that has proved nothing, no longer than what came. */
  private hint(cause: Frame, encode: (bytes: Uint8Array, header: FlowHeader) => number): void {
    const { sourceOf } = this.options;
    if (!this.hints.allow(sourceOf?.(cause.peer) ?? cause.peer, this.nowNs)) {
      this.counters.suppressed++;
      return;
    }
    this.counters.hints++;
    const frame = this.options.pool.take();
    frame.peer = cause.peer;
    frame.atNs = this.nowNs;
    frame.length = encode(frame.bytes, headerTo(cause));
    this.handshakes.output.push(frame);
  }
}

/** Who seals frames to the peer; null where nobody can. */
function sealOf(who: Acquaintance | null): FrameSeal | null {
  const seal = who?.agreed?.seal ?? null;
  return seal === null || seal.isOver ? null : seal;
}

/** A frame of this type is the endpoint's and sealed; the door makes the others itself. */
export function isOfFlow(type: number): boolean {
  return (type < CONTROL_CODES && type !== FrameType.version) || isEndpointControl(type);
}

/** A control frame between hosts that have proved themselves, for the endpoint. PROTOCOL §3.28, §7.9 */
export function isEndpointControl(type: number): boolean {
  return type === Credits.type || type === MtuProbe.type || type === MtuProbed.type;
}

function headerTo({ bytes }: Frame): FlowHeader {
  return { destination: sourceHost(bytes), source: destinationHost(bytes), flowId: flowId(bytes) };
}
