import type { XpassError } from '../base/errors.js';
import { frameType } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { FrameType, NO_HOST, SEALED_CREDIT_EXTRA_BYTES, SEALED_EXTRA_BYTES } from '../wire/layout.js';
import { CreditCoupler } from './credit-coupler.js';
import { type Door, isOfFlow } from './door.js';
import type { Endpoint } from './endpoint.js';

/** What a host needs of its NIC: the verbs of a switch port. */
export interface Nic {
  /** Takes a frame that arrives at its `atNs`. 0 when it was taken; anything else is the reason of a drop, and the frame stays the caller's. */
  enqueueStamped(frame: Frame): number;
  advance(nowNs: number): void;
  dequeue(): Frame | null;
  nextTimeout(): number;
  /** Other settings from `nowNs` on. */
  configure(changes: { readonly rateBps: number }, nowNs: number): void;
}

/**
 * An endpoint behind the NIC port that meters its credits, and behind the door that says whom it talks to. Credits enter the port at their due times, however
 * late the driver wakes. Without a door every peer counts as proved: in simulations.
 */
export class Host {
  readonly endpoint: Endpoint;
  readonly nic: Nic;
  readonly door: Door | null;
  private readonly isSealed: boolean;
  /** Null behind a switch, which meters credits one by one. */
  private readonly coupler: CreditCoupler | null = null;

  constructor(endpoint: Endpoint, nic: Nic, door: Door | null = null) {
    this.endpoint = endpoint;
    this.nic = nic;
    this.door = door;
    const { config, pool, check } = endpoint;
    this.isSealed = config.sealBytes > 0;
    if (door !== null && config.hostId === NO_HOST)
      this.coupler = new CreditCoupler(() => this.dequeue(door), pool, this.isSealed ? null : check);
  }

  handleFrame(frame: Frame, nowNs: number): void {
    const { door, endpoint } = this;
    if (door === null) endpoint.handleFrame(frame, nowNs);
    else if (door.admit(frame, nowNs)) door.judge(frame, endpoint.handleFrame(frame, nowNs));
  }

  /** The link has another rate from `nowNs` on, bit/s; Infinity for unlimited. */
  setLinkRate(rateBps: number, nowNs: number): void {
    this.endpoint.setLinkRate(rateBps);
    this.nic.configure({ rateBps }, nowNs);
  }

  /** This system does not send frames of `frameBytes`, with their seal, to `peer`. PROTOCOL §7.9 */
  frameTooLong(peer: number, frameBytes: number, nowNs: number): void {
    const { mtus, config } = this.endpoint;
    mtus?.tooLong(peer, frameBytes - config.sealBytes, nowNs);
  }

  /** Nobody is at the other end: every flow ends with `error`. */
  giveUp(error: XpassError, nowNs: number): void {
    this.endpoint.closeAll(nowNs, error);
  }

  /** Does all that is due, and lets the NIC start what it can. A credit that the NIC drops may make room for another that is due. */
  advance(nowNs: number): void {
    const { door, endpoint, nic } = this;
    door?.advance(nowNs);
    // What has waited for a handshake goes before what comes now.
    this.enqueueDoor(nowNs);
    do {
      endpoint.advance(nowNs);
      for (let frame = endpoint.poll(); frame !== null; frame = endpoint.poll()) {
        if (door === null || door.mayLeave(frame)) this.enqueue(frame, nowNs);
      }
    } while (endpoint.isDue(nowNs));
    this.enqueueDoor(nowNs);
    nic.advance(nowNs);
  }

  /** The next frame whose transmission has begun; `atNs` is when its last bit is across the link. */
  poll(): Frame | null {
    if (this.door === null) return this.nic.dequeue();
    for (let frame = this.next(this.door); frame !== null; frame = this.next(this.door)) {
      if (this.letOut(this.door, frame)) return frame;
    }
    return null;
  }

  /** A frame has passed the NIC: true where it goes. */
  protected letOut(door: Door, frame: Frame): boolean {
    if (!isOfFlow(frame.type)) return true;
    frame.phantomBytes = 0;
    return door.letOut(frame);
  }

  /** What passes the NIC, with credits in one frame where they may be. */
  private next(door: Door): Frame | null {
    return this.coupler === null ? this.dequeue(door) : this.coupler.next();
  }

  /** A frame that could not be sealed may have caused a handshake. */
  private dequeue(door: Door): Frame | null {
    const frame = this.nic.dequeue();
    if (frame !== null || !door.hasOutput) return frame;
    this.enqueueDoor(door.clockNs);
    return this.nic.dequeue();
  }

  /** The NIC meters handshakes as everything else. */
  private enqueueDoor(nowNs: number): void {
    const { door } = this;
    if (door === null) return;
    for (let frame = door.poll(); frame !== null; frame = door.poll()) this.enqueue(frame, nowNs);
  }

  private enqueue(frame: Frame, nowNs: number): void {
    if (this.isSealed) makeRoom(frame);
    if (this.nic.enqueueStamped(frame) === 0) return;
    // No seal is added any more: a flow counts the payload by the frame's length.
    if (this.isSealed) frame.phantomBytes = 0;
    this.endpoint.takeBack(frame, nowNs);
  }

  nextTimeout(): number {
    const hostNs = Math.min(this.endpoint.nextTimeout(), this.nic.nextTimeout());
    return this.door === null ? hostNs : Math.min(hostNs, this.door.nextTimeout());
  }
}

/** The NIC counts what the seal will add; frames of the door have it. PROTOCOL §7.5 */
function makeRoom(frame: Frame): void {
  const type = frameType(frame.bytes);
  if (isOfFlow(type)) frame.phantomBytes = type === FrameType.credit ? SEALED_CREDIT_EXTRA_BYTES : SEALED_EXTRA_BYTES;
}
