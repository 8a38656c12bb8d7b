// Tested by test/loopback/lab.test.ts

import type { Application } from '../../core/application.js';
import { type EndpointConfig, endpointConfig } from '../../core/config.js';
import { Endpoint } from '../../core/endpoint.js';
import { XpassError } from '../../core/errors.js';
import { Host } from '../../core/host.js';
import { DEFAULT_SWITCH_PORT } from '../../net/host-settings.js';
import { Port } from '../../switch/port.js';
import { parseAddress } from '../../udp/address.js';
import { type HostParts, UdpHost } from '../../udp/host-driver.js';
import { TIMER_SLACK_NS } from '../../udp/wake-policy.js';
import { markSeldom } from '../shared/collector.js';
import { resolveOptions } from '../shared/options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';

import type { HostOrder } from './messages.js';

/** A host of a lab on its socket, and the NIC whose counts the lab wants. */
export interface LabHost {
  readonly transport: UdpHost<Host>;
  readonly nic: Port;
}

/** How soon a host asks again for a port that is still kept for the process that had it. */
const RETRY_MS = 50;

/** Attaches to the switch. Throws XpassError as `UdpHost.open` does; `attach` only after `attachWithinNs`. */
export async function openLabHost(
  order: HostOrder,
  application: Application,
  onDetached: (error: XpassError) => void,
): Promise<LabHost> {
  markSeldom();
  const giveUpMs = performance.now() + order.attachWithinNs / 1e6;
  for (;;) {
    try {
      return await attach(order, application, onDetached);
    } catch (error) {
      const isKept = error instanceof XpassError && error.code === 'attach';
      if (!isKept || performance.now() >= giveUpMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

async function attach(
  order: HostOrder,
  application: Application,
  onDetached: (error: XpassError) => void,
): Promise<LabHost> {
  const nic = new Port(order.nic);
  const transport = await UdpHost.open<Host>({
    switchAddress: parseAddress(order.switchAddress, { port: DEFAULT_SWITCH_PORT }),
    hostId: order.hostId,
    // Many processes on few cores: spinning ones would keep the others from running.
    spin: 'never',
    onDetached,
    makeMachine: (parts) => {
      const { random, check, pool } = parts;
      return new Host(new Endpoint(deployedConfig(parts, order.endpoint), { random, check, pool, application }), nic);
    },
  });
  return { transport, nic };
}

/** The settings of a host as the commands run it, with what the scenario says instead. */
function deployedConfig({ link, hostCredits }: HostParts, changes: Partial<EndpointConfig>): EndpointConfig {
  const { queueBound, jitter, receiveWindow } = resolveOptions(TRANSPORT_OPTIONS, new Map());
  return endpointConfig({
    frameBytes: link.maxFrameBytes,
    queueBoundNs: queueBound,
    queueBoundRtts: 1 / 4,
    jitter,
    receiveWindowBytes: receiveWindow,
    timerSlackNs: TIMER_SLACK_NS,
    ...changes,
    hostId: link.hostId,
    rateBps: link.rateBps,
    // What the socket's buffer does not hold, no scenario makes it hold.
    hostCredits: Math.min(hostCredits, changes.hostCredits ?? Number.POSITIVE_INFINITY),
  });
}
