import { Ring } from '../../base/ring.js';

const LINE_FEED = 0x0a;
/** More lines than a chunk of 64 KiB, the largest that Node reads at a time, can have. */
const MAX_LINES = 65_537;

/** Cuts a stream of bytes into lines of UTF-8. It holds at most one line that is not complete and those of the last chunk. */
export class LineBuffer {
  private readonly maxLineBytes: number;
  /** The bytes of the line that is not complete. */
  private pieces: Buffer[] = [];
  private pieceBytes = 0;
  private readonly lines = new Ring<string>(MAX_LINES);

  /** Longer lines are refused. */
  constructor(maxLineBytes: number) {
    this.maxLineBytes = maxLineBytes;
  }

  /** Takes bytes as they arrive; false when a line is too long, and then nothing that follows can be told apart any more. */
  push(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      if (!this.keep(chunk.subarray(start, end))) return false;
      if (!this.lines.push(Buffer.concat(this.pieces).toString('utf8'))) return false;
      this.pieces = [];
      this.pieceBytes = 0;
      start = end + 1;
    }
    return this.keep(chunk.subarray(start));
  }

  /** The next complete line without its end; undefined when there is none. */
  shift(): string | undefined {
    return this.lines.shift();
  }

  private keep(piece: Buffer): boolean {
    this.pieceBytes += piece.length;
    if (piece.length > 0) this.pieces.push(piece);
    return this.pieceBytes <= this.maxLineBytes;
  }
}
