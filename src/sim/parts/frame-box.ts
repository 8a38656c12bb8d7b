// Tested by test/sim/parts/parts.test.ts

import type { Frame } from '../../wire/frame.js';
import { OnlyWhole } from './only-whole.js';

/** Place 0 counts the entries. */
const HEAD = 1;
/** An entry: its direction and time, seven numbers of a frame and three of its way, then its bytes. */
const NUMBERS = 12;
const BYTES_OF_NUMBER = 8;

/** In the place of a direction: a flow has been opened. */
const OPENED = -1;

/** Where a frame goes from the end of its link on, in words that hold in every part. */
export interface Way {
  /** How often the live links had changed; -1: the way is to be looked for. */
  changes: number;
  pair: number;
  place: number;
}

export interface BoxReader {
  frame(direction: number, box: FrameBox): void;
  opened(plan: number, wireId: number): void;
}

/** What one part gives another at the end of a window, in shared memory. */
export class FrameBox {
  private readonly numbers: Float64Array;
  private readonly bytes: Uint8Array;
  private count = 0;
  private at = HEAD;

  constructor(memory: SharedArrayBuffer) {
    this.numbers = new Float64Array(memory);
    this.bytes = new Uint8Array(memory);
  }

  begin(): void {
    this.count = 0;
    this.at = HEAD;
  }

  end(): void {
    this.numbers[0] = this.count;
  }

  put(direction: number, frame: Frame, way: Way): void {
    const { numbers, at } = this;
    const next = at + NUMBERS + Math.ceil(frame.length / BYTES_OF_NUMBER);
    this.take(next);
    numbers[at] = direction;
    numbers[at + 1] = frame.atNs;
    numbers[at + 2] = frame.length;
    numbers[at + 3] = frame.phantomBytes;
    numbers[at + 4] = frame.peer;
    numbers[at + 5] = frame.type;
    numbers[at + 6] = frame.pathId;
    numbers[at + 7] = frame.hopLimit;
    numbers[at + 8] = frame.exitPort;
    numbers[at + 9] = way.changes;
    numbers[at + 10] = way.pair;
    numbers[at + 11] = way.place;
    const { bytes } = this;
    const bytesAt = (at + NUMBERS) * BYTES_OF_NUMBER;
    // Most frames have twenty bytes: a view for `set` would cost more.
    for (let index = 0; index < frame.length; index++) bytes[bytesAt + index] = frame.bytes[index];
  }

  putOpened(plan: number, wireId: number): void {
    const { numbers, at } = this;
    this.take(at + 3);
    numbers[at] = OPENED;
    numbers[at + 1] = plan;
    numbers[at + 2] = wireId;
  }

  read(reader: BoxReader): void {
    const { numbers } = this;
    this.at = HEAD;
    for (let left = numbers[0]; left > 0; left--) {
      const what = numbers[this.at];
      if (what === OPENED) {
        reader.opened(numbers[this.at + 1], numbers[this.at + 2]);
        this.at += 3;
      } else reader.frame(what, this);
    }
  }

  /** Fills a frame and its way with the entry that is read. */
  fill(frame: Frame, way: Way): void {
    const { numbers, at } = this;
    const length = numbers[at + 2] | 0;
    frame.reserve(length);
    frame.atNs = numbers[at + 1];
    frame.length = length;
    frame.phantomBytes = numbers[at + 3] | 0;
    frame.peer = numbers[at + 4];
    frame.type = numbers[at + 5] | 0;
    frame.pathId = numbers[at + 6] | 0;
    frame.hopLimit = numbers[at + 7] | 0;
    frame.exitPort = numbers[at + 8] | 0;
    way.changes = numbers[at + 9] | 0;
    way.pair = numbers[at + 10] | 0;
    way.place = numbers[at + 11] | 0;
    const { bytes } = this;
    const bytesAt = (at + NUMBERS) * BYTES_OF_NUMBER;
    for (let index = 0; index < length; index++) frame.bytes[index] = bytes[bytesAt + index];
    this.at = at + NUMBERS + Math.ceil(length / BYTES_OF_NUMBER);
  }

  private take(next: number): void {
    if (next > this.numbers.length) throw new OnlyWhole('too many frames are on their way between its parts');
    this.count++;
    this.at = next;
  }
}
