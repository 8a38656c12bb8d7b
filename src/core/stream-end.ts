/** What a flow's receiver knows of the stream's length. Offsets are 53-bit. */
export class StreamEnd {
  /** The length, once END or FIN has told it; -1 before. */
  private offset = -1;
  /** The sender has closed: PROTOCOL §3.6. */
  finSeen = false;

  /** Whether END or FIN may say so: the same as before, and nothing has arrived beyond `highestEnd`. */
  accepts(offset: number, highestEnd: number): boolean {
    return this.offset >= 0 ? offset === this.offset : offset >= highestEnd;
  }

  /** `offset` has been accepted. */
  set(offset: number): void {
    this.offset = offset;
  }

  /** Whether bytes up to `end` are part of the stream, as far as is known. */
  allows(end: number): boolean {
    return this.offset < 0 || end <= this.offset;
  }

  /** Whether all bytes before `nextOffset` are all there are. */
  isReached(nextOffset: number): boolean {
    return nextOffset === this.offset;
  }
}
