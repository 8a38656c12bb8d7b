import { NEVER, SECOND_NS } from '../base/time.js';
import { Data, MAX_BUNDLE_BYTES } from '../wire/layout.js';
import type { EndpointConfig } from './config.js';
import { backedOffNs } from './probe.js';
import { RttEstimator } from './rtt.js';

/** States of RFC 8899 section 5.2. In BASE the size with which the path began is not confirmed yet. */
export const MtuState = { base: 0, searching: 1, complete: 2, error: 3 } as const;

/** BASE_PLPMTU as UDP payload: RFC 8899 section 5.1.2 has 1,200 for UDP. */
export const BASE_BYTES = 1_200;
/** Where even that does not pass: what every host of IPv4 takes, as a bundle (PROTOCOL §2.8). */
export const LEAST_BYTES = MAX_BUNDLE_BYTES;

/** RFC 8899 section 5.1.2. */
const MAX_PROBES = 3;
const RAISE_NS = 600 * SECOND_NS;
/** Until a path that does not carry the base size is asked again (ours): a route that is being changed comes back in seconds. */
const ERROR_RETRY_NS = 10 * SECOND_NS;
/** Retransmission times from one confirmation to the next (ours): a path that loses much is asked some times a second. */
const CONFIRM_PAUSE_WAITS = 16;
/** Tries of a round without any answer after which it is given up (ours): the peer is away, which says nothing of sizes. */
const MAX_SILENT_TRIES = 8;
/** Rounds whose late answers are known (ours): what this system refuses ends a whole search before the first answer. */
const PAST_ROUNDS = 16;
/** A frame that every path carries shows that the peer is there and answers. The answer of 24 bytes is smaller. PROTOCOL §7.9 */
const SMALL_PROBE_BYTES = 64;

/** Where the sizes of one path begin and end: whole frames without the bytes of a seal. */
export interface MtuSizes {
  /** Used where nothing larger passes. */
  readonly leastBytes: number;
  /** BASE_PLPMTU. */
  readonly baseBytes: number;
  /** Used before a probe was answered. */
  readonly startBytes: number;
  /** The largest that is asked for. */
  readonly targetBytes: number;
  /** The start is known to pass: it is used without a probe. */
  readonly isStartKnown: boolean;
}

/** What a path counts, with all others of its host. */
export interface MtuCounts {
  probes: number;
  probesLost: number;
  probesAnswered: number;
  blackHoles: number;
}

export type MtuTimes = Pick<
  EndpointConfig,
  'idleTimeoutNs' | 'retransmitMarginNs' | 'initialRetransmitNs' | 'maxBackoffNs'
>;

/** An MTU_PROBE to send. */
export interface MtuProbing {
  readonly number: number;
  readonly size: number;
}

interface SentProbe extends MtuProbing {
  readonly sentNs: number;
  /** Of the round. */
  readonly tryNumber: number;
  isAnswered: boolean;
}

/** Probes of one candidate, each try with smaller ones beside it that show whether the peer answers at all. */
class Round {
  readonly candidate: number;
  /** It asks whether the size in use still passes. */
  readonly isConfirmation: boolean;
  readonly probes: SentProbe[] = [];
  tries = 0;
  /** Tries in which the candidate alone was lost, and those in which nothing was answered, the latest in a row. */
  fails = 0;
  silentTries = 0;
  sentNs = 0;

  constructor(candidate: number, isConfirmation: boolean) {
    this.candidate = candidate;
    this.isConfirmation = isConfirmation;
  }

  find(number: number, size: number): SentProbe | undefined {
    return this.probes.find((probe) => probe.number === number && probe.size === size);
  }

  hasAnswer(size: number): boolean {
    return this.probes.some((probe) => probe.size === size && probe.isAnswered);
  }
}

/**
 * How large the frames to one peer may be: path MTU discovery by probes (RFC 8899, PROTOCOL §7.9). `frameBytes` is the size in use. Verbs: `begin`,
 * `suspect`, `answer`, `tooLong`, `advance`; `poll` yields probes, `nextTimeout` a deadline.
 */
export class PathMtu {
  /** Of a data frame, which reads it for every frame. */
  payloadBytes = 0;
  state: number = MtuState.base;
  private readonly sizes: MtuSizes;
  private readonly times: MtuTimes;
  private readonly counts: MtuCounts;
  private readonly newNumber: () => number;
  private readonly rtt: RttEstimator;
  private readonly output: MtuProbing[] = [];
  private round: Round | null = null;
  /** Those before it, whose late answers are no news. */
  private readonly past: Round[] = [];
  /** The search has found that this size does not pass; above the target: nothing is known. */
  private failedBytes: number;
  /** The size that failed was tried once more: three losses by chance do not end a search too early. */
  private isVerified = false;
  private sinceNs = 0;
  private confirmedNs = Number.NEGATIVE_INFINITY;

