// Tested by test/loopback/bench.test.ts

import '../probe.child.js';
import { carrierOf } from './carriers.js';
import { GapMeter } from './gap-meter.js';
import { MessageMeter } from './message-meter.js';
import type { FlowsBegin, FlowsCommand, FlowsFigures, FlowsOrder, FlowsReady } from './orders.js';
import { type FlowsSource, keepMessagesGoing } from './source.js';

/** One end of flows, over any transport, in a process of its own. Started by flow-process.ts, which tells it what to do. */
class FlowsEnd {
  private readonly meter: MessageMeter;
  private readonly gaps: GapMeter | null;
  private readonly order: FlowsOrder;
  private source: FlowsSource | null = null;
  private sinceMs = performance.now();
  /** Flows of the source that have been told. */
  private told = { done: 0, failed: 0 };

  constructor(order: FlowsOrder) {
    this.order = order;
    this.meter = new MessageMeter(order.longestBytes ?? Number.POSITIVE_INFINITY);
    this.gaps = order.idealGapNs === null ? null : new GapMeter(order.idealGapNs);
  }

  async open(): Promise<FlowsReady> {
    const { order, meter, gaps } = this;
    const carrier = await carrierOf(order.carrier);
    if (typeof carrier === 'string') return { address: '', missing: carrier };
    if (order.role === 'sink') return { address: await carrier.sink(order, meter, gaps), missing: null };
    this.source = await carrier.source(order);
    return { address: '', missing: null };
  }

  /** Begins to measure. Nothing here takes time, so what is measured is undisturbed. */
  begin({ command }: { command: number }): { command: number } {
    this.meter.forget();
    this.gaps?.forget();
    this.sinceMs = performance.now();
    return { command };
  }

  async obey(command: FlowsCommand): Promise<FlowsFigures> {
    const { source } = this;
    if (source !== null && command.verb !== 'take') await carryOut(source, command);
    const arrived = this.meter.take();
    const { done = 0, failed = 0 } = source ?? {};
    const fresh = { done: done - this.told.done, failed: failed - this.told.failed };
    this.told = { done, failed };
    const nowMs = performance.now();
    const seconds = (nowMs - this.sinceMs) / 1e3;
    this.sinceMs = nowMs;
    return {
      command: command.command,
      flows: source === null ? arrived.flows : fresh.done,
      failed: fresh.failed,
      reasons: [...(source?.reasons ?? [])],
      bytes: arrived.bytes,
      seconds,
      completion: arrived.completion,
      gaps: this.gaps?.take() ?? null,
    };
  }
}

async function carryOut(source: FlowsSource, command: FlowsCommand): Promise<void> {
  switch (command.verb) {
    case 'messages':
      return keepMessagesGoing(source, command);
    case 'idle':
      return source.openIdle(command.flows);
    case 'bulk':
      return source.sendEndlessly();
    case 'poisson':
      // Goes on for as long as the process does.
      void source.sendAtRandom(command.bytes, command.flowsPerSecond, command.seed);
  }
}

process.once('message', async (order: FlowsOrder) => {
  const end = new FlowsEnd(order);
  process.on('message', async (message: FlowsBegin | FlowsCommand | { probe: number }) => {
    if ('command' in message) process.send?.(message.verb === 'begin' ? end.begin(message) : await end.obey(message));
  });
  process.send?.(await end.open());
});
// A terminal interrupts this process too; whoever started it says when it is over.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(0));
