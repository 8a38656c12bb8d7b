// Tested by test/loopback/bench.test.ts

import { type Host, openHostOf } from '../../../net/host.js';
import type { HostPlace } from '../../../net/host-settings.js';
import { parsePeer } from '../../../net/peer-name.js';
import { formatAddress } from '../../../udp/address.js';
import { keepYoungGenerationSmall, markSeldom } from '../../shared/collector.js';
import { resolveOptions } from '../../shared/options.js';
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
    const host = await open(order, { listen: LISTEN });
    const sink = new XpassSink(meter, gaps);
    host.acceptReceivers((receiver) => sink.accept(receiver));
    return formatAddress(host.local);
  },
  source: async (order) => {
    const { target, options } = order;
    const peer = parsePeer(target, options.switch !== undefined);
    const host = await open(order, typeof peer === 'number' ? {} : { peer });
    return new XpassSource(host, await host.resolve(target));
  },
};

/** What a log would have is left out: that nobody listens any more is no news at the end of a benchmark. */
function open({ options }: FlowsOrder, place: HostPlace): Promise<Host> {
  // As in the processes of the commands.
  keepYoungGenerationSmall();
  markSeldom();
  const given = new Map(Object.entries(options).map(([name, value]) => [name, [value]]));
  return openHostOf({ settings: resolveOptions(TRANSPORT_OPTIONS, given), place });
}
