// Tested by test/udp/host-driver.test.ts and test/loopback/udp-host.test.ts
import { assert } from '../base/assert.js';
import type { Crc32 } from '../base/crc32.js';
import { XpassError } from '../base/errors.js';
import { NEVER, SECOND_NS } from '../base/time.js';
import { type AttachedLink, Attachment, type AttachmentOptions } from '../core/attachment.js';
import { Frame } from '../wire/frame.js';
import { KeepAlive } from '../wire/frames.js';
import type { LoopMachine } from './machine-loop.js';

/** Time from the first refusal until the peer is given up (ours): a restarted daemon listens again after 0.3 s, and a command ends within a second. */
const GIVE_UP_NS = 0.75 * SECOND_NS;
/** How often a refused peer is asked again, where flows say little: one that waits for an answer is silent for seconds (ours). */
const PROBE_NS = 0.1 * SECOND_NS;
/** A probed peer that has not refused for this long listens again: two probes, and a busy machine. */
const FRESH_NS = 0.35 * SECOND_NS;
/** Refusals needed: the first may be from a moment before the peer was there. */
const LEAST_REFUSALS = 3;
/** Room for the frame of a probe. */
const PROBE_BYTES = 64;
/** Refusals further apart belong to two occasions: the longest backoff of a sender. */
const MAX_GAP_NS = 1 * SECOND_NS;

/** Watches a connected socket for a peer at whose port nobody listens, which the kernel knows from ICMP. PROTOCOL §5.7 */
export class RefusalWatch {
  private refusals = 0;
  private sinceNs = 0;
  private latestNs = 0;
  private probeNs = NEVER;
  /** Datagrams that had been sent when the latest refusal was counted. */
  private sentBefore = 0;
  private isKnown = false;

  /** Nothing but refusals has come since the latest datagram, if any. */
  get isRefused(): boolean {
    return this.refusals > 0;
  }

  /** The peer has said something once. */
  get wasHeard(): boolean {
    return this.isKnown;
  }

  /** A datagram has come. */
  heard(): void {
    this.refusals = 0;
    this.isKnown = true;
  }

  /** A refusal after `datagramsSent` datagrams. Returns whether it counts: with none sent since the latest, it answers one counted before. */
  refused(nowNs: number, datagramsSent: number): boolean {
    if (datagramsSent === this.sentBefore) return false;
    this.sentBefore = datagramsSent;
    if (nowNs - this.latestNs > MAX_GAP_NS) this.refusals = 0;
    this.latestNs = nowNs;
    if (this.refusals++ === 0) {
      this.sinceNs = nowNs;
      this.probeNs = nowNs + PROBE_NS;
    }
    return true;
  }

  /** When the next probe of a refused peer is due; NEVER without refusals. */
  nextProbe(): number {
    return this.refusals === 0 ? NEVER : this.probeNs;
  }

  /** Whether a probe is to be sent now. A peer that refuses no more is forgiven. */
  takeProbe(nowNs: number): boolean {
    if (nowNs < this.nextProbe()) return false;
    this.probeNs = nowNs + PROBE_NS;
    if (nowNs - this.latestNs > FRESH_NS) this.refusals = 0;
    return this.refusals > 0;
  }

  /** When the peer is given up unless something comes; NEVER while there is no reason to. */
  nextTimeout(): number {
    return this.refusals >= LEAST_REFUSALS ? this.sinceNs + GIVE_UP_NS : NEVER;
  }

  /** True once that time has come; then the watch begins anew. */
  isOver(nowNs: number): boolean {
    if (nowNs < this.nextTimeout()) return false;
    this.refusals = 1;
    this.sinceNs = nowNs;
    this.latestNs = nowNs;
    this.probeNs = NEVER;
    return true;
  }
}

/** What the driver needs of a host; `core/host.ts` is one. A frame that is handed in stays the driver's. */
export interface HostMachine extends LoopMachine {
  handleFrame(frame: Frame, nowNs: number): void;
  /** The switch gives the host's link another rate, bit/s; Infinity for unlimited. */
  setLinkRate(rateBps: number, nowNs: number): void;
  /** The system does not send frames of `frameBytes` to `peer`: later ones have to be shorter. */
  frameTooLong?(peer: number, frameBytes: number, nowNs: number): void;
  /** The only peer is gone: every flow ends with `error`. */
  giveUp(error: XpassError, nowNs: number): void;
}

/** Why nothing comes: who is to blame, as people write it, and the end of a sentence that says what is known. */
export interface Trouble {
  readonly who: string;
  readonly reason: string;
}

/** What the user of a driver hears of its switch. */
export interface SwitchEvents {
  /** The switch gave other terms than before. The machine has its new rate; a frame size or an id stays as it was built. */
  onLinkChanged?(link: AttachedLink, before: AttachedLink): void;
  /** A switch that did not know this host any more, as after a restart, has given it its port again. */
  onAttachedAgain?(): void;
  /** The switch takes this host no more, so nothing arrives from now on. The driver goes on until it is closed. */
  onDetached?(error: XpassError): void;
}

/** The other end of a host's socket, its loop's machine: a switch's attachment, or a peer that may refuse; then the host behind it. */
export class RemoteEnd implements LoopMachine {
  /** Null until the link is known. */
  machine: HostMachine | null = null;
  /** Null in direct mode. */
  attachment: Attachment | null = null;
  private readonly refusals = new RefusalWatch();
  private readonly events: SwitchEvents;
  /** The only peer in sentences; '' where there are several. */
  private readonly peerName: string;
  private terms: AttachedLink | null = null;
  /** Checks the frames that probe a refused peer; null behind a switch, whose attachment is repeated anyway. */
  private check: Crc32 | null = null;
  private probe: Frame | null = null;
  /** Times that a switch has given a port, as far as the user was told. */
  private attachments = 0;
  private onSettled: (() => void) | null = null;
  private isDetached = false;

