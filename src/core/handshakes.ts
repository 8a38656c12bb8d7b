// Tested by test/core/door.test.ts

import type { Crc32 } from '../base/crc32.js';
import { DeadlineHeap } from '../base/deadline-heap.js';
import { XpassError } from '../base/errors.js';
import { counter, gauge, initialValues, type Values } from '../base/metric.js';
import type { Random } from '../base/random.js';
import { NEVER, SECOND_NS } from '../base/time.js';
import { checkFrame, destinationHost, flowId } from '../wire/decode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { FrameQueue } from '../wire/frame-queue.js';
import { Confirm, Cookie, Hello, NoAssociation, Welcome } from '../wire/frames.js';
import { NO_HOST } from '../wire/layout.js';
import {
  BITS_BYTES,
  type Bits64,
  COOKIE_BYTES,
  type CookieMaker,
  isSame,
  lowerHalf,
  randomBits,
} from '../wire/proofs.js';
import { Acquaintance, type Agreement, type Hailing } from './acquaintance.js';
import { canBeReflected, type FrameSeal, type KeyExchange, MAX_HANDSHAKE_BYTES, MaskSeal } from './association.js';
import type { EndpointConfig } from './config.js';
import { backedOffNs } from './probe.js';
import { RateLimit } from './rate-limit.js';

/** PROTOCOL §7 */
export const HANDSHAKE_METRICS = {
  associations: gauge('peers', 'Peers that have proved themselves'),
  begun: counter('events', 'Associations that this host began'),
  answered: counter('events', 'Associations that a peer began'),
  cookies: counter('frames', 'Cookies sent to addresses that had proved nothing'),
  suppressed: counter('frames', 'HELLOs without an answer, by the rate limit'),
  wrongKeys: counter('events', 'Handshakes of peers without the right key'),
  unasked: counter('frames', 'Dropped: handshake frames that nobody waited for'),
  malformed: counter('frames', 'Dropped: handshake frames that are damaged or unknown'),
  refused: counter('events', 'Peers turned away because all places were taken'),
  expired: counter('events', 'Associations forgotten after a long silence'),
};

/** Counts of the handshakes of one host since it was made. docs/METRICS.md, "Handshakes", has the meaning of each. */
export type HandshakeCounters = Values<typeof HANDSHAKE_METRICS>;

/** HELLOs a second that are looked at: two HMACs each, 6 us (ours). */
const HELLOS_PER_SECOND = 10_000;
/** An answered peer that never uses its association makes room after this time, as a half-open connection of TCP does (ours). */
const UNUSED_NS = 5 * SECOND_NS;
/** Idle timeouts of silence after which nobody can have a flow with the peer; flows send keep-alives. PROTOCOL §5.7 */
const SILENT_IDLE_TIMEOUTS = 2;
/** A hint is followed once in this time: it proves nothing. */
const HINT_NS = SECOND_NS;

/** HELLO with the longest message. */
const LONGEST_BYTES = 256;

const NO_MESSAGE = new Uint8Array(0);
const NO_COOKIE = new Uint8Array(COOKIE_BYTES);

/** Who is told of peers. */
export interface HandshakeEvents {
  /** A place is taken for `who`: its address is proved, or this host calls it. */
  onKnown(who: Acquaintance): void;
  /** `who` is proved, and its frames that waited may go. */
  onAgreed(who: Acquaintance): void;
  /** Nothing is known of it any more. */
  onGone(who: Acquaintance): void;
  /** The handshake has got no answer in its time. */
  onUnanswered(who: Acquaintance): void;
  /** The peer does not know the association, or that of these bits. True: it is dealt with without a handshake. */
  onHint(who: Acquaintance, bits: number): boolean;
  /** No handshake with `peer` can succeed: its flows end with `error`. */
  onFailed(peer: number, error: XpassError, nowNs: number): void;
}

