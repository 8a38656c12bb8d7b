// Tested by test/sim/fuzz/planted-doors.test.ts
import { crc32 } from '../../base/crc32.js';
import type { Acquaintance, Agreement } from '../../core/acquaintance.js';
import type { Door } from '../../core/door.js';
import { checkFrame, DropCode, frameType, peekHeader } from '../../wire/decode.js';
import type { Frame } from '../../wire/frame.js';
import type { Field } from '../../wire/frame-kind.js';
import { Confirm, Cookie, Hello, NoAssociation, Welcome } from '../../wire/frames.js';
import { CHECK_BYTES, FrameType } from '../../wire/layout.js';
import { BITS_BYTES, COOKIE_BYTES } from '../../wire/proofs.js';
import { isOfDoor } from './frame-audit.js';
import { fail } from './violation.js';

/** Bytes sent to an unproved peer, at most, per byte received from it (RFC 9000 section 8.1). */
const MOST_TIMES = 3;
/** PROTOCOL §7; written anew, as the timeouts of time-bound.ts. */
const SILENT_IDLE_TIMEOUTS = 2;
const ANY_BITS = 'any';

/** What honest hosts have really sent to each other: plain frames of flows. */
export class Truth {
  private readonly sent = new Map<number, Set<number>>();

  note(from: number, to: number, frame: Frame): void {
    const key = from * HOSTS + to;
    const known = this.sent.get(key);
    if (known === undefined) this.sent.set(key, new Set([fingerprint(frame)]));
    else known.add(fingerprint(frame));
  }

  has(from: number, to: number, frame: Frame): boolean {
    return this.sent.get(from * HOSTS + to)?.has(fingerprint(frame)) === true;
  }
}

const HOSTS = 65_536;

/** Of all that switches leave alone. */
function fingerprint({ bytes, length }: Frame): number {
  return crc32(bytes, 2, length - CHECK_BYTES) * HOSTS + length;
}

/** What one peer and this host have said. */
class Dealings {
  inBytes = 0;
  outBytes = 0;
  answerBytes = 0;
  heardNs = Number.NEGATIVE_INFINITY;
  agreed: Agreement | null = null;
  /** Its address is proved: it was sent a WELCOME, or has sent one. */
  isProved = false;
  /** Cookies that this host made for it, with the bits that each is for. */
  readonly cookies = new Map<string, string>();
  /** Bits of HELLOs to it. */
  readonly hellos = new Set<string>();
}

/** What a frame was before the door took it. */
interface Seen {
  /** Negative for what is no frame. */
  readonly type: number;
  readonly ci: string;
  /** A HELLO with a cookie of this host, for this peer and these bits. */
  readonly isWelcome: boolean;
}

export interface WatchedDoor {
  readonly hostId: number;
  readonly door: Door;
  readonly idleTimeoutNs: number;
  readonly truth: Truth;
  /** Ids of hosts that lie. */
  readonly liars: ReadonlySet<number>;
}

/** Looks over the shoulder of a door: whom it believes what, what it sends to whom. Knows of its state what it sees come and go. */
export class DoorWatch {
  private readonly options: WatchedDoor;
  private readonly peers = new Map<number, Dealings>();

  constructor(options: WatchedDoor) {
    this.options = options;
  }

  /** A frame comes; `take` hands it to the door. */
  admit(frame: Frame, nowNs: number, take: () => boolean): boolean {
    const { door } = this.options;
    const { handshakes } = door;
    const { peer } = frame;
    const dealings = this.with(peer);
    dealings.inBytes += frame.length;
    const seen = this.look(frame, dealings);
    const knownBefore = handshakes.known;
    const before = handshakes.find(peer);
    const [agreedBefore, offeredBefore] = [before?.agreed ?? null, offersOf(before)];
    const isAdmitted = take();
    const after = handshakes.find(peer);
    const agreed = after?.agreed ?? null;
    const offered = offersOf(after);
    if (handshakes.known > knownBefore && !seen.isWelcome)
      this.fail('state', peer, 'keeps state for a frame without proof');
    if (offered.some((offer) => !offeredBefore.includes(offer)) && !seen.isWelcome)
      this.fail('proof', peer, 'answered a HELLO with a cookie that it had not made for it');
    if (agreed !== agreedBefore) dealings.heardNs = nowNs;
    if (agreed !== agreedBefore) this.checkAgreed(agreed, offeredBefore, { peer, seen, dealings });
    if (offered.length > 0 || agreed !== null) dealings.isProved = true;
    dealings.agreed = agreed;
    if (isAdmitted) this.checkAdmitted(frame, agreed, nowNs);
    return isAdmitted;
  }

  /** The endpoint's frame is about to pass the door, plain. */
  beforeOut(frame: Frame): void {
    this.options.truth.note(this.options.hostId, frame.peer, frame);
  }

