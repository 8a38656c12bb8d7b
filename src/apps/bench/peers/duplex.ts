// Tested by test/loopback/bench.test.ts

import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { PeerStream, StreamReader } from './stream-carrier.js';

/** The writing end of a stream of Node's kind. */
export function duplexStream(duplex: Duplex): PeerStream {
  return {
    write: async (bytes) => {
      if (!duplex.write(bytes)) await once(duplex, 'drain');
    },
    end: async () => {
      const closed = once(duplex, 'close');
      duplex.end();
      // What the other side might say is not read otherwise, and the stream would never close.
      duplex.resume();
      await closed;
    },
  };
}

/** Reads a stream that comes to its end, and ends it as well. A stream that breaks off was its writer's to count. */
export function readDuplex(duplex: Duplex, reader: StreamReader): void {
  duplex.on('data', (bytes: Uint8Array) => reader.onData(bytes));
  duplex.on('end', () => {
    reader.onEnd();
    duplex.end();
  });
  duplex.on('error', () => undefined);
}
