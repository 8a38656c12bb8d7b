// Tested by test/loopback/tunnel.test.ts

import type { CreditChoice, FlowReader } from '../../core/application.js';
import type { ReceiverFlow } from '../../core/receiver-flow.js';
import { Host, type HostParts } from '../../net/host.js';
import { markSeldom } from '../shared/collector.js';
import type { ServiceHost } from '../shared/service-host.js';
import type { Transport } from '../shared/transport.js';

/** A host whose streams go to one registry and whose one-way flows to another, which still works on the driver itself. */
class DaemonHost extends Host {
  private readonly flowServices: ServiceHost;

  constructor(parts: HostParts, flowServices: ServiceHost) {
    super(parts.settings);
    this.flowServices = flowServices;
  }

  override acceptFlow(flow: ReceiverFlow): FlowReader | null {
    const reader = flow.isDuplex || flow.pairedFlowId !== 0 ? super.acceptFlow(flow) : null;
    // Flows of perf's data name a flow of the peer's as their pair, which is no answer to a stream of ours.
    return reader === null && !flow.isDuplex ? this.flowServices.acceptFlow(flow) : reader;
  }

  override creditChoice(peer: number, pairedFlowId: number): CreditChoice | null {
    return this.flowServices.creditChoice(peer, pairedFlowId);
  }
}

/** Opens the daemon's host. Throws XpassError as `openHost` does. */
export async function openDaemonHost(
  parts: HostParts,
  flowServices: ServiceHost,
): Promise<{ host: Host; transport: Transport }> {
  markSeldom();
  const host = new DaemonHost(parts, flowServices);
  await host.assemble(parts);
  return { host, transport: (host as unknown as { driver: Transport }).driver };
}
