import { pino } from 'pino';
import { Fault } from '../../src/apps/shared/files/fault.js';
import { encodeMessage, type Message, MessageDecoder } from '../../src/apps/shared/files/message.js';
import type { StreamTransport } from '../../src/apps/shared/service.js';
import type { Application, FlowReader } from '../../src/core/application.js';
import type { EndpointConfig } from '../../src/core/config.js';
import type { XpassError } from '../../src/core/errors.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import type { SenderFlow } from '../../src/core/sender-flow.js';
import { World } from './world.js';

export const SILENT = pino({ level: 'silent' });

const WIRE_DELAY_NS = 50e3;
const STEP_NS = 1e6;
/** Steps after which a test that waits has failed: a minute of virtual time. */
const MOST_STEPS = 60_000;

/** A world in which applications that wait for files and promises can be played. */
export class StreamWorld extends World {
  constructor(seed = 1) {
    super(seed, WIRE_DELAY_NS);
  }

  /** Adds a host with this application and returns its transport; `peerName` of host 1 is `host 1`. */
  add(application: Application, changes: Partial<EndpointConfig> = {}): StreamTransport {
    const host = this.addHost({ rateBps: 1e9, ...changes }, application);
    return {
      run: (action) => action(this.nowNs, host),
      now: () => this.nowNs,
      peerName: (peer) => `host ${peer}`,
      datapath: 'simulated',
    };
  }

  /**
   * Plays virtual time, a millisecond at a time, and lets promises and the file system take their turns, until `isDone`. While no frames move, the file system is
   * what is waited for, and gets the core.
   */
  async playUntil(isDone: () => boolean): Promise<void> {
    for (let step = 0; !isDone(); step++) {
      if (step === MOST_STEPS) throw new Error(`nothing more has happened by ${this.nowNs / 1e9} s`);
      const { frames } = this;
      this.run(this.nowNs + STEP_NS);
      const isIdle = this.frames === frames;
      await new Promise<void>((resolve) => (isIdle ? setTimeout(resolve, 1) : setImmediate(resolve)));
    }
  }

  /** Plays until `work` has settled; returns or throws what it does. */
  async play<T>(work: Promise<T>): Promise<T> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    work.then(settle, settle);
    await this.playUntil(() => isSettled);
    return work;
  }
}

/** A flow that a test writes, with its end. */
export class TestWriter {
  closed: XpassError | null | undefined;
  flow!: SenderFlow;
  private readonly transport: StreamTransport;

  constructor(transport: StreamTransport) {
    this.transport = transport;
  }

  /** Opens a flow to host `peer` and writes `parts` into it; messages are encoded. The flow is not ended. */
  open(peer: number, parts: readonly (Message | Uint8Array)[], pairedFlowId = 0): this {
    this.transport.run((nowNs, { endpoint }) => {
      this.flow = endpoint.open(peer, this, { pairedFlowId }, nowNs);
    });
    for (const part of parts) this.write(part);
    return this;
  }

  write(part: Message | Uint8Array): void {
    const bytes = part instanceof Uint8Array ? part : encodeMessage(part);
    this.transport.run((nowNs) => this.flow.write(bytes, nowNs));
  }

  end(): void {
    this.transport.run((nowNs) => this.flow.end(nowNs));
  }

  reset(): void {
    this.transport.run((nowNs) => this.flow.reset(nowNs));
  }

  onWritable(): void {}

  onClosed(error: XpassError | null): void {
    this.closed = error;
  }
}

/** Takes every flow and reads the one message that it carries. */
export class MessageInbox implements Application {
  /** By paired flow id. */
  readonly messages = new Map<number, Message | Fault>();

  acceptFlow(flow: ReceiverFlow): FlowReader {
    const decoder = new MessageDecoder();
    return {
      onData: (bytes) => {
        decoder.push(bytes, 0);
        if (decoder.result !== null) this.messages.set(flow.pairedFlowId, decoder.result);
      },
      onEnd: () => undefined,
      onClosed: () => undefined,
    };
  }

  /** The message on the flow that answers `writer`'s. */
  answerTo({ flow }: TestWriter): Message | undefined {
    const message = this.messages.get(flow.id);
    if (message instanceof Fault) throw new Error(message.message);
    return message;
  }
}
