import type { XpassError } from '../../src/base/errors.js';
import { MILLISECOND_NS } from '../../src/base/time.js';
import type { Application } from '../../src/core/application.js';
import type { EndpointConfig } from '../../src/core/config.js';
import type { FlowReader, FlowWriter } from '../../src/core/flow-callbacks.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import type { SenderFlow } from '../../src/core/sender-flow.js';
import { DELAY_NS } from './pair.js';
import { pattern, wrongBytes } from './streams.js';
import { World } from './world.js';

/** One end of a two-way stream: a flow to write into, and what comes from the other side. */
export class StreamEnd implements FlowReader, FlowWriter {
  flow!: SenderFlow;
  incoming: ReceiverFlow | null = null;
  received = 0;
  wrong = 0;
  written = 0;
  closings: string[] = [];
  /** Called when bytes have come. */
  onBytes: () => void = () => {};
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  write(bytes: number): void {
    if (!this.flow.write(pattern(this.written, bytes), this.world.nowNs)) throw new Error('no room to write');
    this.written += bytes;
  }

  onData(bytes: Uint8Array): void {
    this.wrong += wrongBytes(bytes, this.received);
    this.received += bytes.length;
    this.incoming?.release(bytes.length, this.world.nowNs);
    this.onBytes();
  }

  onEnd(): void {}

  onWritable(): void {}

  onClosed(error: XpassError | null): void {
    this.closings.push(error?.code ?? 'in order');
  }
}

/** Host 0 opens a two-way stream to host 1, and sends requests that host 1 answers. */
export class Exchange extends World {
  readonly client = new StreamEnd(this);
  server = new StreamEnd(this);
  requestBytes = 0;
  answerBytes = 0;

  constructor(seed: number, changes: Partial<EndpointConfig> = {}) {
    super(seed, DELAY_NS);
    const config = { rateBps: 1e9, speculativeRttNs: MILLISECOND_NS, ...changes };
    const client: Application = {
      acceptFlow: (flow) => {
        this.client.incoming = flow;
        return this.client;
      },
    };
    this.addHost(config, client);
    this.addHost(config, { acceptFlow: (flow) => this.serve(flow) });
    this.client.flow = this.hosts[0].endpoint.open(1, this.client, { isDuplex: true }, 0);
    this.client.flow.open(0);
  }

  /** Sends requests of this size, each when the answer to the one before has come. Returns how long each took; throws where one takes longer than `mostNs`. */
  play(count: number, sizes: { requestBytes: number; answerBytes: number }, mostNs = 1e9): number[] {
    this.requestBytes = sizes.requestBytes;
    this.answerBytes = sizes.answerBytes;
    const times: number[] = [];
    const { client } = this;
    let sinceNs = this.nowNs;
    let expected = client.received;
    const ask = () => {
      sinceNs = this.nowNs;
      expected += this.answerBytes;
      client.write(this.requestBytes);
    };
    client.onBytes = () => {
      if (client.received < expected) return;
      times.push(this.nowNs - sinceNs);
      if (times.length < count) ask();
    };
    ask();
    this.drain();
    while (times.length < count) {
      if (this.nowNs - sinceNs > mostNs) throw new Error(`request ${times.length} has no answer after ${mostNs} ns`);
      this.run(this.nowNs + mostNs / 1_000);
    }
    return times;
  }

  private serve(flow: ReceiverFlow): FlowReader {
    const { server } = this;
    server.incoming = flow;
    server.flow = this.hosts[1].endpoint.open(0, server, { pairedFlowId: flow.id }, this.nowNs);
    server.flow.open(this.nowNs);
    let answered = 0;
    server.onBytes = () => {
      if (server.received < answered + this.requestBytes) return;
      answered = server.received;
      server.write(this.answerBytes);
    };
    return server;
  }
}
