// Tested by test/loopback/bench.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import type { GapMeter, MessageMeter } from './meters.js';
import type { FlowsOrder } from './orders.js';

/** Between messages of a row (ours): the least that a timer of Node.js waits. */
const ROW_PAUSE_MS = 1;

/** The end of flows that sends, over any transport. */
export interface FlowsSource {
  /** Messages that are over, with everything delivered, and those that failed. */
  readonly done: number;
  readonly failed: number;
  /** Why, in a word each. */
  readonly reasons: ReadonlySet<string>;
  /** One message on a flow of its own, which begins with the time; resolves when the flow is over. */
  message(bytes: number): Promise<void>;
  /** One message on the flow that stays open for them; it begins with the time. */
  messageInRow(bytes: number): Promise<void>;
  /** Opens flows until this number is open. */
  openIdle(count: number): Promise<void>;
  /** Sends without end on the flows that are open, on a new one without any. */
  sendEndlessly(): Promise<void>;
  /** Messages that begin at random; resolves never. */
  sendAtRandom(bytes: number, flowsPerSecond: number, seed: number): Promise<void>;
}

/** Keeps `parallel` messages under way for `ms`, and waits for the last of them. */
export async function keepMessagesGoing(
  source: FlowsSource,
  { bytes, parallel, ms }: { readonly bytes: number; readonly parallel: number; readonly ms: number },
): Promise<void> {
  const endMs = performance.now() + ms;
  const one = async (): Promise<void> => {
    while (performance.now() < endMs) await source.message(bytes);
  };
  await Promise.all(Array.from({ length: parallel }, one));
}

/** Sends messages on one flow for `ms`. A pause between them lets nearly each arrive before the next: a stream of TCP does not tell when it has. */
export async function sendInRow(
  source: FlowsSource,
  { bytes, ms }: { readonly bytes: number; readonly ms: number },
): Promise<void> {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs) {
    await source.messageInRow(bytes);
    await sleep(ROW_PAUSE_MS);
  }
}

/** A transport, as far as flows need it. */
export interface FlowsCarrier {
  /** Takes flows from now on; returns where it listens. */
  sink(order: FlowsOrder, meter: MessageMeter, gaps: GapMeter | null): Promise<string>;
  source(order: FlowsOrder): Promise<FlowsSource>;
}
