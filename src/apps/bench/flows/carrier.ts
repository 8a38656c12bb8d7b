// Tested by test/loopback/bench.test.ts

import type { GapMeter } from './gap-meter.js';
import type { MessageMeter } from './message-meter.js';
import type { FlowsOrder } from './orders.js';
import type { FlowsSource } from './source.js';

/** A transport, as far as flows need it. */
export interface FlowsCarrier {
  /** Takes flows from now on; returns where it listens. */
  sink(order: FlowsOrder, meter: MessageMeter, gaps: GapMeter | null): Promise<string>;
  source(order: FlowsOrder): Promise<FlowsSource>;
}
