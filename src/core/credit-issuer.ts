// Tested by test/core/receiver-flow.test.ts, test/core/receiver-data.test.ts and test/core/receiver-window.test.ts
import { NEVER } from '../base/time.js';
import { creditSequence, pathId } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import { CODES_IN_OCTAVE, codeOfRate, rateOfCode } from '../wire/rate-code.js';
import { BudgetShare } from './budget-share.js';
import type { DueSource, FlowContext } from './context.js';
import type { CreditAlgorithm, CreditLink } from './credit/algorithm.js';
import type { BudgetMember } from './credit-budget.js';
import { CreditLedger, Echo } from './credit-ledger.js';
import {
  bitsPerCredit,
  forgetBacklog,
  hasten,
  limitBacklog,
  paceNext,
  restartPacer,
  setPace,
  startPacer,
} from './credit-pacer.js';
import { type FlowObserver, NO_OBSERVER } from './flow-callbacks.js';
import { ReceiverPlace, type ReceiverRecord } from './flow-record.js';
import type { Spraying } from './path/spraying.js';
import { RateControl } from './rate-control.js';
import { type ReceiveWindow, UNBOUNDED } from './receive-window.js';
import type { ReceiverFrames } from './receiver-frames.js';
import { RttEstimator } from './rtt.js';

export interface IssuerOptions {
  slot: number;
  algorithm: CreditAlgorithm;
  link: CreditLink;
  /** Sequence number of the first credit, 32-bit. */
  firstSequence: number;
}

/** What else of the flow decides whether a credit may go out, and what writes it. */
export interface IssuerParts {
  record: ReceiverRecord;
  window: ReceiveWindow;
  frames: ReceiverFrames;
}

/** Of `windowCredits` and `demandCredits`. */
const UNKNOWN = -1;

/**
 * Issues the credits of one flow while it is in CREDIT_SENDING (PROTOCOL §4.2): says when the next is due and whether it may go, books what became of
 * those sent, and shows that to the credit algorithm.
 */
export class CreditIssuer implements DueSource, BudgetMember {
  // What every credit needs comes first, as in `Endpoint`: with thousands of flows each cache line of one is a miss.
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly context: FlowContext;
  readonly ledger: CreditLedger;
  readonly frames: ReceiverFrames;
  private readonly slot: number;
  /** The next credit waits for room, not for its time. */
  private blocked = false;
  /** The flow is in CREDIT_SENDING. */
  isRunning = false;
  /** What `frames` says of the path: a copy, which data looks at. */
  private isProved = false;
  /** Credits outstanding that fit the receive window; UNKNOWN once that has changed. */
  private windowCredits = UNKNOWN;
  /** Credits that the demand takes; UNKNOWN likewise. */
  private demandCredits = UNKNOWN;
  /** Null where the host's budget has no bound, and while the flow rests. */
  private share: BudgetShare | null = null;
  /** What is known of the paths to the flow's peer; null where its credits are not sprayed. */
  readonly spraying: Spraying | null;
  /** Credits sent when they began, or began again. */
  private sentBefore = 0;
  /** Who measures this flow; set by its application. */
  observer: FlowObserver = NO_OBSERVER;
  private readonly bitsPerCredit: number;
  /** Code of the rate in force; 0 where credits ask for no explicit rate. */
  private rateCode = 0;
  readonly control: RateControl;
  readonly rtt: RttEstimator;
  private readonly window: ReceiveWindow;
  /**
   * The sender has said that it wants no credits. Not set where the receiver gave up by itself: a late echo may be the first RTT sample, so send
   * times are kept.
   */
  mayRest = false;

  constructor(context: FlowContext, options: IssuerOptions, parts: IssuerParts, nowNs: number) {
    const { config } = context;
    const { record } = parts;
    const { firstSequence } = options;
    const { frameBytes, maxOutstandingCredits: maxOutstanding } = config;
    this.numbers = record.numbers;
    this.at = record.at;
    this.context = context;
    this.ledger = new CreditLedger({ firstSequence, maxOutstanding, frameBytes }, record, context.records.credits);
    this.frames = parts.frames;
    this.slot = options.slot;
    this.bitsPerCredit = bitsPerCredit(frameBytes);
    const { spray } = options.algorithm;
    this.spraying = spray === undefined ? null : context.peerPaths.spraying(parts.frames.peer, spray, nowNs);
    this.control = new RateControl(options.algorithm, options.link, nowNs, record);
    startPacer(record.numbers, record.at, config.catchUpNs);
    this.setRate(this.control.rateBps);
    this.rtt = new RttEstimator(config, record);
    this.window = parts.window;
    this.waitForData(nowNs);
  }