export interface HandshakeOptions {
  readonly hostId: number;
  /** Unpredictable on real sockets: its bits prove addresses. */
  readonly random: Random;
  readonly check: Crc32;
  readonly pool: FramePool;
  readonly cookies: CookieMaker;
  /** Null for hosts without keys. */
  readonly keys: KeyExchange | null;
  readonly maxPeers: number;
  /** The same as an endpoint's. */
  readonly times: Pick<EndpointConfig, 'idleTimeoutNs' | 'connectTimeoutNs' | 'initialRetransmitNs' | 'maxBackoffNs'>;
}

/**
 * How hosts prove themselves to each other (PROTOCOL §7): who began says HELLO; the answer to an address that has proved nothing is a COOKIE, and keeps no
 * state; HELLO with a cookie gets a WELCOME. What this host says goes to `output`.
 */
export class Handshakes {
  readonly counters: HandshakeCounters = initialValues(HANDSHAKE_METRICS);
  readonly output = new FrameQueue();
  private readonly options: HandshakeOptions;
  private readonly events: HandshakeEvents;
  private readonly peers = new Map<number, Acquaintance>();
  private readonly places: (Acquaintance | null)[] = [];
  private readonly freePlaces: number[] = [];
  private readonly deadlines = new DeadlineHeap();
  private readonly hellos = new RateLimit(HELLOS_PER_SECOND);
  /** Whom was looked for last: most frames come in a row. */
  private latest: Acquaintance | null = null;
  private nowNs = 0;

  constructor(options: HandshakeOptions, events: HandshakeEvents) {
    this.options = options;
    this.events = events;
  }

  /** Peers of which something is known: proved, or with a handshake under way. */
  get known(): number {
    return this.peers.size;
  }

  /** Null for a peer of which nothing is known. */
  find(peer: number): Acquaintance | null {
    if (this.latest?.peer !== peer) this.latest = this.peers.get(peer) ?? null;
    return this.latest;
  }

  /** Null where all places are taken. */
  add(peer: number): Acquaintance | null {
    if (this.peers.size >= this.options.maxPeers) {
      this.counters.refused++;
      return null;
    }
    const slot = this.freePlaces.pop() ?? this.places.length;
    const who = new Acquaintance(peer, slot, this.nowNs);
    this.places[slot] = who;
    this.peers.set(peer, who);
    this.latest = who;
    this.events.onKnown(who);
    return who;
  }

  /** A frame has come from `who`. True if it is of its association, and plain now. The first frame of one that was offered puts it in force. */
  open(who: Acquaintance, frame: Frame, nowNs: number): boolean {
    this.nowNs = nowNs;
    if (who.offered?.seal.prove(frame) === true) {
      this.counters.answered++;
      this.agree(who, who.offered);
      return true;
    }
    if (who.agreed === null || !who.agreed.seal.open(frame)) {
      if (who.agreed?.seal.isOver) this.end(who);
      return false;
    }
    who.heardNs = nowNs;
    return true;
  }

  /** The association can be used no more: too many forgeries, or all its numbers. */
  private end(who: Acquaintance): void {
    this.setAgreed(who, null);
    this.hail(who, this.nowNs);
  }

  /** Nothing is under way with `who`; or it has not used what it was offered in the time of a repetition, and may have forgotten it in a crash. */
  mayHail({ hailing, offered, offeredNs }: Acquaintance, nowNs: number): boolean {
    if (hailing !== null) return false;
    return offered === null || nowNs >= offeredNs + this.options.times.initialRetransmitNs;
  }

  /** Begins a handshake. An association in force outlives that its peer cannot be called: who caused this has proved nothing. */
  hail(who: Acquaintance, nowNs: number): void {
    this.nowNs = nowNs;
    const { keys } = this.options;
    const ci = randomBits(this.options.random);
    const initiation = keys === null ? null : keys.initiate(who.peer, ci);
    if (keys !== null && initiation === null) {
      if (who.agreed !== null && !who.agreed.seal.isOver) {
        this.counters.unasked++;
        return;
      }
      const error = new XpassError('refused', 'no key for this peer is known: name it in the file of --peers');
      this.fail(who, error);
      return;
    }
    who.hailing = { ci, initiation, sinceNs: this.nowNs, sends: 0, sentNs: this.nowNs, refusal: null };
    this.sendHello(who, who.hailing);
  }

