// Tested by test/loopback/bench.test.ts

import type { FlowsCarrier } from '../flows/carrier.js';
import { stamped } from '../flows/shared-clock.js';
import type { FlowsSource } from '../flows/source.js';

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
  /** Takes streams at a free port of loopback from now on; returns the port. */
  listen(accept: () => StreamReader): Promise<number>;
  /** Returns what opens streams to that port, each a flow of its own. */
  dial(port: number): Promise<() => Promise<PeerStream>>;
}

/** One write, as large as those of xpass's own source. */
const CHUNK = new Uint8Array(65_536);

/** Flows over another transport. */
export function streamCarrier(peer: PeerTransport): FlowsCarrier {
  return {
    sink: async (_order, meter) => String(await peer.listen(() => meter.open())),
    source: async ({ target }) => new StreamSource(await peer.dial(Number(target))),
  };
}

class StreamSource implements FlowsSource {
  done = 0;
  failed = 0;
  readonly reasons = new Set<string>();
  private readonly open: () => Promise<PeerStream>;

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
