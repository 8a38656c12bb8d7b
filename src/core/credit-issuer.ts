// Tested by test/core/receiver-flow.test.ts, test/core/receiver-data.test.ts and test/core/receiver-window.test.ts
import type { NumberRecord } from '../base/record-arena.js';
import * as time from '../base/time.js';
import { creditSequence, dataExplicitRate, pathId } from '../wire/decode.js';
import type { Frame } from '../wire/frame.js';
import * as layout from '../wire/layout.js';
import * as rateCodes from '../wire/rate-code.js';
import { codeOfRate, rateOfCode } from '../wire/rate-code.js';
import { BudgetShare } from './budget-share.js';
import type { DueSource, FlowContext } from './context.js';
import type { CreditAlgorithm, CreditLink } from './credit/algorithm.js';
import * as creditMeter from './credit-meter.js';
import { CreditMeter } from './credit-meter.js';
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
import type { FlowObserver } from './flow-callbacks.js';
import * as flowCallbacks from './flow-callbacks.js';
import * as flowRecord from './flow-record.js';
import type { Spraying } from './path/spraying.js';
import { RateControl } from './rate-control.js';
import type { ReceiveWindow } from './receive-window.js';
import * as receiveWindow from './receive-window.js';
import type { ReceiverFrames } from './receiver-frames.js';
import { RttEstimator } from './rtt.js';

// Bound here, so that V8 folds them: see "Imported constants" in docs/HACKING.md.
const { NEVER } = time;
const { HOP_BITS, NO_HOP } = layout;
const { CODES_IN_OCTAVE } = rateCodes;
const { Echo } = creditMeter;
const { UNBOUNDED } = receiveWindow;
const { NO_OBSERVER } = flowCallbacks;
const { Hot } = flowRecord;

export interface IssuerOptions {
  slot: number;
  algorithm: CreditAlgorithm;
  link: CreditLink;
  /** Sequence number of the first credit, 32-bit. */
  firstSequence: number;
}

/** What else of the flow decides whether a credit may go out, and what writes it. */
export interface IssuerParts {
  record: NumberRecord;
  window: ReceiveWindow;
  frames: ReceiverFrames;
}

/** Of `windowCredits` and `demandCredits`. */
const UNKNOWN = -1;

/**
 * Issues the credits of one flow while it is in CREDIT_SENDING (PROTOCOL §4.2): when the next one is due, whether it may go out then, what became of those
 * that went, and what their algorithm makes of it.
 */
export class CreditIssuer implements DueSource {
  // What every credit needs comes first, as in `Endpoint`: with thousands of flows each cache line of one is a miss.
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly context: FlowContext;
  readonly meter: CreditMeter;
  readonly frames: ReceiverFrames;
  private readonly slot: number;
  /** The next credit waits for room, not for its time. */
  private blocked = false;
  /** The flow is in CREDIT_SENDING. */
  isRunning = false;
  /** What `frames` says of the path: a copy, which data looks at. */
  private isProved = false;
  /** Credits outstanding that fit the receive window; UNKNOWN where it has changed since. */
  private windowCredits = UNKNOWN;
  /** Credits that what the sender has takes; UNKNOWN likewise. */
  private demandCredits = UNKNOWN;
  /** Null where the host's budget has no bound, and while the flow rests. */
  private share: BudgetShare | null = null;
  private readonly spraying: Spraying | null;
  /** Credits sent when they began, or began again. */
  private sentBefore = 0;
  /** Who measures this flow; set by its application. */
  observer: FlowObserver = NO_OBSERVER;
  private readonly bitsPerCredit: number;
  /** Of the rate in force; 0 where credits ask for no explicit rate. */
  private rateCode = 0;
  private readonly control: RateControl;
  readonly rtt: RttEstimator;
  private readonly window: ReceiveWindow;
  /**
   * The sender has said that it wants no credits: those that it still gets find no data. Where the receiver gave up waiting by itself, the path may just be longer than it knows, and only the book
   * can tell the RTT when data comes in the end.
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
    this.meter = new CreditMeter({ firstSequence, maxOutstanding, frameBytes }, record);
    this.frames = parts.frames;
    this.slot = options.slot;
    this.bitsPerCredit = bitsPerCredit(frameBytes);
    const { spray } = options.algorithm;
    this.spraying = spray === undefined ? null : context.peerPaths.spraying(parts.frames.peer, spray, nowNs);
    this.control = new RateControl(options.algorithm, options.link, nowNs, record);
    startPacer(record.numbers, record.at, config);
    this.setRate(this.control.rateBps);
    this.rtt = new RttEstimator(config, record);
    this.window = parts.window;
    this.waitForData(nowNs);
  }

  /** Of its credits, as the algorithm sets it. */
  get rateBps(): number {
    return this.control.rateBps;
  }

