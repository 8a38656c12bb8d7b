// Tested by test/loopback/bench.test.ts

import { type Application, REFUSE_ALL } from '../../../core/application.js';
import { formatAddress } from '../../../udp/address.js';
import { keepYoungGenerationSmall } from '../../shared/collector.js';
import { createLogger } from '../../shared/logger.js';
import { resolveOptions } from '../../shared/options.js';
import { openTransport, parseTarget, peerOf, type TransportOptions } from '../../shared/transport.js';
import { TRANSPORT_OPTIONS } from '../../shared/transport-options.js';
import type { FlowsCarrier } from './carrier.js';
import type { FlowsOrder } from './orders.js';
import { XpassSink } from './xpass-sink.js';
import { XpassSource } from './xpass-source.js';

/** Port 0 is any that is free. */
const LISTEN = { host: '127.0.0.1', port: 0 };

/** Our own transport, with the options that its commands have. */
export const XPASS: FlowsCarrier = {
  sink: async (order, meter, gaps) => {
    const sink = new XpassSink(meter, gaps);
    const transport = await openTransport({ ...(await transportOptions(order, sink)), listen: LISTEN });
    sink.transport = transport;
    return formatAddress(transport.info.local);
  },
  source: async (order) => {
    const options = await transportOptions(order, REFUSE_ALL);
    const target = parseTarget(order.target, options.values.switch !== undefined);
    return new XpassSource(await openTransport({ ...options, target }), peerOf(target));
  },
};

async function transportOptions(
  { options }: FlowsOrder,
  application: Application,
): Promise<Pick<TransportOptions, 'values' | 'application' | 'logger'>> {
  // As in the processes of its commands.
  keepYoungGenerationSmall();
  const given = new Map(Object.entries(options).map(([name, value]) => [name, [value]]));
  // That nobody listens any more is no news at the end of a benchmark.
  const logger = createLogger({ name: 'xpass bench', level: 'error', format: 'text', stream: process.stderr });
  return { values: resolveOptions(TRANSPORT_OPTIONS, given), application, logger };
}