  /** No handshake with `who` can succeed. */
  fail(who: Acquaintance, error: XpassError): void {
    this.remove(who);
    this.events.onFailed(who.peer, error, this.nowNs);
  }

  /** Takes a frame of a handshake, but for CONFIRM. */
  handle(frame: Frame, nowNs: number): void {
    this.nowNs = nowNs;
    const type = checkFrame(frame, this.options.check);
    if (type < 0 || destinationHost(frame.bytes) !== this.options.hostId) {
      this.counters.malformed++;
      return;
    }
    if (type === Hello.type) this.handleHello(frame);
    else if (type === Cookie.type) this.handleCookie(frame);
    else if (type === Welcome.type) this.handleWelcome(frame);
    else if (type === NoAssociation.type) this.handleHint(frame);
    else this.counters.malformed++;
  }

  advance(nowNs: number): void {
    this.nowNs = nowNs;
    while (this.deadlines.peekDeadline() <= nowNs) {
      const who = this.places[this.deadlines.peekSlot()] as Acquaintance;
      this.deadlines.remove(who.slot);
      this.fire(who);
      if (this.peers.get(who.peer) === who) this.arm(who);
    }
  }

  nextTimeout(): number {
    return this.deadlines.peekDeadline();
  }

  private remove(who: Acquaintance): void {
    this.setAgreed(who, null);
    this.withdraw(who);
    this.events.onGone(who);
    this.peers.delete(who.peer);
    this.places[who.slot] = null;
    this.freePlaces.push(who.slot);
    this.deadlines.remove(who.slot);
    if (this.latest === who) this.latest = null;
  }

  private setAgreed(who: Acquaintance, agreed: Agreement | null): void {
    const was = who.agreed !== null;
    if (who.agreed !== agreed) who.agreed?.seal.close?.();
    who.agreed = agreed;
    const is = agreed !== null;
    if (is === was) return;
    this.counters.associations += is ? 1 : -1;
  }

  private agree(who: Acquaintance, agreement: Agreement): void {
    this.setAgreed(who, agreement);
    who.offered = null;
    who.hailing = null;
    who.misses = 0;
    who.heardNs = this.nowNs;
    this.events.onAgreed(who);
    this.arm(who);
  }

  private sendHello(who: Acquaintance, hailing: Hailing): void {
    hailing.sends++;
    hailing.sentNs = this.nowNs;
    const frame = this.take(who.peer);
    const message = hailing.initiation?.message ?? NO_MESSAGE;
    // The flow id says to a host of another version, which answers with VERSION, what it answers.
    const header = { ...this.headerTo(who.peer), flowId: lowerHalf(hailing.ci) };
    const fields = { ci: hailing.ci, cookie: who.cookie ?? NO_COOKIE, messageBytes: message.length, message };
    frame.length = Hello.encode(frame.bytes, header, fields, this.options.check);
    this.output.push(frame);
    this.arm(who);
  }

  /** `who` has a deadline of a handshake, an offer or silence. */
  private arm(who: Acquaintance): void {
    this.deadlines.set(who.slot, Math.min(this.hailNs(who), this.offerEndNs(who), this.silentNs(who)));
  }

  private hailNs({ hailing }: Acquaintance): number {
    if (hailing === null) return NEVER;
    const { times } = this.options;
    return hailing.sentNs + backedOffNs(times.initialRetransmitNs, hailing.sends - 1, times);
  }

  private offerEndNs({ offered, offeredNs }: Acquaintance): number {
    return offered === null ? NEVER : offeredNs + UNUSED_NS;
  }

  /** While a handshake is under way, its end is waited for. */
  private silentNs({ agreed, hailing, heardNs }: Acquaintance): number {
    return agreed === null || hailing !== null
      ? NEVER
      : heardNs + SILENT_IDLE_TIMEOUTS * this.options.times.idleTimeoutNs;
  }

