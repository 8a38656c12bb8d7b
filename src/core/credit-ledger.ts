import { NEVER } from '../base/time.js';
import { MAX_FRAME_BYTES } from '../wire/layout.js';
import { widen20 } from '../wire/serial.js';
import { type CreditBlock, CreditMemory } from './credit-memory.js';
import { ownRecord, ReceiverPlace, type ReceiverRecord } from './flow-record.js';
import type { FlowSums } from './traffic.js';

/** Fate of one credit. PROTOCOL §4.5 */
const FORGOTTEN = 0;
const USED = 2;
/** Passed by a higher echo and taken as dropped; a late echo takes it back. */
const DROPPED = 3;
const UNUSED = 4;
/** Did not leave this host: its NIC dropped it. Becomes DROPPED in its turn. */
const LOST_AT_HOME = 6;
/** Was outstanding when the sender stopped; counted as unused. */
const FORGIVEN = 5;
/** Outstanding, but data has come for a later credit to the same peer. */
const OVERTAKEN = 7;

/** V8 keeps typed arrays of up to 64 bytes inside their object; a separate buffer costs 180 bytes more (measured with 1,000 idle flows). */
const INITIAL_CAPACITY = 8;
/** Times and fates of a flow that has sent no credit. */
const NO_TIMES = new Float64Array(0);
const NO_FATES = new Uint8Array(0);

/** What an echo turned out to be; forgotten: of a credit that was sent, too long ago for its time and fate to be known. */
export const Echo = { valid: 1, late: 2, duplicate: 3, unknown: 4, forgotten: 5 } as const;

/** Reach of 32-bit offsets: a frame further off may be of another round. PROTOCOL §1.3 */
const OFFSET_REACH_BYTES = 2 ** 31;
/** Reach of 20-bit sequence numbers, likewise. PROTOCOL §1.3 */
const SEQUENCE_REACH = 2 ** 19;

export interface LedgerOptions {
  /** Sequence number of the first credit, 32-bit; its lower 20 bits go out. */
  firstSequence: number;
  maxOutstanding: number;
  /** Most that one credit releases; as much as any frame holds if left out. */
  frameBytes?: number;
}

/** Counts of one flow's credits since it began. Every credit sent is outstanding or has one of the other fates. */
export interface CreditCounts {
  sent: number;
  used: number;
  unused: number;
  dropped: number;
}

/**
 * The receiver's account of its credits: when each was sent, and its fate, known by the sequence numbers that data frames echo (PROTOCOL §4.5). Sequence
 * numbers are widened to a count from the flow's first credit. Constant time a credit; memory for as many as were outstanding at once.
 */
export class CreditLedger {
  // What every credit needs comes first, as in `Endpoint`.
  /** Index of the next credit to be sent. */
  private next = 0;
  /** Every credit before this index has a known fate. */
  private firstUnknown = 0;
  private readonly maxOutstanding: number;
  /** Signed, since V8 keeps 32-bit numbers in place only so. */
  private readonly firstSequence: number;
  private mask = -1;
  private sentNs: Float64Array = NO_TIMES;
  /** Where its credits begin in `sentNs` and `fate`, which it may share. */
  private base = 0;
  private readonly numbers: Float64Array;
  private readonly at: number;
  private readonly memory: CreditMemory;
  /** Credits from `firstUnknown` on that the host's own NIC dropped. */
  private lostAtHome = 0;
  /** Outstanding ones that are OVERTAKEN. */
  private overtaken = 0;
  /** Credits before this index need no look any more: a peer that asks again and again would have all looked at each time. */
  private overtakenEnd = 0;
  /** Fate of each credit before `firstUnknown`; behind it only LOST_AT_HOME and OVERTAKEN are valid. */
  private fate: Uint8Array = NO_FATES;
  /** Credits back to which an echo is known: the data of an older one may be of another round of the offsets. */
  private readonly reach: number;
  /** The sender's counter of credits without data, widened, and how many of those have been given a credit each. */
  private unusedTold: number;
  private unusedPlaced: number;
  /** Credits forgiven since the last echo: what the sender adds to its counter up to the next one is about those first. */
  private forgivenCredits: number;
  private used: number;
  private unused: number;
  private dropped: number;
  /** Credits whose fate became known since `startPeriod`, and when the first and last of them were sent. */
  periodKnown: number;
  periodUsed: number;
  periodUnused: number;
  periodDropped: number;
  /** Of those that were taken as dropped, the ones whose late echo took them back in this period: no longer in `periodDropped`. */
  periodTakenBack: number;
  /** Credits before this index have been on their way for so long that they may be lost. */
  private doubted: number;

