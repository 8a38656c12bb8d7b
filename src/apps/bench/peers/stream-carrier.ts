// Tested by test/loopback/bench.test.ts

import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { FlowsCarrier, FlowsSource } from '../flows/carrier.js';
import { stamped } from '../flows/meters.js';

export const LOOPBACK = '127.0.0.1';

/** A stream of another transport that somebody writes. */
export interface PeerStream {
  /** Resolves when there is room for more. Rejects when the stream fails. */
  write(bytes: Uint8Array): Promise<void>;
  /** No more is written. Resolves when the stream is over. */
  end(): Promise<void>;
}

/** What is told of a stream that comes. */
export interface StreamReader {
  onData(bytes: Uint8Array): void;
  onEnd(): void;
}

/** Another transport: what it takes to do the same work on it. */
export interface PeerTransport {
  /** Takes streams from now on; returns where. */
  listen(accept: () => StreamReader): Promise<string>;
  /** Returns what opens streams to that place, each a flow of its own. */
  dial(target: string): Promise<() => Promise<PeerStream>>;
}

/** A transport whose streams are Node's. */
export interface DuplexTransport {
  /** Takes streams at a free port of loopback from now on; returns where. */
  listen(accept: (stream: Duplex) => void): Promise<string>;
  /** Returns what opens streams to that place; each emits `connect`. */
  dial(target: string): Promise<() => Duplex>;
}

/** One write, as large as those of xpass's own source and of a file's read by `pipeline`. */
export const CHUNK = new Uint8Array(65_536);

/** Flows over a transport of Node's streams, one each. */
export function duplexCarrier(transport: DuplexTransport): FlowsCarrier {
  return streamCarrier({
    listen: (accept) => transport.listen((duplex) => readDuplex(duplex, accept())),
    dial: async (target) => {
      const open = await transport.dial(target);
      return async () => {
        const duplex = open();
        await once(duplex, 'connect');
        return duplexStream(duplex);
      };
    },
  });
}

/** The writing end of a stream of Node's kind. */
function duplexStream(duplex: Duplex): PeerStream {
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
function readDuplex(duplex: Duplex, reader: StreamReader): void {
  duplex.on('data', (bytes: Uint8Array) => reader.onData(bytes));
  duplex.on('end', () => {
    reader.onEnd();
    duplex.end();
  });
  duplex.on('error', () => undefined);
}

/** Flows over another transport. */
export function streamCarrier(peer: PeerTransport): FlowsCarrier {
  return {
    sink: (_order, meter) => peer.listen(() => meter.open()),
    source: async ({ target }) => new StreamSource(await peer.dial(target)),
  };
}

class StreamSource implements FlowsSource {
  done = 0;
  failed = 0;
  readonly reasons = new Set<string>();
  private readonly open: () => Promise<PeerStream>;
  private row: PeerStream | null = null;

  constructor(open: () => Promise<PeerStream>) {
    this.open = open;
  }

  async message(bytes: number): Promise<void> {
    try {
      const message = stamped(bytes);
      const stream = await this.open();
      await stream.write(message);
      await stream.end();
      this.done++;
    } catch (error) {
      this.failed++;
      this.reasons.add(String((error as { code?: unknown }).code ?? error).split('\n')[0]);
    }
  }

  async messageInRow(bytes: number): Promise<void> {
    this.row ??= await this.open();
    await this.row.write(stamped(bytes));
    this.done++;
  }

  /** Sends until the process ends; what fails then fails with it. */
  async sendEndlessly(): Promise<void> {
    const stream = await this.open();
    await stream.write(stamped(CHUNK.length));
    const pump = async (): Promise<void> => {
      for (;;) await stream.write(CHUNK);
    };
    void pump();
  }

  openIdle(): Promise<void> {
    return Promise.reject(new Error('idle flows are measured over xpass alone'));
  }

  sendAtRandom(): Promise<void> {
    return Promise.reject(new Error('flows at random are measured over xpass alone'));
  }
}
