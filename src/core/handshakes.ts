import type { Crc32 } from '../base/crc32.js';
import { DeadlineHeap } from '../base/deadline-heap.js';
import { XpassError } from '../base/errors.js';
import { counter, gauge, initialValues, type Values } from '../base/metric.js';
import type { Random } from '../base/random.js';
import { SourceLimit } from '../base/source-limit.js';
import { NEVER, SECOND_NS } from '../base/time.js';
import { checkFrame, destinationHost, flowId } from '../wire/decode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import type { FrameQueue } from '../wire/frame-queue.js';
import { Cookie, Hello, NoAssociation, Welcome } from '../wire/frames.js';
import { BITS_BYTES, type Bits64, COOKIE_BYTES, type CookieMaker, isSame, randomBits } from '../wire/proofs.js';
import { Acquaintance, type Agreement, type Hailing } from './acquaintance.js';
import { canBeReflected, type KeyExchange, MaskSeal } from './association.js';
import type { EndpointConfig } from './config.js';
import { HandshakeFrames, messageOf, NO_COOKIE, NO_MESSAGE } from './handshake-frames.js';
import { backedOffNs } from './probe.js';

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

/** HELLOs without a cookie that are answered, by a COOKIE: two HMACs each, 6 us. The limits by source are ours: hosts behind one NAT, or of a lab. */
const COOKIES = { perSecond: 1_000, perSecondInAll: 10_000 };
/** Cookies that are looked at. Of their own: who forges addresses gets none, so its flood leaves alone those who have one. */
const CLAIMS = { perSecond: 1_000, perSecondInAll: 20_000 };
/** Exchanges of keys that are answered: four times X25519 each, 0.25 ms. Ours: all together take half of a core. */
const EXCHANGES = { perSecond: 250, perSecondInAll: 2_000 };
/** An answered peer that never uses its association makes room after this time, as a half-open connection of TCP does (ours). */
const UNUSED_NS = 5 * SECOND_NS;
/** Offers at once to a peer. Ours: a HELLO, and three old copies that somebody on the path repeats; each handshake keeps its own. */
const MOST_OFFERS = 4;
/** Frames of the association before are taken for this time. Ours: as long as the peer, who may have made the offer, may stay with it. */
const FORMER_NS = UNUSED_NS;
/** Idle timeouts of silence after which nobody can have a flow with the peer; flows send keep-alives. PROTOCOL §5.7 */
const SILENT_IDLE_TIMEOUTS = 2;
/** A hint is followed once in this time: it proves nothing. */
const HINT_NS = SECOND_NS;

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
  /** What the limits by source are of: the address of a peer without its port. Peers themselves where it is left out, as behind a switch. */
  readonly sourceOf?: (peer: number) => number;
  /** The same as an endpoint's. */
  readonly times: Pick<EndpointConfig, 'idleTimeoutNs' | 'connectTimeoutNs' | 'initialRetransmitNs' | 'maxBackoffNs'>;
}

/**
 * How hosts prove themselves to each other (PROTOCOL §7): who began says HELLO; the answer to an address that has proved nothing is a COOKIE, and keeps no
 * state; HELLO with a cookie gets a WELCOME. What this host says goes to `output`.
 */
export class Handshakes {
  readonly counters: HandshakeCounters = initialValues(HANDSHAKE_METRICS);
  private readonly frames: HandshakeFrames;
  private readonly options: HandshakeOptions;
  private readonly events: HandshakeEvents;
  private readonly peers = new Map<number, Acquaintance>();
  private readonly places: (Acquaintance | null)[] = [];
  private readonly freePlaces: number[] = [];
  private readonly deadlines = new DeadlineHeap();
  private readonly cookies: SourceLimit;
  private readonly claims: SourceLimit;
  private readonly exchanges: SourceLimit;
  /** Whom was looked for last: most frames come in a row. */
  private latest: Acquaintance | null = null;
  private nowNs = 0;

  constructor(options: HandshakeOptions, events: HandshakeEvents) {
    this.options = options;
    this.frames = new HandshakeFrames(options);
    this.events = events;
    const seed = options.random.uint32();
    this.cookies = new SourceLimit({ ...COOKIES, seed });
    this.claims = new SourceLimit({ ...CLAIMS, seed });
    this.exchanges = new SourceLimit({ ...EXCHANGES, seed });
  }

