/**
 * How much a process allocates: the growth of V8's heap between two looks. A look that finds the heap smaller follows a collection; it is left out,
 * with its time.
 */
export class AllocationMeter {
  /** Seen to be allocated. */
  bytes = 0;
  /** The time over which that was. */
  ms = 0;
  private lastBytes = Number.NaN;
  private lastMs = 0;

  /** The heap has so many bytes at this time. */
  look(heapBytes: number, nowMs: number): void {
    if (heapBytes >= this.lastBytes) {
      this.bytes += heapBytes - this.lastBytes;
      this.ms += nowMs - this.lastMs;
    }
    this.lastBytes = heapBytes;
    this.lastMs = nowMs;
  }
}
