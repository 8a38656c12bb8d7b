// Tested by test/loopback/udp-host.test.ts
import { availableParallelism } from 'node:os';
import { monotonicNs } from './clock.js';
import { type EventLoop, nodeLoop, reduceTimerSlack } from './wake.js';
import { type Spin, WakePolicy } from './wake-policy.js';

/** How a driver waits. */
export interface WaitOptions {
  /** `auto` by default. */
  spin?: Spin;
  /** Short naps where deadlines are near and datagrams are rare; on by default. */
  nap?: boolean;
  /** `DEFAULT_EARLY_NS` by default. */
  earlyNs?: number;
}

/** The policy and the loop for these options on this machine. */
export function prepareWaiting({ spin = 'auto', nap = true }: WaitOptions): { policy: WakePolicy; loop: EventLoop } {
  if (nap) reduceTimerSlack();
  return { policy: new WakePolicy({ spin, nap, cores: availableParallelism() }), loop: nodeLoop(monotonicNs) };
}