  constructor(options: LedgerOptions, { numbers, at }: ReceiverRecord = ownRecord(), memory = new CreditMemory()) {
    this.memory = memory;
    const { firstSequence, maxOutstanding, frameBytes = MAX_FRAME_BYTES } = options;
    this.numbers = numbers;
    this.at = at;
    this.firstSequence = firstSequence | 0;
    this.maxOutstanding = maxOutstanding;
    this.reach = Math.min(SEQUENCE_REACH, Math.floor(OFFSET_REACH_BYTES / frameBytes));
    this.unusedTold = this.unusedPlaced = this.forgivenCredits = 0;
    this.used = this.unused = this.dropped = 0;
    this.periodKnown = this.periodUsed = this.periodUnused = this.periodDropped = this.periodTakenBack = 0;
    this.doubted = 0;
    numbers[at + ReceiverPlace.lastEchoSentNs] = NEVER;
    numbers[at + ReceiverPlace.periodStartNs] = NEVER;
    numbers[at + ReceiverPlace.periodEndNs] = NEVER;
  }

  /** A copy. */
  get counts(): CreditCounts {
    return { sent: this.next, used: this.used, unused: this.unused, dropped: this.dropped };
  }

  addTo(sums: FlowSums): void {
    sums.credits += this.next;
    sums.used += this.used;
    sums.unused += this.unused;
    sums.dropped += this.dropped;
    sums.outstanding += this.outstanding;
  }

  /** Dropped credits as a part of those that were used or dropped; 0 before any. */
  get dropShare(): number {
    return this.dropped === 0 ? 0 : this.dropped / (this.used + this.dropped);
  }

  /** Credits sent so far. */
  get sent(): number {
    return this.next;
  }

  /** Send time of the credit that the last echo named; NEVER before any. */
  get lastEchoSentNs(): number {
    return this.numbers[this.at + ReceiverPlace.lastEchoSentNs];
  }

  /** Credits before the oldest one of unknown fate. */
  get settled(): number {
    return this.firstUnknown;
  }

  /** Credits on their way, or whose data is. */
  get outstanding(): number {
    return this.unknown - this.lostAtHome;
  }

  /** Outstanding credits that may still bring data. */
  get awaited(): number {
    return this.outstanding - this.overtaken;
  }

  /** Credits that the host's own NIC dropped and that have not become DROPPED yet. */
  get lostAtHomeCount(): number {
    return this.lostAtHome;
  }

  get isFull(): boolean {
    return this.unknown >= this.maxOutstanding;
  }

  private get unknown(): number {
    return this.next - this.firstUnknown;
  }

  /** Sequence number of the next credit, 32-bit and signed; its lower 20 bits go out. */
  get nextSequence(): number {
    return (this.firstSequence + this.next) | 0;
  }

  /** Send time of the oldest credit of unknown fate; NEVER when there is none. */
  get oldestNs(): number {
    return this.unknown > 0 ? this.sentNs[this.slotOf(this.firstUnknown)] : NEVER;
  }

  /** Books the credit `nextSequence` as sent at `nowNs`. */
  send(nowNs: number): void {
    if (this.unknown > this.mask) this.grow();
    this.sentNs[this.slotOf(this.next)] = nowNs;
    if (this.numbers[this.at + ReceiverPlace.periodStartNs] === NEVER)
      this.numbers[this.at + ReceiverPlace.periodStartNs] = nowNs;
    this.next++;
  }

  /** The host's NIC dropped the credit with this sequence number. */
  loseAtHome(sequence: number): void {
    const index = widen20(sequence - this.firstSequence, this.next);
    const slot = this.slotOf(index);
    if (index < this.firstUnknown || index >= this.next || this.fate[slot] === LOST_AT_HOME) return;
    this.find(slot);
    this.fate[slot] = LOST_AT_HOME;
    this.lostAtHome++;
  }

