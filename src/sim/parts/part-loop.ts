// Tested by test/sim/parts/parts.test.ts
import { NEVER } from '../../base/time.js';
import type { Clockwork } from '../clockwork.js';
import type { Network } from '../network.js';
import { type Exchange, Word } from './exchange.js';

/** Numbers that parts tell each other: when something happens next, when a part stopped, and what `greatest` asks for. */
const Told = { nextNs: 0, pausedNs: 1, value: 2 } as const;

export interface PartLoopOptions {
  readonly network: Network;
  readonly exchange: Exchange;
  readonly windowNs: number;
  /** Ends the boxes of a round; returns when the first frame in them arrives. */
  readonly close: (round: number) => number;
  /** Begins those of a round, and takes what the others put into those of the round before. */
  readonly open: (round: number) => void;
  readonly onWindow: (nowNs: number) => void;
}

/**
 * Plays a part in windows of virtual time. No effect of a window reaches another part before the next window. The run ends when no part has flows left: a part
 * without flows waits in its window until another part has played its own, or until all parts wait.
 */
export class PartLoop implements Clockwork {
  private readonly options: PartLoopOptions;
  private readonly exchange: Exchange;
  /** Meetings so far: the number of a window too. */
  private window = 0;
  /** Boxes that were opened so far. */
  private round = 0;

  constructor(options: PartLoopOptions) {
    this.options = options;
    this.exchange = options.exchange;
  }

  *run(untilNs: number, left: () => number): Generator<number, number> {
    const { network, windowNs, onWindow } = this.options;
    for (;;) {
      const startNs = yield* this.nextWindow();
      if (startNs > untilNs || startNs === NEVER) return network.run(untilNs);
      const endedNs = yield* this.playWindow(Math.min(untilNs, startNs + windowNs), left);
      if (endedNs !== null) return endedNs;
      onWindow(network.nowNs);
    }
  }

  *greatest(value: number): Generator<number, number> {
    const values = yield* this.tell(Told.value, value);
    return Math.max(...values);
  }

  /** Parts meet and give each other their frames; returns when something happens next anywhere. */
  private *nextWindow(): Generator<number, number> {
    const { network, close, open } = this.options;
    const sentNs = close(this.round);
    const nextNs = yield* this.tell(Told.nextNs, Math.min(network.nextNs, sentNs));
    open(++this.round);
    return Math.min(...nextNs);
  }

  /** One number of each part, once all have come here. */
  private *tell(what: number, value: number): Generator<number, number[]> {
    const { exchange } = this;
    const turn = ++this.window;
    exchange.write(turn, what, value);
    exchange.say(Word.met, turn);
    yield* exchange.untilOthers((part) => exchange.wordOf(part, Word.met) >= turn);
    return exchange.read(turn, what);
  }

  /** Returns the time at which the run ended in this window; null where it has not. */
  private *playWindow(endNs: number, left: () => number): Generator<number, number | null> {
    const { exchange, window } = this;
    const pausedNs = left() === 0 ? Number.NEGATIVE_INFINITY : this.options.network.run(endNs);
    if (left() === 0) {
      exchange.write(window, Told.pausedNs, pausedNs);
      exchange.say(Word.paused, window);
      const isOn = (): boolean => exchange.others.some((part) => exchange.wordOf(part, Word.played) >= window);
      const isOver = (part: number): boolean => exchange.wordOf(part, Word.paused) >= window;
      yield* exchange.wait(() => isOn() || exchange.others.every(isOver));
      if (!isOn()) return this.playTo(Math.max(...exchange.read(window, Told.pausedNs)));
      this.playTo(endNs);
    }
    exchange.say(Word.played, window);
    return null;
  }

  /** Goes on when a flow's end stops the network. */
  private playTo(untilNs: number): number {
    while (this.options.network.run(untilNs) < untilNs);
    return untilNs;
  }
}
