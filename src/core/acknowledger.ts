import { NEVER } from '../base/time.js';

export interface AckPolicy {
  ackFrames: number;
  ackFramesWithHoles: number;
  ackDelayNs: number;
}

/** Decides when the receiver of a flow owes an ACK. PROTOCOL §5.1 */
export class Acknowledger {
  private readonly policy: AckPolicy;
  private frames = 0;
  private hadHoles = false;
  private immediate = false;
  private dueNs = NEVER;

  constructor(policy: AckPolicy) {
    this.policy = policy;
  }

  /** A data frame has been placed; `hasHoles` says whether bytes are missing before some that arrived. */
  onData(hasHoles: boolean, nowNs: number): void {
    this.frames++;
    if (hasHoles !== this.hadHoles) this.immediate = true;
    this.hadHoles = hasHoles;
    if (this.frames >= (hasHoles ? this.policy.ackFramesWithHoles : this.policy.ackFrames)) this.immediate = true;
    if (this.dueNs === NEVER) this.dueNs = nowNs + this.policy.ackDelayNs;
  }

  /** END, CREDIT_STOP, FIN, or a CREDIT_REQUEST that cannot be served. */
  demand(): void {
    this.immediate = true;
  }

  isDue(nowNs: number): boolean {
    return this.immediate || nowNs >= this.dueNs;
  }

  get deadlineNs(): number {
    return this.dueNs;
  }

  onSent(): void {
    this.frames = 0;
    this.immediate = false;
    this.dueNs = NEVER;
  }
}