  /** `newNumber`: 32 random bits for each round. */
  constructor(sizes: MtuSizes, times: MtuTimes, counts: MtuCounts, newNumber: () => number) {
    this.sizes = sizes;
    this.times = times;
    this.counts = counts;
    this.newNumber = newNumber;
    this.rtt = new RttEstimator(times);
    this.failedBytes = sizes.targetBytes + 1;
    this.startAnew();
  }

  /** The largest frame that may be sent. */
  get frameBytes(): number {
    return this.payloadBytes + Data.overheadBytes;
  }

  /** The path carries less than is asked for, and nothing larger is looked for at the moment. */
  get isLimited(): boolean {
    const isOver = this.state === MtuState.complete || this.state === MtuState.error;
    return isOver && this.frameBytes < this.sizes.targetBytes;
  }

  /** The peer has answered a flow: probing may begin, or goes on where nobody had answered. */
  begin(nowNs: number): void {
    const isUnderWay = this.state === MtuState.base || this.state === MtuState.searching;
    if (isUnderWay && this.round === null) this.ask(this.frameBytes, true, nowNs);
  }

  /** A flow has got nothing through for a while. */
  suspect(nowNs: number): void {
    if (this.round?.isConfirmation || this.state === MtuState.error) return;
    if (nowNs < this.confirmedNs + CONFIRM_PAUSE_WAITS * this.waitNs) return;
    this.ask(this.frameBytes, true, nowNs);
  }

  /** MTU_PROBED has come. False where it answers no probe that is waited for. */
  answer(number: number, size: number, nowNs: number): boolean {
    const { round } = this;
    const probe = round?.find(number, size) ?? this.findPast(number, size);
    if (probe === undefined || probe.isAnswered) return false;
    probe.isAnswered = true;
    this.counts.probesAnswered++;
    this.rtt.sample(nowNs - probe.sentNs);
    if (round?.candidate === size && round.probes.includes(probe)) this.passed(round, nowNs);
    return true;
  }

  /** A round of probes is under way. */
  get isProbing(): boolean {
    return this.round !== null;
  }

  /** This machine cannot send a frame of `bytes`: no answer has to be waited for. */
  tooLong(bytes: number, nowNs: number): void {
    const { round } = this;
    if (bytes <= this.frameBytes) this.fallBack(this.sizes.baseBytes < bytes, nowNs);
    else if (round !== null && round.candidate === bytes) this.failed(round, nowNs);
  }

  /** Another path leads to the peer from now on. */
  restart(nowNs: number): void {
    this.endRound();
    this.startAnew();
    this.begin(nowNs);
  }

  advance(nowNs: number): void {
    if (nowNs < this.nextTimeout()) return;
    const { round } = this;
    if (round !== null) this.expire(round, nowNs);
    else if (this.state === MtuState.error) this.ask(this.sizes.baseBytes, false, nowNs);
    else this.search(nowNs);
  }

  /** The next probe to send; null when there is none. */
  poll(): MtuProbing | null {
    return this.output.shift() ?? null;
  }

  nextTimeout(): number {
    const { round } = this;
    if (round !== null) return round.sentNs + backedOffNs(this.waitNs, round.silentTries, this.times);
    if (!this.isLimited) return NEVER;
    return this.sinceNs + (this.state === MtuState.error ? ERROR_RETRY_NS : RAISE_NS);
  }

  private startAnew(): void {
    this.state = this.sizes.isStartKnown ? MtuState.complete : MtuState.base;
    this.use(this.sizes.startBytes);
  }

  private findPast(number: number, size: number): SentProbe | undefined {
    for (const round of this.past) {
      const probe = round.find(number, size);
      if (probe !== undefined) return probe;
    }
    return undefined;
  }

  private endRound(): void {
    if (this.round !== null) this.past.push(this.round);
    if (this.past.length > PAST_ROUNDS) this.past.shift();
    this.round = null;
    this.output.length = 0;
  }

  private get waitNs(): number {
    return this.rtt.retransmitNs(this.times.retransmitMarginNs, this.times.initialRetransmitNs);
  }

  private use(frameBytes: number): void {
    this.payloadBytes = frameBytes - Data.overheadBytes;
  }

