// Tested by test/loopback/bench.test.ts

import type { GapMeter } from './gap-meter.js';
import type { MessageMeter } from './message-meter.js';
import type { Carrier, FlowsOrder } from './orders.js';
import type { FlowsSource } from './source.js';

/** A transport, as far as flows need it. */
export interface FlowsCarrier {
  /** Takes flows from now on; returns where it listens. */
  sink(order: FlowsOrder, meter: MessageMeter, gaps: GapMeter | null): Promise<string>;
  source(order: FlowsOrder): Promise<FlowsSource>;
}

/** The transport of this name, or why there is none on this machine. Each is loaded only when it is wanted. */
export async function carrierOf(carrier: Carrier): Promise<FlowsCarrier | string> {
  switch (carrier) {
    case 'xpass':
      return (await import('./xpass-carrier.js')).XPASS;
    case 'tcp':
      return (await import('../peers/tcp.js')).TCP;
    case 'utp':
      return (await import('../peers/utp.js')).loadUtp();
    case 'quic':
      return (await import('../peers/quic.js')).loadQuic();
  }
}