  private fire(who: Acquaintance): void {
    const { nowNs } = this;
    if (nowNs >= this.offerEndNs(who)) this.withdraw(who);
    if (nowNs >= this.silentNs(who)) {
      this.counters.expired++;
      this.setAgreed(who, null);
    }
    if (nowNs >= this.hailNs(who)) this.hailAgain(who, who.hailing as Hailing);
    if (who.agreed === null && who.offered === null && who.hailing === null) this.remove(who);
  }

  /** Flows with the peer say themselves that they were not answered. */
  private hailAgain(who: Acquaintance, hailing: Hailing): void {
    // Half of the time for a peer that seems to speak another version: flows end with that reason, not with their own timeout.
    const patience = hailing.refusal === null ? 1 : 1 / 2;
    if (this.nowNs < hailing.sinceNs + patience * this.options.times.connectTimeoutNs) {
      this.sendHello(who, hailing);
      return;
    }
    if (hailing.refusal !== null) {
      this.fail(who, hailing.refusal);
      return;
    }
    who.hailing = null;
    this.events.onUnanswered(who);
  }

  private handleHello(frame: Frame): void {
    const { bytes, peer } = frame;
    const ci = Hello.read.ci(bytes, new Uint8Array(BITS_BYTES));
    const cookie = Hello.read.cookie(bytes, new Uint8Array(COOKIE_BYTES));
    // Two HMACs at most: the limit holds for those that are valid too.
    if (!this.hellos.allow(this.nowNs)) this.counters.suppressed++;
    else if (this.options.cookies.isValid(peer, ci, this.nowNs, cookie))
      this.answerHello(peer, ci, messageOf(Hello, bytes));
    else this.sendCookie(peer, ci);
  }

  /** The peer's address is proved. */
  private answerHello(peer: number, ci: Bits64, message: Uint8Array): void {
    const who = this.find(peer) ?? this.add(peer);
    if (who === null) return;
    // Both have begun: the larger bits win.
    if (who.hailing !== null && isLarger(who.hailing.ci, ci)) {
      this.counters.unasked++;
      return;
    }
    const known = [who.offered, who.agreed].find((agreement) => agreement !== null && isSame(agreement.ci, ci));
    const agreement = known ?? this.offer(who, ci, message);
    if (agreement !== null) this.sendWelcome(peer, agreement);
    if (who.agreed === null && who.offered === null && who.hailing === null) this.remove(who);
  }

  /** What was offered is not used. */
  private withdraw(who: Acquaintance): void {
    who.offered?.seal.close?.();
    who.offered = null;
  }

  private offer(who: Acquaintance, ci: Bits64, message: Uint8Array): Agreement | null {
    const { keys, check } = this.options;
    const bits = { ci, cr: randomBits(this.options.random) };
    const answer =
      keys === null
        ? { message: NO_MESSAGE, seal: new MaskSeal(check, bits, false) }
        : keys.respond(who.peer, message, bits);
    if (answer === null) {
      this.counters.wrongKeys++;
      return null;
    }
    this.withdraw(who);
    who.offered = { ...bits, ...answer, isInitiator: false };
    who.offeredNs = this.nowNs;
    // The peer's handshake is further than the one that this host may have begun.
    who.hailing = null;
    this.arm(who);
    return who.offered;
  }

  private handleCookie({ bytes, peer }: Frame): void {
    const who = this.find(peer);
    if (
      who === null ||
      who.hailing === null ||
      !isSame(who.hailing.ci, Cookie.read.ci(bytes, new Uint8Array(BITS_BYTES)))
    ) {
      this.counters.unasked++;
      return;
    }
    who.hailing.refusal = null;
    // The same cookie again is the answer to a HELLO that was repeated.
    const cookie = Cookie.read.cookie(bytes, new Uint8Array(COOKIE_BYTES));
    if (who.cookie !== null && isSame(who.cookie, cookie)) return;
    who.cookie = cookie;
    this.sendHello(who, who.hailing);
  }

