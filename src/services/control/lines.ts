const LINE_END = 0x0a;

/**
 * Cuts bytes into lines, in time that grows with the bytes alone. Text behind the last line end is no line: a command that was cut off must not be done. No
 * byte of a longer character in UTF-8 is a line end.
 */
export class LineSplitter {
  private readonly maxBytes: number;
  private readonly parts: Uint8Array[] = [];
  private partBytes = 0;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  /** The lines that end in `chunk`; the last one is null where it is longer than allowed, and nothing may be pushed any more. */
  push(chunk: Uint8Array): (string | null)[] {
    const lines: (string | null)[] = [];
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LINE_END, from);
      const part = chunk.subarray(from, end < 0 ? chunk.length : end);
      this.partBytes += part.length;
      if (this.partBytes > this.maxBytes) return [...lines, null];
      this.parts.push(part);
      if (end < 0) break;
      lines.push(this.takeLine());
      from = end + 1;
    }
    return lines;
  }

  private takeLine(): string {
    const line = Buffer.concat(this.parts).toString();
    this.parts.length = 0;
    this.partBytes = 0;
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }
}