  get peer(): number {
    return this.frames.peer;
  }

  /** There is room in the receive window for a credit more. */
  get hasRoom(): boolean {
    if (this.windowCredits === UNKNOWN) this.windowCredits = this.window.credits;
    return this.ledger.outstanding < this.windowCredits;
  }

  /** What has arrived or was released, or how large the flow's frames are. */
  windowChanged(): void {
    this.windowCredits = UNKNOWN;
    this.demandCredits = UNKNOWN;
  }

  /** Whether the flow itself may send a credit once one is due; only then is the host's budget asked. */
  get canCredit(): boolean {
    if (!this.isRunning || this.ledger.isFull || !this.hasRoom || this.wanted === 0) return false;
    return this.share?.isGranted !== false;
  }

  /** Whether a credit goes out as soon as credits run. */
  get isPrompt(): boolean {
    return this.canCredit && !(this.share?.mustWait ?? false);
  }

  /** Credits run, but none is under way or wanted: all that the sender has told of has come. */
  get isSatisfied(): boolean {
    return this.isRunning && this.ledger.outstanding === 0 && this.wanted === 0;
  }

  /** The earliest of RECEIVER_TIMERS.creditLife and .data; of .rest when credits do not run. */
  get deadlineNs(): number {
    if (this.isRunning) return Math.min(this.ledger.oldestNs + this.lifeNs, this.dataDeadlineNs);
    return this.mayRest && !this.ledger.isResting
      ? this.numbers[this.at + ReceiverPlace.lastHeardNs] + this.lifeNs
      : NEVER;
  }

  /** Credits begin, or begin again. */
  start(nowNs: number): void {
    if (this.share === null) this.takeShare();
    this.share?.begin();
    this.ledger.forgive();
    this.sentBefore = this.ledger.sent;
    restartPacer(this.numbers, this.at, nowNs);
    this.waitForData(nowNs);
    this.control.restart(nowNs);
    this.isRunning = true;
    this.mayRest = false;
    this.settleBudget();
  }

  stop(): void {
    this.isRunning = false;
    this.settleBudget();
    this.context.schedule(this.slot, NEVER);
  }

  /** Sends the credit that is due; returns when the next is due, NEVER for not now. */
  sendDue(nowNs: number): number {
    const { numbers, at } = this;
    if (this.blocked) forgetBacklog(numbers, at, nowNs);
    else limitBacklog(numbers, at, nowNs);
    const wantedNs = this.wantedNs(nowNs);
    if (this.block(wantedNs > nowNs) || !(this.share?.allows() ?? true)) {
      this.control.noteHeldBack();
      return wantedNs > nowNs ? wantedNs : NEVER;
    }
    const { ledger } = this;
    const stampNs = numbers[at + ReceiverPlace.dueNs];
    this.frames.credit(ledger.nextSequence, this.nextPath(stampNs), stampNs);
    this.observer.onCredit(nowNs);
    ledger.send(stampNs);
    this.share?.noteSent(nowNs);
    if (!this.isProved) this.setRate(this.control.unheardRateBps(ledger.sent));
    this.spaceNext();
    this.settleBudget();
    if (ledger.outstanding === 1) this.context.arm(this.slot, this.deadlineNs);
    this.share?.passTurnUntil(numbers[at + ReceiverPlace.dueNs], nowNs);
    // Whether the next one fits is looked at when it is due.
    return numbers[at + ReceiverPlace.dueNs];
  }

  /** It is the flow's turn in the host's budget; false if it wants no credit any more. Time spent waiting is not made up for. */
  resume(nowNs: number): boolean {
    const { share } = this;
    if (!share?.isWaiting) return false;
    share.isWaiting = false;
    if (this.block(!this.canCredit)) return false;
    // While it waited with no credit outstanding, no data was to be waited for.
    if (this.ledger.outstanding === 0) this.waitForData(nowNs);
    forgetBacklog(this.numbers, this.at, Math.max(nowNs, share.takeTurn(nowNs)));
    this.context.schedule(this.slot, this.dueNs);
    return true;
  }

  /** Credits sent at `sentNs` or before are lost: data of other flows from the peer says so. */
  overtaken(sentNs: number, nowNs: number): void {
    if (!this.isRunning || !this.ledger.overtake(sentNs)) return;
    this.settleBudget();
    this.reschedule(nowNs);
  }

  /**
   * The sender asks although credits run: it has none left of those that had reached it, a round trip ago. Otherwise credits that met no data would fill the
   * host's budget until their life is over, and the sender would wait for others.
   */
  asked(nowNs: number): void {
    this.spraying?.distrust(nowNs);
    if (this.rtt.smoothedNs > 0) this.overtaken(nowNs - this.rtt.smoothedNs, nowNs);
  }

