// Tested by test/sim/simulate.test.ts
import { assert } from '../base/assert.js';
import type { XpassError } from '../base/errors.js';
import { NEVER } from '../base/time.js';
import { type CreditTotals, creditTotals, sumCredits } from '../core/credit-totals.js';
import type { FlowReader, FlowWriter } from '../core/flow-callbacks.js';
import type { ReceiverFlow } from '../core/receiver-flow.js';
import type { SenderFlow } from '../core/sender-flow.js';
import type { FlowPlan } from './traffic/plan-flows.js';

/** Stream bytes of a flow of lengths that never ends: 2^50, more than 100 Gbit/s carry in a day. */
const ENDLESS_BYTES = 2 ** 50;
/** How much a sender has at hand that writes as it sends: more than an RTT's worth at 10 Gbit/s and 100 us, and few writes (ours). */
const CHUNK_BYTES = 262_144;
/** Content of streams of bytes: a prime period, so that a byte in the wrong place is found. */
const PATTERN_PERIOD = 251;

/** What a flow needs of the world around it. */
export interface FlowHost {
  /** The bytes have come out of the receiver's end; whoever reads calls `release` on the flow when they are read. */
  onDelivered(run: FlowRun, bytes: number): void;
  onEnded(run: FlowRun): void;
  /** Its credits are counted for good. */
  onSettled(run: FlowRun): void;
  /** The sender's host's own time. */
  senderNs(run: FlowRun): number;
  /** The world's time. */
  readonly nowNs: number;
}

export interface FlowRunOptions {
  /** Ports of its hosts. */
  readonly fromPort: number;
  readonly toPort: number;
  readonly carriesBytes: boolean;
}

/** One flow of a run: the program that writes it and the one that reads it. */
export class FlowRun implements FlowReader, FlowWriter {
  readonly plan: FlowPlan;
  readonly fromPort: number;
  readonly toPort: number;
  /** Payload in order at the receiver. */
  deliveredBytes = 0;
  /** When it started; before that, when it may. */
  startNs: number;
  /** When the receiver had every byte; NEVER: not yet. */
  doneNs = NEVER;
  /** Why it ended early. */
  error: string | null = null;
  sender: SenderFlow | null = null;
  /** The id that its sender has given it; null: it has not started. */
  wireId: number | null = null;
  receiver: ReceiverFlow | null = null;
  /** Its place among the active flows; -1 when it is not. */
  activeIndex = -1;
  private readonly world: FlowHost;
  private readonly carriesBytes: boolean;
  private writtenBytes = 0;
  private hasEnded = false;
  private finalCredits: CreditTotals | null = null;

  constructor(plan: FlowPlan, world: FlowHost, { fromPort, toPort, carriesBytes }: FlowRunOptions) {
    this.plan = plan;
    this.startNs = plan.startNs;
    this.world = world;
    this.fromPort = fromPort;
    this.toPort = toPort;
    this.carriesBytes = carriesBytes;
  }

  /** The receiver has everything, or the flow has failed. */
  get isOver(): boolean {
    return this.doneNs !== NEVER || this.error !== null;
  }

  /** Payload that waits behind holes at the receiver. */
  get heldBytes(): number {
    return this.receiver?.statistics.bytesHeld ?? 0;
  }

  get credits(): CreditTotals {
    return this.finalCredits ?? creditsOf(this.receiver);
  }

  /** The sender's program begins. */
  begin(sender: SenderFlow): void {
    this.sender = sender;
    this.wireId = sender.id;
    if (this.carriesBytes || this.plan.stopNs !== NEVER)
      sender.observer = { onCredit: () => this.writeMore(), onAck: () => this.writeMore(), onRtt: () => {} };
    this.writeMore();
  }

  /** Its sender is in another part of the world, and writes all at once. */
  beginElsewhere(): void {
    this.writtenBytes = this.plan.bytes;
  }

