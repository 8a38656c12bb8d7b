// Tested by test/core/sprayed-repair.test.ts

/** Marks kept. */
const MARKS = 8;
/** Marks that fall into the time that is asked for: with four, what was sent a retransmission time ago is known to within a quarter of it. */
const MARKS_PER_WAIT = 4;

/** Of a flow whose bytes take several paths: how far it had sent at some times in the past, so that a byte's age is known without a time for each frame. Constant memory. */
export class SendMarks {
  /** Its own frames take several paths: PROTOCOL §5.2. */
  isSprayed = false;
  /** The bytes that went in frames of other flows, by their paths, end before this offset. */
  rideEndOffset = 0;
  /** How many they are, from the first that was not acknowledged when another went. */
  rideBytes = 0;
  private readonly atNs = new Float64Array(MARKS).fill(Number.NEGATIVE_INFINITY);
  private readonly offsets = new Float64Array(MARKS);
  private latest = 0;
  /** When the latest mark was made; it moves with what is sent until the next is due. */
  private latestSinceNs = Number.NEGATIVE_INFINITY;

  /** The flow has sent up to `offset` at `nowNs`; `waitNs`: the age that will be asked for. */
  note(nowNs: number, offset: number, waitNs: number): void {
    if (nowNs - this.latestSinceNs >= waitNs / MARKS_PER_WAIT) {
      this.latest = (this.latest + 1) % MARKS;
      this.latestSinceNs = nowNs;
    }
    this.atNs[this.latest] = nowNs;
    this.offsets[this.latest] = offset;
  }

  /** An offset up to which everything had been sent at `timeNs`; 0 where nothing is known of that time. */
  sentBy(timeNs: number): number {
    for (let back = 0; back < MARKS; back++) {
      const index = (this.latest - back + MARKS) % MARKS;
      if (this.atNs[index] <= timeNs) return this.offsets[index];
    }
    return 0;
  }
}
