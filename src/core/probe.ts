import { NEVER } from '../base/time.js';
import type { EndpointConfig } from './config.js';
import { ownRecord, SenderPlace, type SenderRecord } from './flow-record.js';
import type { RttEstimator } from './rtt.js';

/** Beyond this, doubling has long met `maxBackoffNs`; it keeps the power finite. */
const MAX_DOUBLINGS = 30;

/** A quarter of an RTT. RFC 8985 section 6.2 step 4 */
const REORDER_RTTS = 1 / 4;

/** Latest repetition of a request, as a part of its time: 2,048 requests at 10 Gbit/s take 160 us, far less than a quarter of 20 ms. */
const REQUEST_SPREAD = 0.25;

/** `baseNs`, doubled `doublings` times up to `maxBackoffNs`. PROTOCOL §5.5 */
export function backedOffNs(baseNs: number, doublings: number, config: Pick<EndpointConfig, 'maxBackoffNs'>): number {
  const waitNs = baseNs * 2 ** Math.min(doublings, MAX_DOUBLINGS);
  return Math.min(waitNs, Math.max(config.maxBackoffNs, baseNs));
}

/** A sender's latest numbered CREDIT_REQUEST, CREDIT_STOP or FIN (PROTOCOL §5.4), and the wait for its answer (§5.5). */
export class Probe {
  /** Number of the latest; 0 before the first. Goes on the wire modulo 2^16. */
  number = 0;
  /** How far the flow had sent when it went out. */
  offset = 0;
  answered = true;
  private repetitions = 0;
  private readonly rtt: RttEstimator;
  private readonly config: EndpointConfig;
  private readonly numbers: Float64Array;
  private readonly at: number;

  constructor(rtt: RttEstimator, config: EndpointConfig, { numbers, at }: SenderRecord = ownRecord()) {
    this.rtt = rtt;
    this.config = config;
    this.numbers = numbers;
    this.at = at;
    this.earlierSentNs = NEVER;
  }

  get sentNs(): number {
    return this.numbers[this.at + SenderPlace.probeSentNs];
  }

  get wireNumber(): number {
    return this.number & 0xffff;
  }

  /** The next one goes out; `again` if it repeats one that got no answer. */
  send(sentOffset: number, nowNs: number, again: boolean): void {
    this.earlierSentNs = this.answered || again || this.repetitions > 0 ? NEVER : this.sentNs;
    this.repetitions = again ? this.repetitions + 1 : 0;
    this.number++;
    this.offset = sentOffset;
    this.numbers[this.at + SenderPlace.probeSentNs] = nowNs;
    this.answered = false;
  }

  /** The first CREDIT, or an ACK that repeats its number, has come: an RTT sample if it was sent once (Karn's rule, RFC 6298 section 3). */
  answer(nowNs: number): void {
    if (!this.answered && this.repetitions === 0) this.rtt.sample(nowNs - this.sentNs);
    this.answered = true;
  }

  /** An ACK repeats an older probe: an RTT sample if it is the last but one. Exchanges of messages have no other sample. */
  answerEarlier(wireNumber: number, nowNs: number): void {
    if (this.earlierSentNs === NEVER || wireNumber !== ((this.number - 1) & 0xffff)) return;
    this.rtt.sample(nowNs - this.earlierSentNs);
    this.earlierSentNs = NEVER;
  }

  /** What it asked for has come, but may have been under way before: no RTT sample. */
  settle(): void {
    this.answered = true;
  }

  get retransmitNs(): number {
    return this.rtt.retransmitNs(this.config.retransmitMarginNs, this.config.initialRetransmitNs);
  }

  /** Frames of one path are not taken to overtake each other by more; Infinity before the first RTT sample. RFC 8985 section 6.2 */
  get reorderNs(): number {
    return this.rtt.waitNs(REORDER_RTTS) || Number.POSITIVE_INFINITY;
  }

  /** When it is to be repeated. */
  get deadlineNs(): number {
    return this.sentNs + this.waitNs;
  }

  /** The same of a CREDIT_REQUEST, up to a quarter later by a hash of the flow id: flows that began together do not repeat together. PROTOCOL §5.5 */
  requestDeadlineNs(flowId: number): number {
    const spread = this.repetitions === 0 ? REQUEST_SPREAD * chanceOf(flowId, this.number) : 0;
    return this.sentNs + this.waitNs * (1 + spread);
  }

  /** When the one before the latest went out; NEVER where it was answered, or is of no use for an RTT. */
  private get earlierSentNs(): number {
    return this.numbers[this.at + SenderPlace.earlierSentNs];
  }

  private set earlierSentNs(sentNs: number) {
    this.numbers[this.at + SenderPlace.earlierSentNs] = sentNs;
  }

  private get waitNs(): number {
    return backedOffNs(this.retransmitNs, this.repetitions, this.config);
  }
}

/** Uniform in [0, 1) over flow ids and numbers, which are themselves chance: a draw would change what comes after it. MurmurHash3's finaliser. */
function chanceOf(flowId: number, number: number): number {
  let bits = flowId ^ Math.imul(number, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}
