// Tested by test/loopback/bench.test.ts

import type { Program, Workbench } from '../workbench.js';
import { type FlowsFigures, type FlowsOrder, type FlowsReady, type FlowsVerb, OPEN_MS } from './orders.js';

type GivenOrder = Pick<FlowsOrder, 'role'> & Partial<FlowsOrder>;
type PairOrder = Partial<Omit<FlowsOrder, 'role'>>;

const USUAL = {
  carrier: 'xpass',
  options: {},
  target: '',
  idealGapNs: null,
  messageBytes: null,
  longestBytes: null,
} as const;

/** A process with one end of flows. */
export class FlowProcess {
  /** Where a sink listens. */
  readonly address: string;
  /** Why there is no such transport; null where there is. Nothing may be asked of a process without one. */
  readonly missing: string | null;
  private readonly program: Program<FlowsReady>;

  private constructor(program: Program<FlowsReady>) {
    this.program = program;
    this.address = program.ready.address;
    this.missing = program.ready.missing;
  }

  /** `name` tells it from others of its role. */
  static async start(bench: Workbench, given: GivenOrder, name: string = given.role): Promise<FlowProcess> {
    const order: FlowsOrder = { ...USUAL, ...given };
    return new FlowProcess(await bench.open(name, order, 0, 'flows/flows'));
  }

  /** Has it do something; resolves when it is done. */
  ask(verb: FlowsVerb): Promise<FlowsFigures> {
    return this.program.ask(verb, takesMs(verb));
  }

  /** Has a sink begin to measure; `{ verb: 'take' }` ends it. */
  async begin(): Promise<void> {
    await this.ask({ verb: 'begin' });
  }
}

/** What a command itself takes before it is answered. */
function takesMs(verb: FlowsVerb): number {
  if (verb.verb === 'messages' || verb.verb === 'row') return verb.ms;
  return verb.verb === 'idle' || verb.verb === 'bulk' ? OPEN_MS : 0;
}

/** A sink and a source that sends to it directly. */
export interface FlowPair {
  readonly sink: FlowProcess;
  readonly source: FlowProcess;
}

/** Starts both, over xpass unless told otherwise. Returns why not where there is no such transport. */
export async function startPair(bench: Workbench, order: PairOrder = {}): Promise<FlowPair | string> {
  const sink = await FlowProcess.start(bench, { ...order, role: 'sink' });
  if (sink.missing !== null) return sink.missing;
  const source = await FlowProcess.start(bench, { ...order, role: 'source', target: sink.address });
  return source.missing ?? { sink, source };
}

/** The same over xpass, which is always there. */
export async function startXpassPair(bench: Workbench, order: Omit<PairOrder, 'carrier'> = {}): Promise<FlowPair> {
  const pair = await startPair(bench, order);
  if (typeof pair === 'string') throw new Error(pair);
  return pair;
}

/** What the sink measures while flows send endlessly, after the warm-up. */
export async function measureBulk(
  bench: Workbench,
  { source, sink }: FlowPair,
  seconds = bench.settings.seconds,
): Promise<FlowsFigures> {
  await source.ask({ verb: 'bulk' });
  await bench.sleep(bench.warmUpSeconds);
  await sink.begin();
  await bench.sleep(seconds);
  return sink.ask({ verb: 'take' });
}

/** Their goodput, bit/s. */
export async function goodputOf(bench: Workbench, pair: FlowPair, leastSeconds = 0): Promise<number> {
  const { bytes, seconds } = await measureBulk(bench, pair, bench.secondsOf(leastSeconds));
  return (bytes * 8) / seconds;
}

/** Messages of a size, and how many are under way at a time. */
export interface Talk {
  readonly bytes: number;
  readonly parallel: number;
  /** On one flow that stays open, a millisecond or more apart; the sink was told of `messageBytes`. */
  readonly isRow?: boolean;
}

/** What both ends tell of a talk. */
export interface Exchanged {
  readonly source: FlowsFigures;
  readonly sink: FlowsFigures;
}

/** Messages between the two, measured after the warm-up. */
export async function timeMessages(bench: Workbench, { source, sink }: FlowPair, talk: Talk): Promise<Exchanged> {
  const verb = talk.isRow === true ? 'row' : 'messages';
  await source.ask({ verb, ...talk, ms: bench.warmUpSeconds * 1e3 });
  await sink.begin();
  const sent = await source.ask({ verb, ...talk, ms: bench.settings.seconds * 1e3 });
  return { source: sent, sink: await sink.ask({ verb: 'take' }) };
}
