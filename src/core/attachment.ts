import type { Crc32 } from '../base/crc32.js';
import { XpassError } from '../base/errors.js';
import { NEVER, SECOND_NS } from '../base/time.js';
import { checkFrame, destinationHost, flowId, frameType } from '../wire/decode.js';
import type { Frame, FramePool } from '../wire/frame.js';
import { Attach, AttachChallenge, Attached, AttachRefused, Detach, KeepAlive, Version } from '../wire/frames.js';
import { AttachRefusal, FrameType, Header, NO_HOST, VERSION } from '../wire/layout.js';
import {
  type AttachProof,
  BITS_BYTES,
  type Bits64,
  COOKIE_BYTES,
  isSame,
  proofAt,
  proveFrame,
} from '../wire/proofs.js';

/** Where a host stands with its switch. PROTOCOL §8.2 */
const AttachState = {
  /** ATTACH was sent and not answered. */
  attaching: 0,
  attached: 1,
  /** The switch refused or never answered; `error` says so. */
  failed: 2,
  /** The host took its leave. */
  detached: 3,
} as const;

/** What a switch gives to a host, and may change while the host is attached. PROTOCOL §3.9 */
export interface AttachedLink {
  /** The host's id behind the switch; 0 in direct mode. */
  hostId: number;
  /** Rate of the link, bit/s of wire bytes; Infinity for unlimited. */
  rateBps: number;
  /** Largest UDP payload that the host may send. */
  maxFrameBytes: number;
}

export interface AttachmentOptions {
  /** Wanted host id; 0 for any. */
  hostId: number;
  /** Largest frames that the host wants to send; 0 for the switch's. */
  maxFrameBytes: number;
  /** 32 random bits, one number for each process: says which answers are for it. */
  token: number;
  /** 64 more: who knows them is the process that attached. PROTOCOL §8.3 */
  nonce: Bits64;
  proof: AttachProof;
  /** How long the first answer may take: `connectTimeoutNs` of the endpoint. PROTOCOL §5.7 */
  connectTimeoutNs: number;
  check: Crc32 | null;
  pool: FramePool;
  /** The switch's name in sentences: its address. */
  switchName: string;
}

/** PROTOCOL §8.2. One frame a second is too little to back off from. */
const RETRY_NS = 1 * SECOND_NS;
/** After a refusal: several tries within the second after which a host gives up. */
const REFUSED_RETRY_NS = SECOND_NS / 4;
/** Part of the keep-alive time after which a host sends: "at least this often" (PROTOCOL §3.9), also when it wakes late. */
const KEEP_ALIVE_PART = 0.75;
/** Keep-alive times of silence after which a switch counts as silent: two answers in a row are missing. PROTOCOL §8.2 */
const SILENT_KEEP_ALIVES = 2;

/** The host's side of the attachment to a switch (PROTOCOL §8.2), a machine. Once attached it never gives up: flows' timeouts decide. */
export class Attachment {
  /** Frames from the switch that are damaged, or meant for another process. */
  dropped = 0;
  /** Times that a switch gave a port. */
  attachments = 0;
  /** Why it failed. */
  error: XpassError | null = null;
  /** When the latest frame from the switch came, whatever it was. */
  private heardNs = 0;
  private readonly options: AttachmentOptions;
  private readonly giveUpNs: number;
  private state: number = AttachState.attaching;
  private given: AttachedLink | null = null;
  private keepAliveNs = 0;
  /** Of the switch's latest challenge; zeros before the first. */
  private cookie: Uint8Array = new Uint8Array(COOKIE_BYTES);
  /** Of the latest frame of either side: an older one that comes again does not count. */
  private saidCounter = 0;
  private heardCounter = 0;
  private deadlineNs: number;
  private output: Frame | null = null;

  constructor(options: AttachmentOptions, nowNs: number) {
    this.options = options;
    this.giveUpNs = nowNs + options.connectTimeoutNs;
    this.deadlineNs = nowNs;
  }

  /** What the switch gave at the last attachment; null before the first. */
  get link(): AttachedLink | null {
    return this.given;
  }

  get switchName(): string {
    return this.options.switchName;
  }

  get isAttached(): boolean {
    return this.state === AttachState.attached;
  }

