// Tested by test/loopback/bench.test.ts

import type { Duplex } from 'node:stream';
import '../probe.child.js';
import { StreamClient } from './client.js';
import type { StreamCommand, StreamFigures, StreamOrder, StreamReady } from './orders.js';
import { type DuplexTransport, transportOf } from './transports.js';

/** One end of streams in a process of its own. Started by stream-process.ts, which tells it what to do. */
class StreamsEnd {
  private bytes = 0;
  private sinceMs = performance.now();
  private client = new StreamClient(() => {
    throw new Error('a server opens no streams');
  });

  async open({ kind, role, frameBytes, target, answerBytes }: StreamOrder): Promise<StreamReady> {
    const transport = transportOf(kind, frameBytes);
    if (role === 'server') return { address: await this.listen(transport, answerBytes) };
    this.client = new StreamClient(await transport.dial(target));
    return { address: '' };
  }

  async obey(command: StreamCommand): Promise<StreamFigures> {
    const { times } = this.client;
    times.reset();
    await this.carryOut(command);
    const { bytes, sinceMs } = this;
    this.bytes = 0;
    this.sinceMs = performance.now();
    return {
      command: command.command,
      bytes,
      seconds: (this.sinceMs - sinceMs) / 1e3,
      times: times.percentiles(),
    };
  }

  private async carryOut(command: StreamCommand): Promise<void> {
    if (command.verb === 'bulk') await this.client.sendEndlessly();
    else if (command.verb === 'exchange') await this.client.exchange(command);
    else if (command.verb === 'open') await this.client.openings(command);
  }

  private listen(transport: DuplexTransport, answerBytes: number): Promise<string> {
    const answer = new Uint8Array(answerBytes);
    return transport.listen((stream) => (answerBytes === 0 ? this.drop(stream) : answerEach(stream, answer)));
  }

  private drop(stream: Duplex): void {
    stream.on('data', (part: Uint8Array) => {
      this.bytes += part.length;
    });
    stream.on('error', () => undefined);
  }
}

/** A client that breaks off counts that itself. */
function answerEach(stream: Duplex, answer: Uint8Array): void {
  let missing = answer.length;
  stream.on('data', (part: Uint8Array) => {
    missing -= part.length;
    if (missing > 0) return;
    missing += answer.length;
    stream.write(answer);
  });
  stream.on('error', () => undefined);
}

process.once('message', async (order: StreamOrder) => {
  const end = new StreamsEnd();
  process.on('message', async (message: StreamCommand | { probe: number }) => {
    if ('command' in message) process.send?.(await end.obey(message));
  });
  process.send?.(await end.open(order));
});
// A terminal interrupts this process too; whoever started it says when it is over.
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(0));