  /** What the algorithm remembers; allocates. */
  get algorithmState(): Record<string, number> {
    return this.control.state;
  }

  /** What is known of the paths to the flow's peer; null where its credits are not sprayed. */
  get paths(): Spraying | null {
    return this.spraying;
  }

  /** There is room in the receive window for a credit more. */
  get hasRoom(): boolean {
    if (this.windowCredits === UNKNOWN) this.windowCredits = this.window.credits;
    return this.meter.outstanding < this.windowCredits;
  }

  /** What has arrived or was released, or how large the flow's frames are. */
  windowChanged(): void {
    this.windowCredits = UNKNOWN;
    this.demandCredits = UNKNOWN;
  }

  /** Whether the flow itself may send a credit once one is due; only then is the host's budget asked. */
  get canCredit(): boolean {
    if (!this.isRunning || this.meter.isFull || !this.hasRoom || this.wanted === 0) return false;
    if (this.share?.isGranted === false) return false;
    return this.isProved || this.frames.mayCredit(this.meter.outstanding);
  }

  /** Whether a credit goes out as soon as credits run. */
  get isPrompt(): boolean {
    return this.canCredit && !(this.share?.mustWait ?? false);
  }

  /** Credits run, but none is under way or wanted: all that the sender has told of has come. */
  get isSatisfied(): boolean {
    return this.isRunning && this.meter.outstanding === 0 && this.wanted === 0;
  }

  /** The earliest of RECEIVER_TIMERS.creditLife and .data; of .rest when credits do not run. */
  get deadlineNs(): number {
    if (this.isRunning) return Math.min(this.meter.oldestNs + this.lifeNs, this.dataDeadlineNs);
    return this.mayRest && !this.meter.isResting ? this.numbers[this.at + Hot.lastHeardNs] + this.lifeNs : NEVER;
  }

  /** Credits begin, or begin again. */
  start(nowNs: number): void {
    if (this.share === null) this.takeShare();
    this.meter.forgive();
    this.sentBefore = this.meter.sent;
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
    const { meter } = this;
    const stampNs = numbers[at + Hot.dueNs];
    this.frames.credit(meter.nextSequence, this.nextPath(stampNs), stampNs);
    this.observer.onCredit(nowNs);
    meter.send(stampNs);
    this.share?.noteSent(nowNs);
    if (!this.isProved) this.setRate(this.control.unheardRateBps(meter.sent));
    this.spaceNext();
    this.settleBudget();
    if (meter.outstanding === 1) this.context.arm(this.slot, this.deadlineNs);
    this.share?.passTurnUntil(numbers[at + Hot.dueNs], nowNs);
    // Whether the next one fits is looked at when it is due.
    return numbers[at + Hot.dueNs];
  }

  /** Reads a word of each of its own cache lines that a credit needs; the result means nothing. */
  prefetch(): number {
    const { numbers, at } = this;
    return +(numbers[at + Hot.dueNs] > 0) ^ +(numbers[at + Hot.lastDataNs] > 0) ^ this.slot ^ this.bitsPerCredit;
  }

  /** It is the flow's turn in the host's budget; false if it wants no credit any more. What it waited for is not made up for. */
  resume(nowNs: number): boolean {
    const { share } = this;
    if (!share?.isWaiting) return false;
    share.isWaiting = false;
    if (this.block(!this.canCredit)) return false;
    // While it waited with no credit outstanding, no data was to be waited for.
    if (this.meter.outstanding === 0) this.waitForData(nowNs);
    forgetBacklog(this.numbers, this.at, Math.max(nowNs, share.takeTurn(nowNs)));
    this.context.schedule(this.slot, this.dueNs);
    return true;
  }

  /** Credits that went out at `sentNs` or before will bring nothing, by what the peer's other flows have brought. */
  overtaken(sentNs: number, nowNs: number): void {
    if (!this.isRunning || !this.meter.overtake(sentNs)) return;
    this.settleBudget();
    this.reschedule(nowNs);
  }