  /** Takes a frame from the switch if it concerns the attachment: false for the frames of flows. The frame stays the caller's. */
  handleFrame(frame: Frame, nowNs: number): boolean {
    this.heardNs = nowNs;
    if (!isForAttachment(frame)) return false;
    const type = checkFrame(frame, this.options.check);
    if (type === Attached.type) this.handleAttached(frame, nowNs);
    else if (type === AttachChallenge.type) this.handleChallenge(frame, nowNs);
    else if (type === AttachRefused.type) this.handleRefused(frame, nowNs);
    else if (type === FrameType.version) this.handleVersion(frame);
    else this.dropped++;
    return true;
  }

  /** Sends what is due: an ATTACH again, a KEEP_ALIVE, or gives up. */
  advance(nowNs: number): void {
    if (nowNs < this.deadlineNs) return;
    if (this.state === AttachState.attached) {
      this.deadlineNs = nowNs + this.keepAliveNs * KEEP_ALIVE_PART;
      this.output ??= this.newFrame(KeepAlive.type);
    } else if (this.given === null && nowNs >= this.giveUpNs) {
      const seconds = this.options.connectTimeoutNs / SECOND_NS;
      this.fail('unreachable', `the switch at ${this.options.switchName} has not answered for ${seconds} s`);
    } else {
      this.attach(nowNs);
    }
  }

  /** For how long nothing has come from the switch that this host was attached to, ns; 0 while it answers as it should. */
  silentNs(nowNs: number): number {
    const silentNs = nowNs - this.heardNs;
    return this.given !== null && silentNs >= SILENT_KEEP_ALIVES * this.keepAliveNs ? silentNs : 0;
  }

  /** Nobody listens at the switch's port at the moment: it may be starting. */
  handleRefusal(nowNs: number): void {
    if (this.state === AttachState.attaching) this.deadlineNs = Math.min(this.deadlineNs, nowNs + REFUSED_RETRY_NS);
  }

  /** Nobody has listened at the switch's port for long: ends a first attachment. A host that was attached waits for the restart. */
  giveUp(): void {
    if (this.given !== null || this.state !== AttachState.attaching) return;
    this.fail('unreachable', `nobody listens at ${this.options.switchName}, where the switch should be (ECONNREFUSED)`);
  }

  /** The next frame to send, null when there is none. The frame becomes the caller's. */
  poll(): Frame | null {
    const frame = this.output;
    this.output = null;
    return frame;
  }

  /** When `advance` has to be called; NEVER once it failed or the host took its leave. */
  nextTimeout(): number {
    return this.deadlineNs;
  }

  /** Gives the port back. */
  detach(): void {
    if (this.state === AttachState.attached) this.replaceOutput(this.newFrame(Detach.type));
    this.state = AttachState.detached;
    this.deadlineNs = NEVER;
  }

  /** The switch wants to see that its answers arrive here. */
  private handleChallenge({ bytes }: Frame, nowNs: number): void {
    const { token, nonce } = this.options;
    const isOwn =
      AttachChallenge.read.token(bytes) === token &&
      isSame(AttachChallenge.read.nonce(bytes, new Uint8Array(BITS_BYTES)), nonce);
    const cookie = AttachChallenge.read.cookie(bytes, new Uint8Array(COOKIE_BYTES));
    // The same one again answers an ATTACH that was repeated.
    if (this.state !== AttachState.attaching || !isOwn || isSame(cookie, this.cookie)) {
      this.dropped++;
      return;
    }
    this.cookie = cookie;
    this.attach(nowNs);
  }

  private attach(nowNs: number): void {
    this.state = AttachState.attaching;
    this.replaceOutput(this.newFrame(Attach.type));
    const retryNs = nowNs + RETRY_NS;
    this.deadlineNs = this.given === null ? Math.min(retryNs, this.giveUpNs) : retryNs;
  }

