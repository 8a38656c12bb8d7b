/**
 * Reads an input as choices and numbers: its bytes, and zeros behind its end. So each input means something, and a small change of it a small change
 * of that.
 */
export class Input {
  private at = 0;
  private readonly data: Uint8Array;

  constructor(data: Uint8Array) {
    this.data = data;
  }

  get isOver(): boolean {
    return this.at >= this.data.length;
  }

  get left(): number {
    return Math.max(0, this.data.length - this.at);
  }

  u8(): number {
    return this.data[this.at++] ?? 0;
  }

  u16(): number {
    return this.u8() * 256 + this.u8();
  }

  u32(): number {
    return this.u16() * 65_536 + this.u16();
  }

  /** A number below `limit`, which is at most 256. */
  below(limit: number): number {
    return this.u8() % limit;
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  /** A field of 32 bits: near `anchor` in half of the cases, else any. */
  near(anchor: number): number {
    const kind = this.u8();
    if (kind < 64) return anchor;
    if (kind < 128) return (anchor + this.u16() - 32_768) >>> 0;
    return kind < 192 ? this.u16() : this.u32();
  }

  bytes(count: number): Uint8Array {
    const taken = this.data.subarray(this.at, this.at + count);
    this.at += count;
    return taken;
  }

  rest(): Uint8Array {
    return this.bytes(this.left);
  }
}
