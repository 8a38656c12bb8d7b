// Tested by test/loopback/bench.test.ts

import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { openHost } from '../../../net/host.js';
import { formatAddress } from '../../../udp/address.js';
import { keepYoungGenerationSmall, markSeldom } from '../../shared/collector.js';
import type { StreamKind } from './orders.js';

const LOOPBACK = '127.0.0.1';

/** Streams of one kind; what was written to one before its peer has taken it goes with the opening. */
export interface DuplexTransport {
  /** Returns where it listens. */
  listen(accept: (stream: Duplex) => void): Promise<string>;
  /** Returns what opens streams to that place. */
  dial(target: string): Promise<() => Duplex>;
}

/** Streams over xpass with the options of a program that gives none but the frame size, or TCP of the operating system by `node:net`. */
export function transportOf(kind: StreamKind, frameBytes: number): DuplexTransport {
  return kind === 'tcp' ? TCP : xpassStreams(frameBytes);
}

function xpassStreams(frameSize: number): DuplexTransport {
  // As in the processes of the one-way flows beside them.
  keepYoungGenerationSmall();
  markSeldom();
  return {
    listen: async (accept) => {
      const host = await openHost({ frameSize });
      host.serve(accept);
      return formatAddress(host.local);
    },
    dial: async (target) => {
      const host = await openHost({ frameSize, peer: target });
      return () => host.createStream(target);
    },
  };
}

/** Without Nagle's wait. */
const TCP: DuplexTransport = {
  listen: async (accept) => {
    const server = createServer({ noDelay: true }, accept);
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    return String((server.address() as AddressInfo).port);
  },
  dial: async (target) => () => connect({ port: Number(target), host: LOOPBACK, noDelay: true }),
};
