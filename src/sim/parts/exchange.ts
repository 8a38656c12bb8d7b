// Tested by test/sim/parts/parts.test.ts
import { Abandoned } from './only-whole.js';

/** What parts of one world share. */
export interface ExchangeMemory {
  readonly words: SharedArrayBuffer;
  readonly numbers: SharedArrayBuffer;
  /** By sending and by receiving part: two, for windows of even and of odd number. */
  readonly boxes: readonly (readonly (readonly SharedArrayBuffer[])[])[];
}

/** Frames of a window between two parts: tens of thousands (ours). */
const BOX_BYTES = 4 * 1024 * 1024;
/** Words of a part and numbers of a part have a cache line of their own. */
const LINE_WORDS = 16;
const LINE_NUMBERS = 8;

/** The first two words are all parts'. */
const BELL = 0;
const FAILED = 1;
/** Then the words of each part: how often it has met the others, and the last window that it has played, or stopped in. */
export const Word = { met: 0, played: 1, paused: 2 } as const;

export function exchangeMemory(parts: number): ExchangeMemory {
  const each = [...Array(parts).keys()];
  return {
    words: new SharedArrayBuffer((parts + 1) * LINE_WORDS * Int32Array.BYTES_PER_ELEMENT),
    numbers: new SharedArrayBuffer(2 * parts * LINE_NUMBERS * Float64Array.BYTES_PER_ELEMENT),
    boxes: each.map((from) =>
      each.map((to) => (from === to ? [] : [new SharedArrayBuffer(BOX_BYTES), new SharedArrayBuffer(BOX_BYTES)])),
    ),
  };
}

/** How one part hears of the others. Waiting functions yield what the bell showed: whoever drives them goes on when it shows something else. */
export class Exchange {
  readonly part: number;
  private readonly parts: number;
  /** The other parts. */
  readonly others: readonly number[];
  private readonly words: Int32Array;
  private readonly numbers: Float64Array;

  constructor({ words, numbers, boxes }: ExchangeMemory, part: number) {
    this.part = part;
    this.parts = boxes.length;
    this.others = [...boxes.keys()].filter((other) => other !== part);
    this.words = new Int32Array(words);
    this.numbers = new Float64Array(numbers);
  }

  /** Numbers of this part, until the next one of the same parity. */
  write(turn: number, index: number, value: number): void {
    this.numbers[this.numberAt(turn, this.part, index)] = value;
  }

  /** The number of each part. */
  read(turn: number, index: number): number[] {
    return Array.from({ length: this.parts }, (_, part) => this.numbers[this.numberAt(turn, part, index)]);
  }

  /** What was written before is there for whoever sees this. */
  say(word: number, value: number): void {
    Atomics.store(this.words, this.wordAt(this.part, word), value);
    this.ring();
  }

  *untilOthers(test: (part: number) => boolean): Generator<number, void> {
    yield* this.wait(() => this.others.every(test));
  }

  *wait(test: () => boolean): Generator<number, void> {
    for (;;) {
      const heard = Atomics.load(this.words, BELL);
      if (Atomics.load(this.words, FAILED) !== 0) throw new Abandoned();
      if (test()) return;
      yield heard;
    }
  }

  wordOf(part: number, word: number): number {
    return Atomics.load(this.words, this.wordAt(part, word));
  }

  /** The other parts end with `Abandoned`. */
  abandon(): void {
    Atomics.store(this.words, FAILED, 1);
    this.ring();
  }

  /** Blocks until the bell shows something else than `heard`: looks at it for a moment, then sleeps. */
  sleep(heard: number, looks: number): void {
    for (let look = 0; look < looks; look++) if (Atomics.load(this.words, BELL) !== heard) return;
    Atomics.wait(this.words, BELL, heard);
  }

  private ring(): void {
    Atomics.add(this.words, BELL, 1);
    Atomics.notify(this.words, BELL);
  }

  private wordAt(part: number, word: number): number {
    return (part + 1) * LINE_WORDS + word;
  }

  private numberAt(turn: number, part: number, index: number): number {
    return (2 * part + (turn & 1)) * LINE_NUMBERS + index;
  }
}