  /** A data frame echoes `sequence` and says that `unused` (12-bit counter) credits found no data so far. Returns a code of `Echo`. */
  echo(sequence: number, unused: number): number {
    const index = widen20(sequence - this.firstSequence, this.next);
    if (index >= this.next || index < 0 || index < this.next - this.reach) return Echo.unknown;
    if (index < this.next - this.mask - 1) return this.forgotten();
    this.numbers[this.at + ReceiverPlace.lastEchoSentNs] = this.sentNs[this.slotOf(index)];
    if (index < this.firstUnknown) return this.lateEcho(index);
    this.noteEchoedUnused(unused);
    this.unusedPlaced += Math.min(this.forgivenCredits, this.unusedTold - this.unusedPlaced);
    this.forgivenCredits = 0;
    this.settleBefore(index);
    this.settle(index, USED);
    this.firstUnknown = index + 1;
    return Echo.valid;
  }

  /** The sender says so in CREDIT_STOP or FIN. */
  noteUnused(unused: number): void {
    const ahead = (unused - this.unusedTold) & 0xffff;
    if (ahead < 0x8000) this.unusedTold += ahead;
  }

  /** DATA says it in 12 bits. PROTOCOL §3.3 */
  private noteEchoedUnused(unused: number): void {
    const ahead = (unused - this.unusedTold) & 0xfff;
    if (ahead < 0x800) this.unusedTold += ahead;
  }

  /** Its credits have no memory: before the first, and while the flow is idle. */
  get isResting(): boolean {
    return this.mask < 0;
  }

  /** The flow has long been idle: gives back the memory of its credits. An echo of one of them would be `Echo.forgotten`. */
  rest(): void {
    if (this.unknown === 0) this.letGo();
  }

  /** The flow is closed: gives back the memory of all its credits. */
  letGo(): void {
    if (this.isResting) return;
    this.memory.give(this.block, this.mask + 1);
    this.sentNs = NO_TIMES;
    this.fate = NO_FATES;
    this.mask = -1;
  }

  /** The sender has stopped: credits outstanding meet no data. That says nothing about the path, so no period counts them. */
  forgive(): void {
    while (this.firstUnknown < this.next) {
      this.forgiveOne(this.slotOf(this.firstUnknown));
      this.firstUnknown++;
    }
    this.startPeriod();
    this.numbers[this.at + ReceiverPlace.periodStartNs] = NEVER;
  }

  private forgiveOne(slot: number): void {
    this.find(slot);
    if (this.fate[slot] === LOST_AT_HOME) {
      this.fate[slot] = DROPPED;
      this.dropped++;
      return;
    }
    this.fate[slot] = FORGIVEN;
    this.unused++;
    this.forgivenCredits++;
  }

  /** Gives up credits that were sent `lifeNs` ago or earlier; returns how many. Written like the deadline `oldestNs + lifeNs`, so that both round alike. */
  expire(nowNs: number, lifeNs: number): number {
    let count = 0;
    while (this.firstUnknown < this.next && this.sentNs[this.slotOf(this.firstUnknown)] + lifeNs <= nowNs) {
      this.settleUnechoed(this.firstUnknown);
      this.firstUnknown++;
      count++;
    }
    return count;
  }

  /** Credits that were sent `waitNs` ago or earlier are not counted on any more. */
  doubt(nowNs: number, waitNs: number): void {
    if (this.doubted < this.firstUnknown) this.doubted = this.firstUnknown;
    while (this.doubted < this.next && this.sentNs[this.slotOf(this.doubted)] + waitNs <= nowNs) this.doubted++;
  }

  /** Credits sent at `sentNs` or earlier are overtaken: others to the same peer have brought data. True if there was one. */
  overtake(sentNs: number): boolean {
    const { overtaken, fate } = this;
    let index = Math.max(this.firstUnknown, this.overtakenEnd);
    for (; index < this.next; index++) {
      const slot = this.slotOf(index);
      if (this.sentNs[slot] > sentNs) break;
      if (fate[slot] === LOST_AT_HOME || fate[slot] === OVERTAKEN) continue;
      fate[slot] = OVERTAKEN;
      this.overtaken++;
    }
    this.overtakenEnd = index;
    if (this.doubted < index) this.doubted = index;
    return this.overtaken > overtaken;
  }

  /** Outstanding credits that are counted on, after `doubt`; and when the oldest of them was sent, NEVER without any. */
  get trusted(): number {
    return Math.max(0, this.next - this.doubted - this.lostAtHome);
  }