  /** The sender's program has nothing more to say. */
  finish(): void {
    if (this.hasEnded || this.sender === null) return;
    this.hasEnded = true;
    this.sender.end(this.world.senderNs(this));
  }

  fail(reason: string): void {
    if (this.isOver) return;
    this.error = reason;
    this.forgetReceiver();
    this.sender = null;
    this.world.onEnded(this);
  }

  /** The receiver's host has crashed. */
  loseReceiver(): void {
    this.forgetReceiver();
  }

  onData(bytes: Uint8Array): void {
    assert(isPattern(bytes, this.plan.id, this.deliveredBytes), 'a byte arrived in the wrong place');
    this.onLength(bytes.length);
  }

  onLength(length: number): void {
    this.deliveredBytes += length;
    this.world.onDelivered(this, length);
  }

  onEnd(): void {
    assert(this.deliveredBytes === this.writtenBytes, 'a stream ended at another length');
    if (this.isOver) return;
    this.doneNs = this.world.nowNs;
    this.world.onEnded(this);
  }

  onWritable(): void {
    this.writeMore();
  }

  onClosed(error: XpassError | null): void {
    if (error !== null) this.fail(error.code);
    this.forgetEnds();
  }

  private writeMore(): void {
    const { sender } = this;
    if (sender === null || this.hasEnded) return;
    const nowNs = this.world.senderNs(this);
    if (this.carriesBytes) this.writeBytes(sender, nowNs);
    else this.writeLengths(sender, nowNs);
    if (this.writtenBytes === this.plan.bytes) this.finish();
  }

  /** All at once, which costs nothing, unless somebody may stop it. */
  private writeLengths(sender: SenderFlow, nowNs: number): void {
    const leftBytes = Math.min(this.plan.bytes, ENDLESS_BYTES) - this.writtenBytes;
    if (this.plan.stopNs === NEVER) this.writeLength(sender, leftBytes, nowNs);
    else if (sender.unsentBytes < CHUNK_BYTES / 2) this.writeLength(sender, Math.min(CHUNK_BYTES, leftBytes), nowNs);
  }

  private writeLength(sender: SenderFlow, bytes: number, nowNs: number): void {
    this.writtenBytes += bytes;
    sender.writeLength(bytes, nowNs);
  }

  private writeBytes(sender: SenderFlow, nowNs: number): void {
    while (this.writtenBytes < this.plan.bytes && sender.unsentBytes < CHUNK_BYTES / 2) {
      const count = Math.min(CHUNK_BYTES, this.plan.bytes - this.writtenBytes);
      const chunk = new Uint8Array(count);
      writePattern(chunk, this.plan.id, this.writtenBytes);
      if (!sender.write(chunk, nowNs)) return;
      this.writtenBytes += count;
    }
  }

  /** A run of many flows keeps none of what a flow used while it lasted. */
  private forgetEnds(): void {
    if (this.sender?.isClosed) this.sender = null;
    if (this.receiver !== null && this.doneNs !== NEVER) this.forgetReceiver();
  }

  private forgetReceiver(): void {
    this.finalCredits ??= creditsOf(this.receiver);
    this.receiver = null;
    this.world.onSettled(this);
  }
}

function writePattern(bytes: Uint8Array, flow: number, offset: number): void {
  let at = offset % PATTERN_PERIOD;
  for (let index = 0; index < bytes.length; index++) {
    bytes[index] = at + flow;
    if (++at === PATTERN_PERIOD) at = 0;
  }
}

function isPattern(bytes: Uint8Array, flow: number, offset: number): boolean {
  let at = offset % PATTERN_PERIOD;
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index] !== ((at + flow) & 255)) return false;
    if (++at === PATTERN_PERIOD) at = 0;
  }
  return true;
}

function creditsOf(receiver: ReceiverFlow | null): CreditTotals {
  return receiver === null ? sumCredits([]) : creditTotals(receiver.statistics);
}
