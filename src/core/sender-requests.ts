// Tested by test/core/sender-flow.test.ts and test/core/sender-repair.test.ts
import * as layout from '../wire/layout.js';
import type { ShareTerms } from './flow-terms.js';
import type { Probe } from './probe.js';
import type { SenderFrames } from './sender-frames.js';
import type { SentStream } from './sent-stream.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { RequestFlag } = layout;

/** Of `unscheduledBytes`. */
export const NOT_SPECULATIVE = -1;

/** What a flow's CREDIT_REQUESTs tell that does not change. */
export interface RequestTerms extends ShareTerms {
  frameBytes: number;
  /** PROTOCOL §11.1 */
  isReactive: boolean;
  /** 0 for none. */
  pairedFlowId: number;
  /** The receiver is asked to open the other direction of a stream. PROTOCOL §6.1 */
  isDuplex: boolean;
}

/** Sends the numbered frames of one flow's sender, each a probe of how far the stream has arrived: CREDIT_REQUEST, CREDIT_STOP and FIN. PROTOCOL §5.4 */
export class SenderRequests {
  /** CREDIT_REQUESTs and CREDIT_STOPs so far. */
  requests = 0;
  stops = 0;
  /** What had been acknowledged when the latest probe was sent. */
  probedAckedOffset = 0;
  /** Bytes that go without credits from now on; NOT_SPECULATIVE where the flow has no burst. PROTOCOL §12.1 */
  unscheduledBytes = NOT_SPECULATIVE;
  /** The latest request said COVERED. */
  toldCovered = false;
  private readonly probe: Probe;
  private readonly stream: SentStream;
  private readonly frames: SenderFrames;
  private readonly terms: RequestTerms;

  constructor(probe: Probe, stream: SentStream, frames: SenderFrames, terms: RequestTerms) {
    this.probe = probe;
    this.stream = stream;
    this.frames = frames;
    this.terms = terms;
  }

  /** All that waits goes without credits. PROTOCOL §12.1 */
  get isCovered(): boolean {
    return !this.stream.hasLosses && this.stream.unsentBytes <= this.unscheduledBytes;
  }

  /** `opens`: the receiver may not know the flow yet. `again`: it repeats one that got no answer. */
  request(opens: boolean, nowNs: number, again: boolean): void {
    const { stream, terms } = this;
    this.requests++;
    this.toldCovered = this.isCovered;
    this.sendProbe(nowNs, again);
    this.frames.request(
      {
        flags:
          (opens ? RequestFlag.open : 0) |
          (opens && terms.isDuplex ? RequestFlag.duplex : 0) |
          (terms.isReactive ? RequestFlag.reactive : 0) |
          (terms.isLowClass ? RequestFlag.lowClass : 0) |
          (this.unscheduledBytes === NOT_SPECULATIVE ? 0 : RequestFlag.speculative) |
          (this.toldCovered ? RequestFlag.covered : 0),
        sentOffset: stream.sentOffset,
        probe: this.probe.number,
        maxFrameBytes: terms.frameBytes,
        pairedFlowId: terms.pairedFlowId,
        backlog: stream.backlogBytes,
        weight: terms.weight,
      },
      nowNs,
    );
  }

  /** `unused`: credits that found no data so far. */
  stop(unused: number, nowNs: number, again: boolean): void {
    this.stops++;
    this.sendProbe(nowNs, again);
    this.frames.stop({ sentOffset: this.stream.sentOffset, probe: this.probe.number, unused }, nowNs);
  }

  fin(unused: number, nowNs: number, again: boolean): void {
    this.sendProbe(nowNs, again);
    this.frames.fin(this.stream.buffer.end, this.probe.number, unused, nowNs);
  }

  private sendProbe(nowNs: number, again: boolean): void {
    this.probedAckedOffset = this.stream.ackedOffset;
    this.stream.noteSent(nowNs);
    if (again) this.frames.changePath();
    this.probe.send(this.stream.sentOffset, nowNs, again);
  }
}