  private handleWelcome({ bytes, peer }: Frame): void {
    const who = this.find(peer);
    const ci = Welcome.read.ci(bytes, new Uint8Array(BITS_BYTES));
    if (who !== null && who.agreed !== null && isSame(who.agreed.ci, ci)) {
      // What told the peer so was lost.
      this.sendConfirm(who, who.agreed.seal);
      return;
    }
    const hailing = who?.hailing ?? null;
    if (who === null || hailing === null || !isSame(hailing.ci, ci)) {
      this.counters.unasked++;
      return;
    }
    const cr = Welcome.read.cr(bytes, new Uint8Array(BITS_BYTES));
    if (hailing.initiation === null && canBeReflected({ ci, cr })) {
      this.counters.unasked++;
      return;
    }
    const message = messageOf(Welcome, bytes);
    const seal =
      hailing.initiation === null
        ? new MaskSeal(this.options.check, { ci, cr }, true)
        : hailing.initiation.finish(message, ci, cr);
    if (seal === null) {
      this.counters.wrongKeys++;
      return;
    }
    who.cookie = Welcome.read.cookie(bytes, new Uint8Array(COOKIE_BYTES));
    this.counters.begun++;
    this.sendConfirm(who, seal);
    this.agree(who, { ci, cr, seal, message: NO_MESSAGE, isInitiator: true });
  }

  /** The peer does not know the association. That proves nothing, so what there is stays in force meanwhile. */
  private handleHint({ bytes, peer }: Frame): void {
    const who = this.find(peer);
    if (who !== null && this.events.onHint(who, flowId(bytes))) return;
    if (who === null || who.agreed === null || who.hailing !== null || this.nowNs < who.hintedNs + HINT_NS) {
      this.counters.unasked++;
      return;
    }
    who.hintedNs = this.nowNs;
    this.hail(who, this.nowNs);
  }

  private sendCookie(peer: number, ci: Bits64): void {
    this.counters.cookies++;
    const cookie = new Uint8Array(COOKIE_BYTES);
    this.options.cookies.write(peer, ci, this.nowNs, cookie);
    const frame = this.take(peer);
    frame.length = Cookie.encode(frame.bytes, this.headerTo(peer), { ci, cookie }, this.options.check);
    this.output.push(frame);
  }

  private sendWelcome(peer: number, { ci, cr, message }: Agreement): void {
    const cookie = new Uint8Array(COOKIE_BYTES);
    this.options.cookies.write(peer, null, this.nowNs, cookie);
    const fields = { ci, cr, cookie, messageBytes: message.length, message };
    const frame = this.take(peer);
    frame.length = Welcome.encode(frame.bytes, this.headerTo(peer), fields, this.options.check);
    this.output.push(frame);
  }

  /** Shows the peer that its WELCOME has come. */
  private sendConfirm(who: Acquaintance, seal: FrameSeal): void {
    const frame = this.take(who.peer);
    frame.length = Confirm.encode(frame.bytes, this.headerTo(who.peer), {}, this.options.check);
    seal.seal(frame);
    this.output.push(frame);
  }

  private take(peer: number): Frame {
    const frame = this.options.pool.take();
    frame.reserve(LONGEST_BYTES);
    frame.peer = peer;
    frame.atNs = this.nowNs;
    return frame;
  }

  private headerTo(peer: number) {
    const { hostId } = this.options;
    return { destination: hostId === NO_HOST ? NO_HOST : peer, source: hostId, flowId: 0 };
  }
}

/** Of a HELLO or WELCOME, whose length was checked. */
function messageOf(kind: typeof Hello | typeof Welcome, bytes: Uint8Array): Uint8Array {
  return kind.read.message(bytes, new Uint8Array(MAX_HANDSHAKE_BYTES)).subarray(0, kind.read.messageBytes(bytes));
}

/** As unsigned numbers. */
function isLarger(a: Bits64, b: Bits64): boolean {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at >= 0 && a[at] > b[at];
}
