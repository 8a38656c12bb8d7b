/** Bytes by window of a fixed length: what Jain's index is made of. Windows before the first byte are not kept. */
export interface WindowCounts {
  readonly windowNs: number;
  /** The window of the first count; windows are numbered from the beginning of the measured time. */
  readonly first: number;
  readonly bytes: readonly number[];
}

/** Counts one flow's bytes in windows of one length. It grows with the time that the flow lasts. */
export class WindowCounter {
  private readonly windowNs: number;
  private first = -1;
  private readonly bytes: number[] = [];

  constructor(windowNs: number) {
    this.windowNs = windowNs;
  }

  /** `count` bytes arrived `atNs` after the measured time began; times never go back. */
  add(count: number, atNs: number): void {
    const window = Math.floor(atNs / this.windowNs);
    if (this.first < 0) this.first = window;
    const at = window - this.first;
    while (this.bytes.length <= at) this.bytes.push(0);
    this.bytes[at] += count;
  }

  counts(): WindowCounts {
    return { windowNs: this.windowNs, first: Math.max(0, this.first), bytes: this.bytes };
  }
}
