import type * as nodeNet from 'node:net';
import type { Tools } from './tools.js';

/** What both modules have to have. */
export type NetModule = Pick<typeof nodeNet, 'connect' | 'createConnection' | 'createServer' | 'Socket' | 'Server'>;

/** One of the two modules that the cases run against. */
export interface Subject {
  /** As users import it. */
  readonly name: 'node:net' | 'xpass/net';
  readonly net: NetModule;
  /** What a child process imports. */
  readonly url: string;
  /** Open streams in this process. */
  openStreams(): Promise<number>;
  /** A port of 127.0.0.1 at which nobody listens. */
  unusedPort(): Promise<number>;
}

export type Value = string | number | boolean | null | readonly Value[];

/** What a case saw: order of events, values, codes of errors. Never a time, a chosen port, or a count that chance decides. */
export type Observation = Readonly<Record<string, Value>>;

export interface Difference {
  /** What xpass/net does; the table has it beside what node:net does. */
  readonly ours: Observation;
  /** One sentence: why it is so on purpose. */
  readonly why: string;
}

/** One behaviour, shown by either module. */
export interface Case {
  /** A sentence about the behaviour; the table of docs/CONFORMANCE.md begins its row with it. */
  readonly name: string;
  run(net: NetModule, tools: Tools): Promise<Observation>;
  /** A case without it is the same on both. */
  readonly differs?: Difference;
}

/** A chapter of the table. */
export interface Chapter {
  readonly title: string;
  readonly cases: readonly Case[];
}
