// Tested by test/loopback/bench.test.ts

import type { FlowsCarrier } from './carrier.js';
import type { Carrier } from './orders.js';

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