  /** The host's NIC has dropped a credit. */
  takenBack(frame: Frame, nowNs: number): void {
    this.ledger.loseAtHome(creditSequence(frame.bytes));
    this.settleBudget();
    if (!this.isProved && this.blocked) this.reschedule(nowNs);
  }

  /** What may be sent has changed. */
  reschedule(nowNs: number): void {
    if (!this.isRunning) return;
    // What a flow could not send for want of room it does not make up for: its credits go out from now on.
    if (this.blocked) forgetBacklog(this.numbers, this.at, nowNs);
    if (this.block(!this.canCredit)) this.context.schedule(this.slot, NEVER);
    else if (!this.share?.isWaiting) this.context.schedule(this.slot, this.dueNs);
  }

  /** The wait for data begins anew. */
  waitForData(nowNs: number): void {
    this.numbers[this.at + ReceiverPlace.lastDataNs] = nowNs;
  }

  /** A data frame echoes `sequence` and tells of `unused` credits. False, and counted, if no credit of the flow released it. */
  echo(sequence: number, unused: number): boolean {
    const { counters } = this.context;
    const echo = this.ledger.echo(sequence, unused);
    if (echo === Echo.unknown) counters.unknownCredit++;
    else if (echo === Echo.duplicate) counters.duplicateData++;
    else {
      if (echo === Echo.late || echo === Echo.forgotten) counters.lateEchoes++;
      return true;
    }
    return false;
  }

  /** The data of that echo has come at `nowNs`. */
  onData(frame: Frame, nowNs: number): void {
    const sinceNs = this.control.hastens ? nowNs - this.numbers[this.at + ReceiverPlace.lastDataNs] : 0;
    this.waitForData(nowNs);
    if (!this.isProved) this.prove();
    const sentNs = this.ledger.lastEchoSentNs;
    if (sentNs !== NEVER) this.sampleRtt(nowNs - sentNs, sinceNs, nowNs);
    if (this.spraying !== null) this.watchPath(this.spraying, frame, nowNs);
    this.settleBudget();
  }

  /** Shows the algorithm what is known, if its period is over. */
  updateRate(nowNs: number): void {
    const { control, numbers, at } = this;
    if (!control.update(this.ledger, this.rtt, nowNs)) return;
    const gapNs = numbers[at + ReceiverPlace.gapNs];
    this.setRate(control.rateBps);
    if (control.hastens) hasten(numbers, at, gapNs - numbers[at + ReceiverPlace.gapNs], nowNs);
  }

  /** Gives up credits that are too old, and credits without data. */
  onTimer(nowNs: number): void {
    if (!this.isRunning) {
      if (this.mayRest) this.restAfter(this.numbers[this.at + ReceiverPlace.lastHeardNs], nowNs);
      return;
    }
    if (this.ledger.expire(nowNs, this.lifeNs) > 0) {
      this.settleBudget();
      this.updateRate(nowNs);
      this.reschedule(nowNs);
    }
  }

  /**
   * While credits are stopped, and the peer was last heard at `heardNs`: after the life of a credit, forgives those outstanding and gives back the memory
   * and the share of the host's budget.
   */
  restAfter(heardNs: number, nowNs: number): void {
    if (nowNs < heardNs + this.lifeNs) return;
    this.ledger.forgive();
    this.ledger.rest();
    this.share = null;
  }

  /** See RECEIVER_TIMERS.data. NEVER while no credit is outstanding and none may go, for want of room, demand or a turn in the host's budget. */
  get dataDeadlineNs(): number {
    const { outstanding, sent } = this.ledger;
    if (!this.isRunning || sent === 0) return NEVER;
    if (outstanding === 0 && (this.share?.isWaiting || !this.hasRoom || this.wanted === 0)) return NEVER;
    const waitNs = Math.max(this.rtt.waitNs(8), 8 * this.meanGapNs);
    return this.numbers[this.at + ReceiverPlace.lastDataNs] + Math.max(this.context.config.dataTimeoutNs, waitNs);
  }

  /** Credits that the demand takes, with more for those that the path will drop, at its share of drops so far. */
  private get wanted(): number {
    if (this.demandCredits === UNKNOWN) {
      const isHeeded = this.context.config.backlogWaitNs > 0;
      this.demandCredits = isHeeded ? Math.ceil(this.window.demandCredits * (1 + this.ledger.dropShare)) : UNBOUNDED;
    }
    return this.demandCredits;
  }

