import { type Bar, barsOf, DurationHistogram, NO_DURATIONS, type Percentiles } from './histogram.js';

/** A message of an answer begins with the answering host's time, ns, where there is room for it. */
const STAMP_BYTES = 8;
/** Exchanges of which both stamps are kept, until the clocks' offset is known: 1.5 MB (ours). */
const MAX_STAMPED = 65_536;

/** A message of `bytes`, with a time of the sender's clock in front. */
export function stampedMessage(bytes: number, nowNs: number): Uint8Array {
  const message = new Uint8Array(bytes);
  if (bytes >= STAMP_BYTES) new DataView(message.buffer).setFloat64(0, nowNs);
  return message;
}

/** Cuts a stream into messages of one length. */
export class MessageReader {
  private readonly lengthBytes: number;
  private readonly stamp = new Uint8Array(STAMP_BYTES);
  private gotBytes = 0;

  constructor(lengthBytes: number) {
    this.lengthBytes = lengthBytes;
  }

  /** Calls back for each message that is complete, with the time in front of it; NaN for a message that is too short for one. */
  push(bytes: Uint8Array, onMessage: (stampNs: number) => void): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + this.lengthBytes - this.gotBytes);
      if (this.gotBytes < STAMP_BYTES) this.stamp.set(part.subarray(0, STAMP_BYTES - this.gotBytes), this.gotBytes);
      at += part.length;
      this.gotBytes += part.length;
      if (this.gotBytes < this.lengthBytes) return;
      this.gotBytes = 0;
      onMessage(this.lengthBytes < STAMP_BYTES ? Number.NaN : new DataView(this.stamp.buffer).getFloat64(0));
    }
  }
}

/** What a row of exchanges took. */
export interface ExchangeResults {
  /** From the writing of a message to the last byte of its answer, us. */
  readonly completion: Percentiles;
  readonly histogram: readonly Bar[];
  /** One way, us; both off by at most `uncertaintyUs`, one to the other's benefit. Empty where messages are too short for a time. */
  readonly forwardDelay: Percentiles;
  readonly reverseDelay: Percentiles;
  /** Half of the shortest exchange: how far the other clock may be from where it is taken to be. null without times. */
  readonly uncertaintyUs: number | null;
  /** Exchanges whose one-way delays are not counted, since their number has a bound. */
  readonly unstamped: number;
}

/** Measures exchanges, and the one-way delays of their messages as NTP does: by the offset of the clocks that the shortest exchange shows (RFC 5905 §8). */
export class ExchangeMeter {
  private readonly completion = new DurationHistogram();
  /** Of each exchange: there, with the clocks' offset in it, and back, less it. */
  private readonly there: number[] = [];
  private readonly back: number[] = [];
  private unstamped = 0;

  /** All by the clock of this host but `stampNs`, when the other answered. */
  record(sentNs: number, stampNs: number, answeredNs: number): void {
    this.completion.record(answeredNs - sentNs);
    if (!Number.isFinite(stampNs) || this.there.length === MAX_STAMPED) {
      this.unstamped++;
      return;
    }
    this.there.push(stampNs - sentNs);
    this.back.push(answeredNs - stampNs);
  }

  results(): ExchangeResults {
    const { there, back, completion, unstamped } = this;
    const shared = { completion: completion.percentiles(), histogram: barsOf(completion.classes()), unstamped };
    if (there.length === 0)
      return { ...shared, forwardDelay: NO_DURATIONS, reverseDelay: NO_DURATIONS, uncertaintyUs: null };
    const total = (at: number): number => there[at] + back[at];
    const best = there.reduce((least, _, at) => (total(at) < total(least) ? at : least), 0);
    const offsetNs = (there[best] - back[best]) / 2;
    return {
      ...shared,
      forwardDelay: percentilesOf(there, -offsetNs),
      reverseDelay: percentilesOf(back, offsetNs),
      uncertaintyUs: total(best) / 2e3,
    };
  }
}

function percentilesOf(delays: readonly number[], shiftNs: number): Percentiles {
  const histogram = new DurationHistogram();
  for (const delayNs of delays) histogram.record(delayNs + shiftNs);
  return histogram.percentiles();
}
