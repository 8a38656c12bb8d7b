import type { NumberRecord } from '../base/record-arena.js';
import { NEVER } from '../base/time.js';
import { Hot, ownRecord } from './flow-record.js';

export interface AckPolicy {
  ackFrames: number;
  ackFramesWithHoles: number;
  ackDelayNs: number;
}

/** Decides when the receiver of a flow owes an ACK. PROTOCOL §5.1 */
export class Acknowledger {
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly ackFrames: number;
  private readonly ackFramesWithHoles: number;
  private readonly ackDelayNs: number;
  private frames = 0;
  private hadHoles = false;
  private immediate = false;

  constructor({ ackFrames, ackFramesWithHoles, ackDelayNs }: AckPolicy, { numbers, at }: NumberRecord = ownRecord()) {
    this.numbers = numbers;
    this.at = at;
    this.ackFrames = ackFrames;
    this.ackFramesWithHoles = ackFramesWithHoles;
    this.ackDelayNs = ackDelayNs;
    numbers[at + Hot.ackDueNs] = NEVER;
  }

  /** A data frame has been placed; `hasHoles` says whether bytes are missing before some that arrived. */
  onData(hasHoles: boolean, nowNs: number): void {
    this.frames++;
    if (hasHoles !== this.hadHoles) this.immediate = true;
    this.hadHoles = hasHoles;
    if (this.frames >= (hasHoles ? this.ackFramesWithHoles : this.ackFrames)) this.immediate = true;
    if (this.deadlineNs === NEVER) this.numbers[this.at + Hot.ackDueNs] = nowNs + this.ackDelayNs;
  }

  /** END, CREDIT_STOP, FIN, or a CREDIT_REQUEST that cannot be served. */
  demand(): void {
    this.immediate = true;
  }

  isDue(nowNs: number): boolean {
    return this.immediate || nowNs >= this.deadlineNs;
  }

  get deadlineNs(): number {
    return this.numbers[this.at + Hot.ackDueNs];
  }

  onSent(): void {
    this.frames = 0;
    this.immediate = false;
    this.numbers[this.at + Hot.ackDueNs] = NEVER;
  }
}