  /**
   * When the flow itself allows the next credit: `nowNs`, or the time at which credits that cover the demand may be lost; NEVER: not before something comes.
   * Later credits tell of dropped ones, but the last ones of a flow have none after them.
   */
  private wantedNs(nowNs: number): number {
    if (!this.canCredit) return NEVER;
    const { ledger, wanted } = this;
    if (ledger.outstanding < wanted) return nowNs;
    const waitNs = Math.max(this.context.config.backlogWaitNs, this.rtt.waitNs(2));
    ledger.doubt(nowNs, waitNs);
    return ledger.trusted < wanted ? nowNs : ledger.oldestTrustedNs + waitNs;
  }

  private get lifeNs(): number {
    return Math.max(this.context.config.creditLifeNs, this.rtt.waitNs(4));
  }

  private takeShare(): void {
    const { budget } = this.context;
    if (budget.isBounded) this.share = new BudgetShare(budget, this.slot, this);
  }

  /** A flow that has stopped has no part in the host's budget. */
  private settleBudget(): void {
    if (this.share === null) return;
    if (this.isRunning) this.share.setOutstanding(this.ledger.awaited);
    else this.share.giveBack();
  }

  /** Its data says by which path: 0 for the flow's own. */
  private nextPath(nowNs: number): number {
    if (this.spraying === null) return 0;
    return this.spraying.next(this.context.random, this.ledger.sent > this.sentBefore, nowNs);
  }

  /** A credit that was given up or forgotten still says that its path carries data, but not how fast. */
  private watchPath(spraying: Spraying, frame: Frame, nowNs: number): void {
    const sentNs = this.ledger.lastEchoSentNs === NEVER ? -NEVER : this.ledger.lastEchoSentNs;
    spraying.arrived(pathId(frame.bytes), frame.wireBytes * 8, sentNs, nowNs);
    this.frames.setPath(pathId(frame.bytes));
  }

  private prove(): void {
    this.isProved = true;
    this.control.heard(this.ledger.sent);
    this.setRate(this.control.rateBps);
  }

  /** When the next credit is due. */
  private get dueNs(): number {
    return this.numbers[this.at + ReceiverPlace.dueNs];
  }

  /** Mean time between two credits. */
  private get meanGapNs(): number {
    return this.numbers[this.at + ReceiverPlace.gapNs];
  }

  private setRate(rateBps: number): void {
    const { limitingHop } = this.control;
    if (limitingHop === undefined) {
      setPace(this.numbers, this.at, this.bitsPerCredit, rateBps);
      return;
    }
    // Ports count flows by the rates that credits name, so these are the ones that they go out at.
    const { weight } = this.control;
    this.rateCode = codeOfRate(rateBps / weight);
    setPace(this.numbers, this.at, this.bitsPerCredit, weight * rateOfCode(this.rateCode));
    if (this.ledger.sent === 0) this.frames.setExplicitRate(this.rateCode, limitingHop);
  }

  /** Draws when the next credit is due, which names the rate of the gap before it. PROTOCOL §4.4 */
  private spaceNext(): void {
    const { numbers, at, frames } = this;
    const { config, random } = this.context;
    paceNext(numbers, at, config.jitter, random);
    const { limitingHop } = this.control;
    if (limitingHop === undefined) return;
    // Credits of flows that start together at one host keep their order otherwise, and the first ones take every free place.
    if (!this.isProved) numbers[at + ReceiverPlace.dueNs] += numbers[at + ReceiverPlace.gapNs] * (random.next() - 0.5);
    // Flows that hear of a much lower rate together would send their next credits together.
    if (frames.rateCode - this.rateCode >= CODES_IN_OCTAVE)
      numbers[at + ReceiverPlace.dueNs] += numbers[at + ReceiverPlace.gapNs] * random.next();
    frames.setExplicitRate(this.rateCode, limitingHop);
  }

  private block(blocked: boolean): boolean {
    this.blocked = blocked;
    if (blocked) this.share?.passTurn();
    return blocked;
  }

  /** The pacer makes up for part of the RTT: on a long path the queue fills a hole in the credits, if the late credits follow. */
  private limitCatchUp(): void {
    const { catchUpRtts, catchUpNs } = this.context.config;
    if (catchUpRtts > 0)
      this.numbers[this.at + ReceiverPlace.catchUpNs] = Math.max(catchUpNs, catchUpRtts * this.rtt.minNs);
  }

  private sampleRtt(rttNs: number, sinceNs: number, nowNs: number): void {
    this.rtt.sample(rttNs, sinceNs);
    this.limitCatchUp();
    if (this.share !== null && this.isRunning)
      this.share.sampleRtt(rttNs, nowNs, this.meanGapNs, this.control.linkShare);
    this.observer.onRtt(rttNs);
  }
}