  /**
   * The host's NIC has dropped a credit: it counts as lost, but not as sent to a peer that has not proved its address. Otherwise many flows that start together
   * would use up what PROTOCOL §4.6 allows them against their own NIC and fall silent.
   */
  takenBack(frame: Frame, nowNs: number): void {
    this.meter.loseAtHome(creditSequence(frame.bytes));
    this.settleBudget();
    if (this.isProved) return;
    this.frames.takeBack(frame);
    if (this.blocked) this.reschedule(nowNs);
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
    this.numbers[this.at + Hot.lastDataNs] = nowNs;
  }

  /** A data frame echoes `sequence` and tells of `unused` credits. False, counted, for one that no credit of the flow has released. */
  echo(sequence: number, unused: number): boolean {
    const { counters } = this.context;
    const echo = this.meter.echo(sequence, unused);
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
    const sinceNs = this.control.hastens ? nowNs - this.numbers[this.at + Hot.lastDataNs] : 0;
    this.waitForData(nowNs);
    if (!this.isProved) this.prove();
    const sentNs = this.meter.lastEchoSentNs;
    if (sentNs !== NEVER) this.sampleRtt(nowNs - sentNs, sinceNs, nowNs);
    if (this.spraying !== null) this.watchPath(this.spraying, frame, nowNs);
    this.settleBudget();
  }

  /** A data frame had these ECN marks: its own, and its credit's. */
  countData(marked: boolean, creditMarked: boolean): void {
    this.control.countData(marked, creditMarked);
  }

  /** A data frame brought back what the ports of its credit's path offer. */
  countExplicitRate(frame: Frame): void {
    const explicitRate = dataExplicitRate(frame.bytes);
    const rateCode = explicitRate >>> HOP_BITS;
    if (rateCode !== 0) this.control.countExplicitRate(rateOfCode(rateCode), explicitRate & NO_HOP);
  }

  /** Shows the algorithm what is known, if its period is over. */
  updateRate(nowNs: number): void {
    const { control, numbers, at } = this;
    if (!control.update(this.meter, this.rtt, nowNs)) return;
    const gapNs = numbers[at + Hot.gapNs];
    this.setRate(control.rateBps);
    if (control.hastens) hasten(numbers, at, gapNs - numbers[at + Hot.gapNs], nowNs);
  }

  /** Gives up credits that are too old, and credits without data. */
  onTimer(nowNs: number): void {
    if (!this.isRunning) {
      if (this.mayRest) this.restAfter(this.numbers[this.at + Hot.lastHeardNs], nowNs);
      return;
    }
    if (this.meter.expire(nowNs, this.lifeNs) > 0) {
      this.settleBudget();
      this.updateRate(nowNs);
      this.reschedule(nowNs);
    }
  }

  /**
   * While credits are stopped, and the peer was last heard at `heardNs`: those that nobody heard of for their life are forgiven, and their memory goes. So does the part in the host's
   * budget, of which only the path's shortest RTT would be missed; the budget remembers that of each peer.
   */
  restAfter(heardNs: number, nowNs: number): void {
    if (nowNs < heardNs + this.lifeNs) return;
    this.meter.forgive();
    this.meter.rest();
    this.share = null;
  }

  /** See RECEIVER_TIMERS.data; while no credit is outstanding, and none fits, is wanted or has its turn in the host's budget, there is no data to wait for. */
  get dataDeadlineNs(): number {
    const { outstanding, sent } = this.meter;
    if (!this.isRunning || sent === 0) return NEVER;
    if (outstanding === 0 && (this.share?.isWaiting || !this.hasRoom || this.wanted === 0)) return NEVER;
    const waitNs = Math.max(this.rtt.waitNs(8), 8 * this.meanGapNs);
    return this.numbers[this.at + Hot.lastDataNs] + Math.max(this.context.config.dataTimeoutNs, waitNs);
  }

  /** Credits that would bring what is missing of what the sender has, in the place of those too that the path will drop as it has dropped others. */
  private get wanted(): number {
    if (this.demandCredits === UNKNOWN) {
      const isHeeded = this.context.config.backlogWaitNs > 0;
      this.demandCredits = isHeeded ? Math.ceil(this.window.demandCredits * (1 + this.meter.dropShare)) : UNBOUNDED;
    }
    return this.demandCredits;
  }