  /** A frame leaves the host. */
  out(frame: Frame): void {
    const { peer, length } = frame;
    const dealings = this.with(peer);
    const type = frameType(frame.bytes);
    const isProved = this.options.door.isProved(peer) || dealings.isProved;
    this.noteProofs(frame, dealings);
    if (type === Hello.type) return;
    dealings.outBytes += length;
    if (type === FrameType.version || type === Cookie.type || type === NoAssociation.type)
      dealings.answerBytes += length;
    if (isProved) return;
    if (!isOfDoor(type) || type === Confirm.type)
      this.fail('unproved', peer, 'sent a frame of a flow to a peer that has proved nothing');
    const { inBytes, outBytes, answerBytes } = dealings;
    if (outBytes > MOST_TIMES * inBytes || answerBytes > inBytes) {
      this.fail('amplification', peer, `sent ${outBytes} bytes, ${answerBytes} of them answers, for ${inBytes}`);
    }
  }

  /** The door's timers have fired. */
  advanced(nowNs: number): void {
    const { door, idleTimeoutNs } = this.options;
    for (const [peer, dealings] of this.peers) {
      if (dealings.agreed === null && !dealings.isProved) continue;
      const who = door.handshakes.find(peer);
      if (dealings.agreed !== null && (who?.agreed ?? null) === null) {
        if (nowNs < dealings.heardNs + SILENT_IDLE_TIMEOUTS * idleTimeoutNs)
          this.fail('silence', peer, `forgot at ${nowNs} ns a peer that it heard at ${dealings.heardNs} ns`);
        dealings.agreed = null;
      }
      if (who === null || (who.agreed === null && who.offers.length === 0)) this.forget(dealings);
    }
  }

  private forget(dealings: Dealings): void {
    dealings.isProved = false;
    dealings.inBytes = dealings.outBytes = dealings.answerBytes = 0;
  }

  private with(peer: number): Dealings {
    let dealings = this.peers.get(peer);
    if (dealings === undefined) {
      dealings = new Dealings();
      this.peers.set(peer, dealings);
    }
    return dealings;
  }

  private look({ bytes, length }: Frame, { cookies }: Dealings): Seen {
    const type = peekHeader(bytes, length);
    const hasBits = type === Hello.type || type === Cookie.type || type === Welcome.type;
    if (!hasBits || length < Cookie.minBytes) return { type, ci: '', isWelcome: false };
    const ci = bitsOf(bytes, Hello.fields.ci);
    const made = type === Hello.type ? cookies.get(cookieOf(bytes, Hello.fields.cookie)) : undefined;
    return { type, ci, isWelcome: made === ANY_BITS || made === ci };
  }

  private checkAgreed(
    agreed: Agreement | null,
    offeredBefore: readonly Agreement[],
    { peer, seen, dealings }: { peer: number; seen: Seen; dealings: Dealings },
  ): void {
    if (agreed === null) {
      // Who answers a HELLO with VERSION has seen its bits.
      if (seen.type !== FrameType.version) this.fail('ended', peer, 'ended an association for a frame');
      return;
    }
    if (seen.type === Welcome.type) {
      if (!dealings.hellos.has(seen.ci)) this.fail('unasked', peer, 'took a WELCOME that answers none of its HELLOs');
    } else if (!offeredBefore.includes(agreed)) this.fail('unasked', peer, 'has an association that nobody offered');
  }

  /** What reaches the endpoint comes from a peer that is proved, and from an honest one only what it sent. */
  private checkAdmitted(frame: Frame, agreed: Agreement | null, nowNs: number): void {
    const { truth, hostId, liars } = this.options;
    const { peer } = frame;
    const type = checkFrame(frame, crc32);
    if (peekHeader(frame.bytes, frame.length) < 0) return;
    // A frame whose check is wrong shows nothing.
    if (type >= 0 || type === DropCode.extension || type === DropCode.invalid) this.with(peer).heardNs = nowNs;
    if (agreed === null) this.fail('unproved', peer, 'let a frame of a peer in that has proved nothing');
    // Sixteen bits of a credit's check prove little (PROTOCOL §7.3).
    if (type < 0 || type === FrameType.credit || liars.has(peer)) return;
    if (!truth.has(peer, hostId, frame)) this.fail('forged', peer, `let a frame of type ${type} in that it never sent`);
  }

  private noteProofs({ bytes }: Frame, { hellos, cookies }: Dealings): void {
    const type = frameType(bytes);
    if (type === Hello.type) hellos.add(bitsOf(bytes, Hello.fields.ci));
    if (type === Cookie.type) cookies.set(cookieOf(bytes, Cookie.fields.cookie), bitsOf(bytes, Cookie.fields.ci));
    if (type === Welcome.type) cookies.set(cookieOf(bytes, Welcome.fields.cookie), ANY_BITS);
  }

  private fail(check: string, peer: number, what: string): never {
    fail(`door ${check}`, `host ${this.options.hostId}, of host ${peer}: ${what}`);
  }
}

function offersOf(who: Acquaintance | null): Agreement[] {
  return who === null ? [] : who.offers.map(({ agreement }) => agreement);
}

function bitsOf(bytes: Uint8Array, { at }: Field): string {
  return textOf(bytes, at, BITS_BYTES);
}

function cookieOf(bytes: Uint8Array, { at }: Field): string {
  return textOf(bytes, at, COOKIE_BYTES);
}

function textOf(bytes: Uint8Array, at: number, length: number): string {
  let text = '';
  for (let index = at; index < at + length; index++) text += String.fromCharCode(bytes[index]);
  return text;
}