  private handleAttached(frame: Frame, nowNs: number): void {
    const { bytes } = frame;
    const isWaiting = this.state === AttachState.attaching || this.state === AttachState.attached;
    const counter = Attached.read.counter(bytes);
    const isNew = this.state === AttachState.attaching;
    const { proof, nonce } = this.options;
    if (!isWaiting || (!isNew && counter <= this.heardCounter) || !proof.isValid(bytes, proofAt(frame), nonce)) {
      this.dropped++;
      return;
    }
    this.heardCounter = counter;
    if (isNew) this.attachments++;
    const rateKbps = Attached.read.rateKbps(bytes);
    this.given = {
      hostId: destinationHost(bytes),
      rateBps: rateKbps === 0 ? Number.POSITIVE_INFINITY : rateKbps * 1e3,
      maxFrameBytes: Attached.read.maxFrameBytes(bytes),
    };
    this.state = AttachState.attached;
    this.keepAliveNs = Attached.read.keepAliveMs(bytes) * 1e6;
    const nextNs = nowNs + this.keepAliveNs * KEEP_ALIVE_PART;
    this.deadlineNs = isNew ? nextNs : Math.min(this.deadlineNs, nextNs);
  }

  /** A restarted switch answers each frame with NOT_ATTACHED; only the first makes the host attach again. */
  private handleRefused(frame: Frame, nowNs: number): void {
    const code = AttachRefused.read.code(frame.bytes);
    if (code === AttachRefusal.notAttached) {
      if (this.state === AttachState.attached) this.attach(nowNs);
      return;
    }
    if (AttachRefused.read.token(frame.bytes) !== this.options.token || this.state !== AttachState.attaching) {
      this.dropped++;
      return;
    }
    // A host that was attached goes on asking for its place: whoever has it may leave it.
    if (this.given !== null && code === AttachRefusal.idInUse) return;
    this.fail(code === AttachRefusal.frameSize ? 'frameSize' : 'attach', this.explain(code));
  }

  private handleVersion(frame: Frame): void {
    if (this.state !== AttachState.attaching) {
      this.dropped++;
      return;
    }
    const speaks = `${Version.read.lowest(frame.bytes)} to ${Version.read.highest(frame.bytes)}`;
    this.fail(
      'version',
      `the switch at ${this.options.switchName} speaks the versions ${speaks} of the protocol, this host ${VERSION}`,
    );
  }

  private explain(code: number): string {
    const { hostId, maxFrameBytes, switchName } = this.options;
    const at = `the switch at ${switchName}`;
    const id = this.given?.hostId ?? hostId;
    switch (code) {
      case AttachRefusal.idInUse:
        return `${at} has given the host id ${id} to another host: choose another id or stop that host`;
      case AttachRefusal.unknownId:
        return `${at} has no host ${id} in its topology`;
      case AttachRefusal.noFreeId:
        return `${at} has no free host id: every host of its topology is attached`;
      case AttachRefusal.frameSize:
        return `${at} carries no frames of ${maxFrameBytes} bytes: choose a smaller --frame-size`;
      case AttachRefusal.wrongKey:
        return `${at} does not take this host's key: give both the same --key`;
      default:
        return `${at} refused to attach this host, with code ${code}`;
    }
  }

  private fail(code: 'attach' | 'frameSize' | 'unreachable' | 'version', message: string): void {
    this.state = AttachState.failed;
    this.deadlineNs = NEVER;
    this.error = new XpassError(code, message);
  }

  private replaceOutput(frame: Frame): void {
    if (this.output !== null) this.options.pool.give(this.output);
    this.output = frame;
  }

  private newFrame(type: number): Frame {
    const { check, pool, maxFrameBytes, token, nonce, proof } = this.options;
    const frame = pool.take();
    const { bytes } = frame;
    const header = { destination: NO_HOST, source: this.given?.hostId ?? this.options.hostId, flowId: 0 };
    const counter = ++this.saidCounter;
    if (type === Attach.type)
      frame.length = Attach.encode(bytes, header, { token, maxFrameBytes, nonce, cookie: this.cookie }, null);
    else frame.length = (type === Detach.type ? Detach : KeepAlive).encode(bytes, header, { token, counter }, null);
    proveFrame(frame, { check, nonce, proof });
    frame.peer = 0;
    frame.atNs = 0;
    return frame;
  }
}

/** Three types of frame only, and a VERSION that answers a frame without a flow, which only ATTACH is. PROTOCOL §3.13 */
function isForAttachment(frame: Frame): boolean {
  if (frame.length <= Header.bytes) return false;
  const type = frameType(frame.bytes);
  if (type === Attached.type || type === AttachRefused.type || type === AttachChallenge.type) return true;
  return type === FrameType.version && flowId(frame.bytes) === 0;
}