  constructor(events: SwitchEvents, peerName: string) {
    this.events = events;
    this.peerName = peerName;
  }

  /** The terms in force. */
  get link(): AttachedLink {
    assert(this.terms !== null, 'an attached host has a link');
    return this.terms;
  }

  /** Direct mode, on these terms. */
  direct(terms: AttachedLink, check: Crc32): void {
    this.terms = terms;
    this.check = check;
  }

  /** Begins to attach; resolves when the switch has given a port. Throws what the attachment failed with. */
  async attach(options: AttachmentOptions, nowNs: number): Promise<void> {
    const attachment = new Attachment(options, nowNs);
    this.attachment = attachment;
    await new Promise<void>((resolve) => {
      this.onSettled = resolve;
    });
    if (attachment.error !== null) throw attachment.error;
  }

  /** A datagram has come. */
  heard(): void {
    this.refusals.heard();
  }

  /** The kernel reports a refusal after `datagramsSent` datagrams in all; returns whether it counts. */
  refused(nowNs: number, datagramsSent: number): boolean {
    if (!this.refusals.refused(nowNs, datagramsSent)) return false;
    this.attachment?.handleRefusal(nowNs);
    return true;
  }

  handleFrame(frame: Frame, nowNs: number): void {
    if (!this.attachment?.handleFrame(frame, nowNs)) this.machine?.handleFrame(frame, nowNs);
  }

  advance(nowNs: number): void {
    const { attachment, check } = this;
    // First, since it may forgive.
    if (check !== null && this.refusals.takeProbe(nowNs)) this.probe = probeFrame(check);
    if (this.refusals.isOver(nowNs)) this.giveUp(nowNs);
    if (attachment !== null) {
      attachment.advance(nowNs);
      if (attachment.link !== this.terms || attachment.error !== null) this.tellAttachment(attachment, nowNs);
    }
    this.machine?.advance(nowNs);
  }

  poll(): Frame | null {
    const { probe } = this;
    this.probe = null;
    return probe ?? this.attachment?.poll() ?? this.machine?.poll() ?? null;
  }

  nextTimeout(): number {
    const attachNs = this.attachment?.nextTimeout() ?? NEVER;
    const machineNs = this.machine?.nextTimeout() ?? NEVER;
    const probeNs = this.check === null ? NEVER : this.refusals.nextProbe();
    return Math.min(attachNs, machineNs, probeNs, this.refusals.nextTimeout());
  }

  /** Gives the port back to the switch. */
  takeLeave(): void {
    this.attachment?.detach();
  }

  /** What is known of the only peer, or of the switch, when nothing comes; null for nothing. */
  trouble(nowNs: number): Trouble | null {
    const { attachment, refusals } = this;
    const who = attachment === null ? this.peerName : `the switch at ${attachment.switchName}`;
    if (refusals.isRefused) return { who, reason: 'nobody listens at its port (ECONNREFUSED)' };
    const silentNs = attachment?.silentNs(nowNs) ?? 0;
    if (silentNs === 0) return null;
    return { who, reason: `nothing has come from it for ${(silentNs / SECOND_NS).toFixed(1)} s` };
  }

  /** Nothing but refusals has come for a while. The flows of an attached host wait for their timeouts: they outlive a switch that is restarted. */
  private giveUp(nowNs: number): void {
    if (this.attachment !== null) {
      this.attachment.giveUp();
      return;
    }
    const code = this.refusals.wasHeard ? 'idle' : 'unreachable';
    this.machine?.giveUp(new XpassError(code, `nobody listens at ${this.peerName} (ECONNREFUSED)`), nowNs);
  }

  /** The attachment was settled, renewed or refused. */
  private tellAttachment({ link, error, attachments }: Attachment, nowNs: number): void {
    const before = this.terms;
    const isAgain = this.attachments > 0 && attachments > this.attachments;
    this.attachments = attachments;
    this.terms = link;
    if (isAgain) this.events.onAttachedAgain?.();
    if (this.onSettled !== null) {
      // Whoever waits for the attachment hears of it there.
      this.isDetached = error !== null;
      this.onSettled();
      this.onSettled = null;
    } else if (error !== null) {
      const isKnown = this.isDetached;
      this.isDetached = true;
      if (!isKnown) this.events.onDetached?.(error);
    } else if (link !== null && before !== null && !sameTerms(link, before)) {
      if (link.rateBps !== before.rateBps) this.machine?.setLinkRate(link.rateBps, nowNs);
      this.events.onLinkChanged?.(link, before);
    }
  }
}

/** KEEP_ALIVE is for switches: a host drops it, counted, and answers nothing. PROTOCOL §5.7 */
function probeFrame(check: Crc32): Frame {
  const frame = new Frame(new Uint8Array(PROBE_BYTES));
  frame.length = KeepAlive.encode(frame.bytes, { destination: 0, source: 0, flowId: 0 }, { token: 0 }, check);
  return frame;
}

function sameTerms(a: AttachedLink, b: AttachedLink): boolean {
  return a.hostId === b.hostId && a.rateBps === b.rateBps && a.maxFrameBytes === b.maxFrameBytes;
}
