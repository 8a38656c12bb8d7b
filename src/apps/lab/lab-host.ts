// Tested by test/loopback/lab.test.ts

import { XpassError } from '../../core/errors.js';
import { type Host, openHostOf } from '../../net/host.js';
import { hostSettings } from '../../net/host-settings.js';
import { markSeldom } from '../shared/collector.js';
import type { HostOrder } from './messages.js';

/** How soon a host asks again for a port that is still kept for the process that had it. */
const RETRY_MS = 50;

/** Attaches to the switch. Throws XpassError as `openHost` does; `attach` only after `attachWithinNs`. */
export async function openLabHost(order: HostOrder): Promise<Host> {
  markSeldom();
  const giveUpMs = performance.now() + order.attachWithinNs / 1e6;
  for (;;) {
    try {
      return await attach(order);
    } catch (error) {
      const isKept = error instanceof XpassError && error.code === 'attach';
      if (!isKept || performance.now() >= giveUpMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** A host as the commands run it, with what the scenario says instead. */
function attach({ switchAddress, hostId, endpoint, nic }: HostOrder): Promise<Host> {
  return openHostOf({
    settings: hostSettings({
      switch: switchAddress,
      hostId,
      // Many processes on few cores: spinning ones would keep the others from running.
      spin: 'never',
      speculative: false,
    }),
    overrides: { endpoint, nic },
  });
}
