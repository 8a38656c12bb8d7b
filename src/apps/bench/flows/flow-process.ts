// Tested by test/loopback/bench.test.ts

import type { Forked } from '../../shared/forked.js';
import type { Workbench } from '../workbench.js';
import {
  type FlowsBegin,
  type FlowsFigures,
  type FlowsOrder,
  type FlowsReady,
  type FlowsVerb,
  OPEN_MS,
} from './orders.js';

type GivenOrder = Pick<FlowsOrder, 'role'> & Partial<FlowsOrder>;

const USUAL = { carrier: 'xpass', options: {}, target: '', idealGapNs: null, longestBytes: null } as const;

/** A process with one end of flows. */
export class FlowProcess {
  /** Where a sink listens. */
  readonly address: string;
  /** Why there is no such transport; null where there is. Nothing may be asked of a process without one. */
  readonly missing: string | null;
  private readonly child: Forked;
  private asked = 0;

  private constructor(child: Forked, { address, missing }: FlowsReady) {
    this.child = child;
    this.address = address;
    this.missing = missing;
  }

  /** `name` tells it from others of its role. */
  static async start(bench: Workbench, given: GivenOrder, name: string = given.role): Promise<FlowProcess> {
    const order: FlowsOrder = { ...USUAL, ...given };
    const child = bench.fork(name, 'flows/flows.child.js');
    const ready = child.next<FlowsReady>((message) => 'missing' in message, 'get ready');
    child.tell(order);
    return new FlowProcess(child, await ready);
  }

  /** Has it do something; resolves when it is done. */
  ask(verb: FlowsVerb): Promise<FlowsFigures> {
    return this.child.ask('command', { command: ++this.asked, ...verb }, { takesMs: takesMs(verb) });
  }

  /** Has a sink begin to measure; `{ verb: 'take' }` ends it. */
  async begin(): Promise<void> {
    const begin: FlowsBegin = { command: ++this.asked, verb: 'begin' };
    await this.child.ask('command', begin);
  }
}

/** What a command itself takes before it is answered. */
function takesMs(verb: FlowsVerb): number {
  if (verb.verb === 'messages') return verb.ms;
  return verb.verb === 'idle' || verb.verb === 'bulk' ? OPEN_MS : 0;
}

/** A sink and a source that sends to it directly. */
export interface FlowPair {
  readonly sink: FlowProcess;
  readonly source: FlowProcess;
}

/** Starts both, over xpass unless told otherwise. Returns why not where there is no such transport. */
export async function startPair(
  bench: Workbench,
  order: Partial<Omit<FlowsOrder, 'role'>> = {},
): Promise<FlowPair | string> {
  const sink = await FlowProcess.start(bench, { ...order, role: 'sink' });
  if (sink.missing !== null) return sink.missing;
  const source = await FlowProcess.start(bench, { ...order, role: 'source', target: sink.address });
  return source.missing ?? { sink, source };
}

/** The same over xpass, which is always there. */
export async function startXpassPair(
  bench: Workbench,
  order: Partial<Omit<FlowsOrder, 'role' | 'carrier'>> = {},
): Promise<FlowPair> {
  const pair = await startPair(bench, order);
  if (typeof pair === 'string') throw new Error(pair);
  return pair;
}