  get oldestTrustedNs(): number {
    return this.doubted < this.next ? this.sentNs[this.slotOf(this.doubted)] : NEVER;
  }

  /** Time between the sending of the credits before this period and of the last one known in it, ns; 0 when none is. */
  get periodSpanNs(): number {
    const { numbers, at } = this;
    return this.periodKnown > 0
      ? Math.max(0, numbers[at + ReceiverPlace.periodEndNs] - numbers[at + ReceiverPlace.periodStartNs])
      : 0;
  }

  startPeriod(): void {
    const { numbers, at } = this;
    if (this.periodKnown > 0) numbers[at + ReceiverPlace.periodStartNs] = numbers[at + ReceiverPlace.periodEndNs];
    this.periodKnown = 0;
    this.periodUsed = 0;
    this.periodUnused = 0;
    this.periodDropped = 0;
    this.periodTakenBack = 0;
  }

  /** A credit that was taken as dropped or unused has been used after all. */
  private lateEcho(index: number): number {
    const slot = this.slotOf(index);
    const fate = this.fate[slot];
    if (fate === USED) return Echo.duplicate;
    if (fate === FORGOTTEN) return this.forgotten();
    this.fate[slot] = USED;
    this.used++;
    if (fate === DROPPED) this.takeBackDropped();
    else this.takeBackUnused(fate);
    return Echo.late;
  }

  /** It keeps the fate that it got. */
  private forgotten(): number {
    this.numbers[this.at + ReceiverPlace.lastEchoSentNs] = NEVER;
    return Echo.forgotten;
  }

  /** If the period of the drop is over, one of this period stands in for it: the loss is right in the long run. */
  private takeBackDropped(): void {
    this.dropped--;
    if (this.periodDropped === 0) return;
    this.periodDropped--;
    this.periodTakenBack++;
    this.periodUsed++;
  }

  /** The sender's counter was about another credit, which is still to be placed. */
  private takeBackUnused(fate: number): void {
    this.unused--;
    if (fate === FORGIVEN) {
      this.forgivenCredits = Math.max(0, this.forgivenCredits - 1);
      return;
    }
    this.unusedPlaced--;
    if (this.periodUnused === 0) return;
    this.periodUnused--;
    this.periodUsed++;
  }

  private settleBefore(index: number): void {
    for (let each = this.firstUnknown; each < index; each++) this.settleUnechoed(each);
  }

  private settleUnechoed(index: number): void {
    if (this.fate[this.slotOf(index)] === LOST_AT_HOME) this.settle(index, DROPPED);
    else if (this.unusedPlaced < this.unusedTold) {
      this.unusedPlaced++;
      this.settle(index, UNUSED);
    } else this.settle(index, DROPPED);
  }

  private settle(index: number, fate: number): void {
    const slot = this.slotOf(index);
    this.find(slot);
    this.fate[slot] = fate;
    this.periodKnown++;
    this.numbers[this.at + ReceiverPlace.periodEndNs] = this.sentNs[slot];
    if (fate === USED) {
      this.used++;
      this.periodUsed++;
    } else if (fate === UNUSED) {
      this.unused++;
      this.periodUnused++;
    } else {
      this.dropped++;
      this.periodDropped++;
    }
  }

  /** The fate of the credit in this place becomes known. */
  private find(slot: number): void {
    if (this.fate[slot] === OVERTAKEN) this.overtaken--;
    else if (this.fate[slot] === LOST_AT_HOME) this.lostAtHome--;
  }

  /** The place of a credit in `sentNs` and `fate`. */
  private slotOf(index: number): number {
    return this.base + (index & this.mask);
  }

  private get block(): CreditBlock {
    return { sentNs: this.sentNs, fates: this.fate, at: this.base };
  }

  private grow(): void {
    const capacity = Math.max((this.mask + 1) * 2, INITIAL_CAPACITY);
    const { sentNs, fates, at } = this.memory.take(capacity);
    for (let index = Math.max(0, this.next - this.mask - 1); index < this.next; index++) {
      const to = at + (index & (capacity - 1));
      sentNs[to] = this.sentNs[this.slotOf(index)];
      fates[to] = this.fate[this.slotOf(index)];
    }
    this.letGo();
    this.sentNs = sentNs;
    this.fate = fates;
    this.base = at;
    this.mask = capacity - 1;
  }
}