  /**
   * When the next credit may go out for all that the flow knows: at `nowNs`, once the first of those that cover what is wanted may be lost, or NEVER for not before something comes. Credits that were
   * dropped on the way are known as such by later ones; the last ones of a flow have none after them.
   */
  private wantedNs(nowNs: number): number {
    if (!this.canCredit) return NEVER;
    const { meter, wanted } = this;
    if (meter.outstanding < wanted) return nowNs;
    const waitNs = Math.max(this.context.config.backlogWaitNs, this.rtt.waitNs(2));
    meter.doubt(nowNs, waitNs);
    return meter.trusted < wanted ? nowNs : meter.oldestTrustedNs + waitNs;
  }

  private get lifeNs(): number {
    return Math.max(this.context.config.creditLifeNs, this.rtt.waitNs(4));
  }

  private takeShare(): void {
    const { budget } = this.context;
    if (budget.isBounded) this.share = new BudgetShare(budget, this.slot, this.frames.peer);
  }

  /** A flow that has stopped has no part in the host's budget. */
  private settleBudget(): void {
    if (this.share === null) return;
    if (this.isRunning) this.share.setOutstanding(this.meter.awaited);
    else this.share.giveBack();
  }

  /** The sender asks although credits run: none of this flow reaches it. */
  distrustPaths(nowNs: number): void {
    this.spraying?.distrust(nowNs);
  }

  /** Its data says by which path: 0 for the flow's own. */
  private nextPath(nowNs: number): number {
    if (this.spraying === null) return 0;
    return this.spraying.next(this.context.random, this.meter.sent > this.sentBefore, nowNs);
  }

  /** A credit that was given up or forgotten still says that its path carries data, but not how fast. */
  private watchPath(spraying: Spraying, frame: Frame, nowNs: number): void {
    const sentNs = this.meter.lastEchoSentNs === NEVER ? -NEVER : this.meter.lastEchoSentNs;
    spraying.arrived(pathId(frame.bytes), frame.wireBytes * 8, sentNs, nowNs);
    this.frames.setPath(pathId(frame.bytes));
  }

  private prove(): void {
    this.isProved = true;
    this.control.heard(this.meter.sent);
    this.setRate(this.control.rateBps);
    this.frames.provePath();
  }

  /** When the next credit is due. */
  private get dueNs(): number {
    return this.numbers[this.at + Hot.dueNs];
  }

  /** Mean time between two credits. */
  private get meanGapNs(): number {
    return this.numbers[this.at + Hot.gapNs];
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
    if (this.meter.sent === 0) this.frames.setExplicitRate(this.rateCode, limitingHop);
  }

  /** Draws when the next credit is due, which names the rate of the gap before it. PROTOCOL §4.4 */
  private spaceNext(): void {
    const { numbers, at, frames } = this;
    const { random } = this.context;
    paceNext(numbers, at, random);
    const { limitingHop } = this.control;
    if (limitingHop === undefined) return;
    // Credits of flows that start together at one host keep their order otherwise, and the first ones take every free place.
    if (!this.isProved) numbers[at + Hot.dueNs] += numbers[at + Hot.gapNs] * (random.next() - 0.5);
    // Flows that hear of a much lower rate together would send their next credits together.
    if (frames.rateCode - this.rateCode >= CODES_IN_OCTAVE)
      numbers[at + Hot.dueNs] += numbers[at + Hot.gapNs] * random.next();
    frames.setExplicitRate(this.rateCode, limitingHop);
  }

  private block(blocked: boolean): boolean {
    this.blocked = blocked;
    if (blocked) this.share?.passTurn();
    return blocked;
  }

  /** A hole in the credits of a long path is filled by what queues behind it, if the credits that were late follow: the pacer makes up for part of the RTT. */
  private limitCatchUp(): void {
    const { catchUpRtts, catchUpNs } = this.context.config;
    if (catchUpRtts > 0) this.numbers[this.at + Hot.catchUpNs] = Math.max(catchUpNs, catchUpRtts * this.rtt.minNs);
  }

  private sampleRtt(rttNs: number, sinceNs: number, nowNs: number): void {
    this.rtt.sample(rttNs, sinceNs);
    this.limitCatchUp();
    if (this.share !== null && this.isRunning)
      this.share.sampleRtt(rttNs, nowNs, this.meanGapNs, this.control.linkShare);
    this.observer.onRtt(rttNs);
  }
}
