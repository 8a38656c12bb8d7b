// Tested by test/loopback/bench.test.ts

import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { DurationHistogram } from '../../shared/perf/histogram.js';

/** One write of a stream that sends without end: the size of a file's read by `pipeline`. */
const CHUNK = new Uint8Array(65_536);

/** Work for a client, measured where it is done: no clock is shared with the server. */
interface Work {
  readonly bytes: number;
  readonly ms: number;
}

/** The end of streams that opens them. Rejects, or ends the process, where a stream fails. */
export class StreamClient {
  readonly times = new DurationHistogram();
  private readonly open: () => Duplex;
  private stream: Duplex | null = null;

  constructor(open: () => Duplex) {
    this.open = open;
  }

  /** Goes on until the process ends. */
  async sendEndlessly(): Promise<void> {
    const stream = this.open();
    await once(stream, 'connect');
    const pump = (): void => {
      while (stream.write(CHUNK));
    };
    stream.on('drain', pump);
    pump();
  }

  /** Requests on one stream, which stays open. */
  async exchange({ bytes, ms }: Work): Promise<void> {
    this.stream ??= await this.opened();
    const { stream, times } = this;
    const request = new Uint8Array(bytes);
    const endMs = performance.now() + ms;
    await new Promise<void>((resolve) => {
      let sentMs = 0;
      let missing = 0;
      const ask = (): void => {
        missing = bytes;
        sentMs = performance.now();
        stream.write(request);
      };
      const take = (part: Uint8Array): void => {
        missing -= part.length;
        if (missing > 0) return;
        const nowMs = performance.now();
        times.record((nowMs - sentMs) * 1e6);
        if (nowMs < endMs) {
          ask();
          return;
        }
        stream.off('data', take);
        resolve();
      };
      stream.on('data', take);
      ask();
    });
  }

  /** Streams one after the other. */
  async openings({ bytes, ms }: Work): Promise<void> {
    const request = new Uint8Array(bytes);
    const endMs = performance.now() + ms;
    while (performance.now() < endMs) {
      const startMs = performance.now();
      const stream = this.open();
      stream.write(request);
      await once(stream, 'data');
      this.times.record((performance.now() - startMs) * 1e6);
      const closed = once(stream, 'close');
      stream.resume();
      stream.end();
      await closed;
    }
  }

  private async opened(): Promise<Duplex> {
    const stream = this.open();
    await once(stream, 'connect');
    return stream;
  }
}
