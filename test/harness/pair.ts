import { MICROSECOND_NS, SECOND_NS } from '../../src/base/time.js';
import type { EndpointConfig } from '../../src/core/config.js';
import { Sink, Source } from './streams.js';
import { World } from './world.js';

/** One way from host to host. */
export const DELAY_NS = 50 * MICROSECOND_NS;

/** Hosts 0 and 1, either of which takes flows. */
export class Pair extends World {
  readonly sinks: readonly [Sink, Sink];

  constructor(seed: number, changes: Partial<EndpointConfig> = {}, slow = false) {
    super(seed, DELAY_NS);
    this.sinks = [new Sink(this, slow), new Sink(this, slow)];
    for (const sink of this.sinks) this.addHost({ rateBps: 100e6, ...changes }, sink);
  }

  /** Opens `flows` flows from host `from` to the other, each of `bytes` bytes. */
  start(bytes: number, flows = 1, from = 0): Source[] {
    return Array.from({ length: flows }, () => new Source(this, bytes).start(from, 1 - from));
  }

  /** Plays until every flow of `sources` is closed, for `seconds` at most; returns the time that it took. */
  runUntilClosed(sources: readonly Source[], seconds: number): number {
    const startNs = this.nowNs;
    const untilNs = startNs + seconds * SECOND_NS;
    while (this.nowNs < untilNs && sources.some((source) => source.closed === undefined)) {
      this.run(Math.min(untilNs, this.nowNs + SECOND_NS / 200));
    }
    return this.nowNs - startNs;
  }

  get closings(): (string | undefined)[] {
    return this.sinks.flatMap((sink) => sink.readers.map((reader) => outcome(reader.closed)));
  }
}

/** `in order`, the code of the error, or undefined while the flow is open. */
export function outcome(closed: { code: string } | null | undefined): string | undefined {
  return closed === null ? 'in order' : closed?.code;
}

/** The kinds of flows that have to survive the same things, with what their hosts are told. */
export const KINDS: readonly { kind: string; changes: Partial<EndpointConfig> }[] = [
  { kind: 'credited', changes: {} },
  { kind: 'speculative', changes: { speculativeRttNs: 1e6 } },
  { kind: 'speculative as far as proved', changes: { speculativeRttNs: 1e6, unprovedFrames: 2 } },
  { kind: 'filled', changes: { frameChunks: 64 } },
  { kind: 'dctcp', changes: { windowAlgorithm: 'dctcp' } },
  { kind: 'swift', changes: { windowAlgorithm: 'swift' } },
];
