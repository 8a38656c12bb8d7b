// Tested by test/loopback/bench.test.ts

import { serve } from '../child-program.js';
import { type FlowsCarrier, type FlowsSource, keepMessagesGoing, sendInRow } from './carrier.js';
import { GapMeter, MessageMeter } from './meters.js';
import type { Carrier, FlowsFigures, FlowsOrder, FlowsReady, FlowsVerb } from './orders.js';

/** The transport of this name, or why there is none on this machine. Each is loaded only when it is wanted. */
async function carrierOf(carrier: Carrier): Promise<FlowsCarrier | string> {
  switch (carrier) {
    case 'xpass':
      return (await import('./xpass.js')).XPASS;
    case 'tcp':
      return (await import('../peers/tcp.js')).TCP_CARRIER;
    case 'utp':
      return (await import('../peers/load-peer.js')).loadUtp();
    case 'quic':
      return (await import('../peers/quic.js')).loadQuic();
  }
}

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
    this.meter = new MessageMeter(order);
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

  async obey(command: FlowsVerb): Promise<FlowsFigures | undefined> {
    if (command.verb === 'begin') {
      this.begin();
      return undefined;
    }
    const { source } = this;
    if (source !== null) await carryOut(source, command);
    const arrived = this.meter.take();
    const { done = 0, failed = 0 } = source ?? {};
    const fresh = { done: done - this.told.done, failed: failed - this.told.failed };
    this.told = { done, failed };
    const nowMs = performance.now();
    const seconds = (nowMs - this.sinceMs) / 1e3;
    this.sinceMs = nowMs;
    return {
      flows: source === null ? arrived.flows : fresh.done,
      failed: fresh.failed,
      reasons: [...(source?.reasons ?? [])],
      bytes: arrived.bytes,
      seconds,
      completion: arrived.completion,
      gaps: this.gaps?.take() ?? null,
    };
  }

  /** Nothing here takes time, so what is measured is undisturbed. */
  private begin(): void {
    this.meter.forget();
    this.gaps?.forget();
    this.sinceMs = performance.now();
  }
}

async function carryOut(source: FlowsSource, command: FlowsVerb): Promise<void> {
  switch (command.verb) {
    case 'messages':
      return keepMessagesGoing(source, command);
    case 'row':
      return sendInRow(source, command);
    case 'idle':
      return source.openIdle(command.flows);
    case 'bulk':
      return source.sendEndlessly();
    case 'poisson':
      // Goes on for as long as the process does.
      void source.sendAtRandom(command.bytes, command.flowsPerSecond, command.seed);
  }
}

serve(async (order: FlowsOrder) => {
  const end = new FlowsEnd(order);
  return { ready: await end.open(), obey: (command: FlowsVerb) => end.obey(command) };
});
