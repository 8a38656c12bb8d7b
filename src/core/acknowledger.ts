import { NEVER } from '../base/time.js';
import { type EndpointConfig, LEAST_SEND_BUFFER_BYTES, longestWaitNs } from './config.js';
import { ownRecord, ReceiverPlace, type ReceiverRecord } from './flow-record.js';

/** Gaps between data frames that an ACK waits for. Ours: a quarter of the ACKs, and a repair still waits for less than eight frames with holes. */
const ACK_GAPS = 4;
/** Smoothed RTTs that a frame waits for its ACK while there are holes: the reordering window of RFC 8985 section 6.2, so a repair is no later for it. */
const HOLE_RTTS = 1 / 4;
/** Weight of a new gap: RFC 6298 section 2, as in credit-watch.ts. */
const GAIN = 1 / 8;

export type AckPolicy = Pick<EndpointConfig, 'ackFrames' | 'ackFramesWithHoles' | 'ackDelayNs' | 'idleTimeoutNs'>;

/**
 * Decides when the receiver of a flow owes an ACK: after a number of frames, or a delay after the first that waits. The delay grows with the gaps between
 * frames: ten thousand flows of one host had an ACK for each frame, half of what it sent. PROTOCOL §5.1
 */
export class Acknowledger {
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly policy: AckPolicy;
  /** Gaps that fit into half of the least send buffer, a full frame each, so that no sender waits for room until the ACK. */
  private gaps = 0;
  private frames = 0;
  private hadHoles = false;
  private immediate = false;

  constructor(policy: AckPolicy, { numbers, at }: ReceiverRecord = ownRecord()) {
    this.numbers = numbers;
    this.at = at;
    this.policy = policy;
    numbers[at + ReceiverPlace.ackDueNs] = NEVER;
    this.onPause();
  }

  /** The flow's frames have at most `frameBytes`; before that is known, the delay is never longer than usual. */
  setFrameBytes(frameBytes: number): void {
    this.gaps = Math.min(ACK_GAPS, Math.floor(LEAST_SEND_BUFFER_BYTES / 2 / frameBytes));
  }

  /** A data frame has been placed; `hasHoles` says whether bytes are missing before some that arrived. */
  onData(hasHoles: boolean, nowNs: number): void {
    const { ackFrames, ackFramesWithHoles } = this.policy;
    this.noteGap(nowNs);
    this.frames++;
    if (hasHoles !== this.hadHoles) this.immediate = true;
    this.hadHoles = hasHoles;
    if (this.frames >= (hasHoles ? ackFramesWithHoles : ackFrames)) this.immediate = true;
    if (this.deadlineNs === NEVER) this.numbers[this.at + ReceiverPlace.ackDueNs] = nowNs + this.delayNs;
  }

  /** The sender has been asked for nothing for a while: the time until its next frame is no gap. */
  onPause(): void {
    this.numbers[this.at + ReceiverPlace.lastFrameNs] = NEVER;
  }

  /** END, CREDIT_STOP, FIN, or a CREDIT_REQUEST that cannot be served. */
  demand(): void {
    this.immediate = true;
  }

  isDue(nowNs: number): boolean {
    return this.immediate || nowNs >= this.deadlineNs;
  }

  get deadlineNs(): number {
    return this.numbers[this.at + ReceiverPlace.ackDueNs];
  }

  onSent(): void {
    this.frames = 0;
    this.immediate = false;
    this.numbers[this.at + ReceiverPlace.ackDueNs] = NEVER;
  }

  private noteGap(nowNs: number): void {
    const { numbers, at } = this;
    const lastFrameNs = numbers[at + ReceiverPlace.lastFrameNs];
    numbers[at + ReceiverPlace.lastFrameNs] = nowNs;
    if (lastFrameNs === NEVER) return;
    const gapNs = nowNs - lastFrameNs;
    const meanNs = numbers[at + ReceiverPlace.frameGapNs];
    numbers[at + ReceiverPlace.frameGapNs] = meanNs + (meanNs === 0 ? gapNs : (gapNs - meanNs) * GAIN);
  }

  /** While there are holes the sender is told soon: what it repairs waits for that. */
  private get delayNs(): number {
    const { numbers, at } = this;
    const { ackDelayNs } = this.policy;
    if (this.hadHoles) return Math.min(ackDelayNs, HOLE_RTTS * numbers[at + ReceiverPlace.smoothedNs] || ackDelayNs);
    const stretchedNs = this.gaps * numbers[at + ReceiverPlace.frameGapNs];
    return Math.max(ackDelayNs, Math.min(stretchedNs, longestWaitNs(this.policy)));
  }
}