  /** What this host says. */
  get output(): FrameQueue {
    return this.frames.output;
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

  /**
   * A frame has come from `who`. True if it may be of its association, and is plain now; `isSure`: only if it is. The first frame of one that was offered
   * puts it in force.
   */
  open(who: Acquaintance, frame: Frame, nowNs: number, isSure: boolean): boolean {
    this.nowNs = nowNs;
    // The search makes a closure, and every frame of a flow comes here.
    if (who.offers.length > 0 && this.takesUp(who, frame)) return true;
    const { agreed, former } = who;
    if (agreed === null) return false;
    const opens = isSure || former !== null ? agreed.seal.tryOpen(frame) : agreed.seal.open(frame);
    if (opens || former?.seal.tryOpen(frame) === true) return true;
    if (agreed.seal.isOver) this.end(who);
    return false;
  }

  /** The peer has used what it was offered. Offers before that one are void: frames of theirs would be older than those of this one. */
  private takesUp(who: Acquaintance, frame: Frame): boolean {
    const at = who.offers.findIndex(({ agreement }) => agreement.seal.prove(frame));
    if (at < 0) return false;
    this.counters.answered++;
    const [{ agreement }] = who.offers.splice(at, 1);
    this.withdraw(who, at);
    this.agree(who, agreement);
    return true;
  }

  /** The association can be used no more: too many forgeries, or all its numbers. */
  private end(who: Acquaintance): void {
    this.setAgreed(who, null);
    this.hail(who, this.nowNs);
  }

  /** Nothing is under way with `who`; or it has not used what it was offered in the time of a repetition, and may have forgotten it in a crash. */
  mayHail({ hailing, offers: [offer] }: Acquaintance, nowNs: number): boolean {
    if (hailing !== null) return false;
    return offer === undefined || nowNs >= offer.sinceNs + this.options.times.initialRetransmitNs;
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
    who.hailing = {
      ci,
      initiation,
      sinceNs: this.nowNs,
      sends: 0,
      sentNs: this.nowNs,
      refusal: null,
      hasYielded: false,
    };
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
    this.withdraw(who, who.offers.length);
    this.events.onGone(who);
    this.peers.delete(who.peer);
    this.places[who.slot] = null;
    this.freePlaces.push(who.slot);
    this.deadlines.remove(who.slot);
    if (this.latest === who) this.latest = null;
  }

  /** What was in force before is void, with what was before it. */
  private setAgreed(who: Acquaintance, agreed: Agreement | null): void {
    this.setFormer(who, null);
    who.agreed?.seal.close?.();
    if (who.agreed !== null) this.counters.associations--;
    if (agreed !== null) this.counters.associations++;
    who.agreed = agreed;
  }

  private setFormer(who: Acquaintance, former: Agreement | null): void {
    who.former?.seal.close?.();
    who.former = former;
    who.formerEndNs = this.nowNs + FORMER_NS;
  }

  /** What is on its way was made with the association before: it stays readable for a while. */
  private agree(who: Acquaintance, agreement: Agreement): void {
    const before = who.agreed;
    if (before === null || before.seal.isOver) this.setAgreed(who, agreement);
    else {
      this.setFormer(who, before);
      who.agreed = agreement;
    }
    who.hailing = null;
    who.misses = 0;
    who.heardNs = this.nowNs;
    this.events.onAgreed(who);
    this.arm(who);
  }

  private sendHello(who: Acquaintance, hailing: Hailing): void {
    hailing.sends++;
    hailing.sentNs = this.nowNs;
    this.frames.hello(who.peer, hailing, who.cookie, this.nowNs);
    this.arm(who);
  }

  /** `who` has a deadline of a handshake, an offer, the association before or silence. */
  private arm(who: Acquaintance): void {
    const formerEndNs = who.former === null ? NEVER : who.formerEndNs;
    this.deadlines.set(who.slot, Math.min(this.hailNs(who), offerEndNs(who), formerEndNs, this.silentNs(who)));
  }

  private hailNs({ hailing }: Acquaintance): number {
    if (hailing === null) return NEVER;
    const { times } = this.options;
    return hailing.sentNs + backedOffNs(times.initialRetransmitNs, hailing.sends - 1, times);
  }

  /** While a handshake is under way, its end is waited for. */
  private silentNs({ agreed, hailing, heardNs }: Acquaintance): number {
    return agreed === null || hailing !== null
      ? NEVER
      : heardNs + SILENT_IDLE_TIMEOUTS * this.options.times.idleTimeoutNs;
  }

  private fire(who: Acquaintance): void {
    const { nowNs } = this;
    while (nowNs >= offerEndNs(who)) this.withdraw(who, 1);
    if (nowNs >= who.formerEndNs) this.setFormer(who, null);
    if (nowNs >= this.silentNs(who)) {
      this.counters.expired++;
      this.setAgreed(who, null);
    }
    if (nowNs >= this.hailNs(who)) this.hailAgain(who, who.hailing as Hailing);
    if (isIdle(who)) this.remove(who);
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
    const source = this.sourceOf(peer);
    const isClaim = !isSame(cookie, NO_COOKIE);
    if (!(isClaim ? this.claims : this.cookies).allow(source, this.nowNs)) this.counters.suppressed++;
    else if (isClaim && this.options.cookies.isValid(peer, ci, this.nowNs, cookie))
      this.answerHello(peer, ci, messageOf(Hello, bytes));
    else {
      // Of a claim that is false or old as well: what was looked at is answered.
      this.counters.cookies++;
      this.frames.cookie(peer, ci, this.nowNs);
    }
  }

  private sourceOf(peer: number): number {
    return this.options.sourceOf?.(peer) ?? peer;
  }

  /** The peer's address is proved. A HELLO that comes again, whoever repeats it, gets the same answer and changes nothing. */
  private answerHello(peer: number, ci: Bits64, message: Uint8Array): void {
    const who = this.find(peer) ?? this.add(peer);
    if (who === null) return;
    // Both have begun: the larger bits win. Or it is an old copy.
    const isLost = who.hailing !== null && isLarger(who.hailing.ci, ci);
    if (isLost || (who.former !== null && isSame(who.former.ci, ci))) {
      this.counters.unasked++;
      return;
    }
    const agreement = this.answerTo(who, ci) ?? this.offer(who, ci, message);
    if (agreement !== null) this.frames.welcome(peer, agreement, this.nowNs);
    if (isIdle(who)) this.remove(who);
  }

  /** What a HELLO of these bits got before. */
  private answerTo({ offers, agreed }: Acquaintance, ci: Bits64): Agreement | null {
    if (agreed !== null && isSame(agreed.ci, ci)) return agreed;
    return offers.find(({ agreement }) => isSame(agreement.ci, ci))?.agreement ?? null;
  }

  /** The oldest `count` offers are not used. */
  private withdraw(who: Acquaintance, count: number): void {
    for (const { agreement } of who.offers.splice(0, count)) agreement.seal.close?.();
  }

  private offer(who: Acquaintance, ci: Bits64, message: Uint8Array): Agreement | null {
    const answer = this.respond(who, ci, message);
    if (answer === null) return null;
    const agreement = { ...answer, isInitiator: false };
    if (who.offers.length >= MOST_OFFERS) this.withdraw(who, 1);
    who.offers.push({ agreement, sinceNs: this.nowNs });
    if (who.hailing !== null) this.yieldOnce(who.hailing);
    this.arm(who);
    return agreement;
  }

  private respond(who: Acquaintance, ci: Bits64, message: Uint8Array): Omit<Agreement, 'isInitiator'> | null {
    const { keys, check, random } = this.options;
    if (keys !== null && !this.exchanges.allow(this.sourceOf(who.peer), this.nowNs)) {
      this.counters.suppressed++;
      return null;
    }
    const bits = { ci, cr: randomBits(random) };
    if (keys === null) return { ...bits, message: NO_MESSAGE, seal: new MaskSeal(check, bits, false) };
    const answer = keys.respond(who.peer, message, bits);
    if (answer === null) this.counters.wrongKeys++;
    return answer && { ...bits, ...answer };
  }

  /** The peer's handshake is further than the one that this host has begun. That goes on in the time of a repetition: the HELLO may be an old copy. */
  private yieldOnce(hailing: Hailing): void {
    if (hailing.hasYielded) return;
    hailing.hasYielded = true;
    hailing.sentNs = this.nowNs;
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
      this.frames.confirm(peer, who.agreed.seal, this.nowNs);
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
    this.frames.confirm(peer, seal, this.nowNs);
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
}

/** Nothing is known of the peer, and nothing under way. */
function isIdle({ agreed, offers, hailing }: Acquaintance): boolean {
  return agreed === null && offers.length === 0 && hailing === null;
}

function offerEndNs({ offers: [offer] }: Acquaintance): number {
  return offer === undefined ? NEVER : offer.sinceNs + UNUSED_NS;
}

/** As unsigned numbers. */
function isLarger(a: Bits64, b: Bits64): boolean {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at >= 0 && a[at] > b[at];
}