  private ask(candidate: number, isConfirmation: boolean, nowNs: number): void {
    this.endRound();
    this.round = new Round(candidate, isConfirmation);
    this.sendTry(this.round, nowNs);
  }

  /** The smaller ones go last: what they share with the candidate in a queue, they have shared. */
  private sendTry(round: Round, nowNs: number): void {
    const { baseBytes } = this.sizes;
    const { candidate } = round;
    round.tries++;
    round.sentNs = nowNs;
    const sizes = [candidate];
    if (round.isConfirmation && candidate > baseBytes) sizes.push(baseBytes);
    sizes.push(SMALL_PROBE_BYTES);
    for (const size of sizes) {
      const number =
        (round.probes.length === 0 ? this.newNumber() : round.probes[0].number + round.probes.length) >>> 0;
      round.probes.push({ number, size, sentNs: nowNs, tryNumber: round.tries, isAnswered: false });
      this.output.push({ number, size });
      this.counts.probes++;
    }
  }

  /** The answers to a try have had their time. A late one counts all the same while the round goes on. */
  private expire(round: Round, nowNs: number): void {
    const latest = round.probes.filter(({ tryNumber }) => tryNumber === round.tries);
    const answered = latest.filter(({ isAnswered }) => isAnswered).length;
    this.counts.probesLost += latest.length - answered;
    if (answered === 0) round.silentTries++;
    else {
      round.silentTries = 0;
      round.fails++;
    }
    if (round.fails === MAX_PROBES) this.failed(round, nowNs);
    else if (round.silentTries === MAX_SILENT_TRIES) this.giveUp(nowNs);
    else this.sendTry(round, nowNs);
  }

  /** Nobody answers: size and state stay. The next flow, or one that gets nothing through, asks again. */
  private giveUp(nowNs: number): void {
    this.endRound();
    this.sinceNs = nowNs;
  }

  private passed(round: Round, nowNs: number): void {
    const wasSearching = this.state === MtuState.searching;
    if (round.isConfirmation) {
      this.confirmedNs = nowNs;
      if (this.state === MtuState.complete) this.endRound();
      else if (wasSearching) this.askNext(nowNs);
      else this.search(nowNs);
      return;
    }
    this.use(round.candidate);
    if (!wasSearching) this.search(nowNs);
    else {
      // The size that had failed does pass.
      if (round.candidate >= this.failedBytes) this.forgetFailures();
      this.askNext(nowNs);
    }
  }

  private failed(round: Round, nowNs: number): void {
    const { baseBytes } = this.sizes;
    if (this.state === MtuState.error) {
      this.endRound();
      this.sinceNs = nowNs;
    } else if (round.isConfirmation) {
      this.counts.blackHoles++;
      this.fallBack(round.candidate > baseBytes && round.hasAnswer(baseBytes), nowNs);
    } else {
      this.failedBytes = round.candidate;
      this.askNext(nowNs);
    }
  }

  /** The size in use does not pass. `hasBase`: the base may. RFC 8899 section 4.3 */
  private fallBack(hasBase: boolean, nowNs: number): void {
    this.confirmedNs = nowNs;
    if (hasBase) {
      this.use(this.sizes.baseBytes);
      this.search(nowNs);
      return;
    }
    this.endRound();
    this.state = MtuState.error;
    this.sinceNs = nowNs;
    this.use(this.sizes.leastBytes);
  }

  /** Looks for sizes above the one in use, up to the target. */
  private search(nowNs: number): void {
    this.state = MtuState.searching;
    this.forgetFailures();
    this.askNext(nowNs);
  }

  private forgetFailures(): void {
    this.failedBytes = this.sizes.targetBytes + 1;
    this.isVerified = false;
  }

  private askNext(nowNs: number): void {
    const candidate = this.nextCandidate();
    if (candidate > 0) this.ask(candidate, false, nowNs);
    else {
      this.endRound();
      this.state = MtuState.complete;
      this.sinceNs = nowNs;
    }
  }

  /** First all that is asked for, which most paths carry, then by halves: RFC 8899 section 5.3.2. 0: the search is over. */
  private nextCandidate(): number {
    const { frameBytes, failedBytes } = this;
    const { targetBytes } = this.sizes;
    if (frameBytes >= targetBytes) return 0;
    if (failedBytes > targetBytes) return targetBytes;
    if (failedBytes - frameBytes > 1) return (frameBytes + failedBytes) >>> 1;
    if (this.isVerified) return 0;
    this.isVerified = true;
    return failedBytes;
  }
}
