// Tested by test/core/sender-flow.test.ts and test/core/sender-repair.test.ts
import { counter, gauge } from '../base/metric.js';
import { Data, DataFlag, RequestFlag } from '../wire/layout.js';
import type { ShareTerms } from './flow-terms.js';
import type { Probe } from './probe.js';
import type { SenderFrames } from './sender-frames.js';
import type { SentStream } from './sent-stream.js';

/** Of `unscheduledBytes`. */
export const NOT_SPECULATIVE = -1;

/** What a flow's CREDIT_REQUESTs say for as long as it lasts. */
export interface RequestTerms extends ShareTerms {
  frameBytes: number;
  /** PROTOCOL §11.1 */
  isReactive: boolean;
  /** 0 for none. */
  pairedFlowId: number;
  /** The flow is one direction of a stream; without a pair, the receiver is asked to open the other. PROTOCOL §6.1 */
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
  /** The receiver knows of no byte that needs a credit: the latest request said COVERED, or what it did not tell of goes without. */
  toldCovered = false;
  /** The latest request told of the bytes before this offset. */
  toldOffset = 0;
  /** A data frame since then has said that there are others. */
  toldMore = false;
  /** The payload of a frame by which the receiver reckons, as that request said. */
  private toldPayloadBytes = 0;
  private readonly probe: Probe;
  private readonly stream: SentStream;
  private readonly frames: SenderFrames;
  /** Bits of RequestFlag: of requests that open the flow, and of later ones. */
  private readonly openingFlags: number;
  private readonly usualFlags: number;
  private readonly pairedFlowId: number;
  private readonly weight: number;

  constructor(probe: Probe, stream: SentStream, frames: SenderFrames, terms: RequestTerms) {
    this.probe = probe;
    this.stream = stream;
    this.frames = frames;
    const { isReactive, isLowClass, isDuplex, pairedFlowId, weight } = terms;
    this.usualFlags = (isReactive ? RequestFlag.reactive : 0) | (isLowClass ? RequestFlag.lowClass : 0);
    // The receiver of an answer has the other direction.
    const asksForOther = isDuplex && pairedFlowId === 0;
    this.openingFlags = this.usualFlags | RequestFlag.open | (asksForOther ? RequestFlag.duplex : 0);
    this.pairedFlowId = pairedFlowId;
    this.weight = weight;
  }

  /** All that waits goes without credits. PROTOCOL §12.1 */
  get isCovered(): boolean {
    return !this.stream.hasLosses && this.stream.unsentBytes <= this.unscheduledBytes;
  }

  /** `opens`: the receiver may not know the flow yet. `again`: it repeats one that got no answer. */
  request(opens: boolean, nowNs: number, again: boolean): void {
    const { stream } = this;
    this.requests++;
    this.toldCovered = this.isCovered;
    this.toldOffset = stream.buffer.end;
    this.toldMore = false;
    this.toldPayloadBytes = stream.payloadBytes;
    this.sendProbe(nowNs, again);
    this.frames.request(
      {
        flags:
          (opens ? this.openingFlags : this.usualFlags) |
          (this.unscheduledBytes === NOT_SPECULATIVE ? 0 : RequestFlag.speculative) |
          (this.toldCovered ? RequestFlag.covered : 0),
        sentOffset: stream.sentOffset,
        probe: this.probe.number,
        maxFrameBytes: stream.frameBytes,
        pairedFlowId: this.pairedFlowId,
        backlog: stream.backlogBytes,
        weight: this.weight,
        pathFrameBytes: stream.isCutShort ? stream.payloadBytes + Data.overheadBytes : 0,
      },
      nowNs,
    );
  }

  /** For a data frame: DataFlag.more where there are bytes that the latest request did not tell of, or more frames of them. PROTOCOL §4.8 */
  tellMore(): number {
    const { stream } = this;
    if (stream.buffer.end <= this.toldOffset && !(stream.payloadBytes < this.toldPayloadBytes && stream.hasData))
      return 0;
    this.toldMore = true;
    return DataFlag.more;
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

/** What the sender of a flow counts. */
export const SENDER_METRICS = {
  bytesWritten: counter('bytes', 'Taken from the program'),
  bytesSent: counter('bytes', 'Sent for the first time'),
  bytesAcknowledged: counter('bytes', "Acknowledged by the receiver's host"),
  bytesRepaired: counter('bytes', 'Sent again'),
  framesRepaired: counter('frames', 'Data frames with bytes that were lost, or taken for lost'),
  dataFrames: counter('frames', 'Data frames sent, repairs included'),
  speculativeFrames: counter('frames', 'Data frames sent without a credit'),
  speculativeTakenBack: counter('frames', "Speculative frames dropped by the host's own NIC"),
  chunks: counter('chunks', 'Pieces of the stream sent in frames of other flows'),
  creditsReceived: counter('credits', 'Credits received'),
  creditsUnused: counter('credits', 'Credits that found nothing to send'),
  creditsKept: gauge('credits', 'Credits waiting for data'),
  requests: counter('frames', 'CREDIT_REQUEST frames sent'),
  stops: counter('frames', 'CREDIT_STOP frames sent'),
  pathFrameBytes: gauge('bytes', 'Largest frame that the path carries, as far as is known'),
  rttNs: gauge('s', 'Smoothed round-trip time; 0 before the first sample'),
  windowFrames: gauge('frames', 'Congestion window of a reactive flow; 0 of others'),
};

/** Counts of the sender of a flow since the flow began; times in ns. docs/METRICS.md, "Sender of a flow", has the meaning of each. */
export type SenderStatistics = { -readonly [K in keyof typeof SENDER_METRICS]: (typeof SENDER_METRICS)[K]['initial'] };
