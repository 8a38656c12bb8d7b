import { pino } from 'pino';
import type { XpassError } from '../../src/base/errors.js';
import type { Application } from '../../src/core/application.js';
import type { EndpointConfig } from '../../src/core/config.js';
import type { FlowReader } from '../../src/core/flow-callbacks.js';
import type { Host as Machine } from '../../src/core/host.js';
import type { Host } from '../../src/net/host.js';
import type { Receiver } from '../../src/net/receiver.js';
import type { Sender } from '../../src/net/sender.js';
import { Fault } from '../../src/services/file/fault.js';
import { encodeMessage, type Message, MessageDecoder } from '../../src/services/file/message.js';
import { VirtualHost } from './virtual-host.js';
import { World } from './world.js';

export const SILENT = pino({ level: 'silent' });

const WIRE_DELAY_NS = 50e3;
const STEP_NS = 1e6;
/** Steps after which a test that waits has failed: a minute of virtual time. */
const MOST_STEPS = 60_000;

/** A host without what src/net puts around it. */
export interface RawHost {
  run<T>(action: (nowNs: number, machine: Machine) => T): T;
}

/** A world in which applications that wait for files and promises can be played. */
export class StreamWorld extends World {
  isPlaying = false;

  constructor(seed = 1) {
    super(seed, WIRE_DELAY_NS);
  }

  /** Adds a host; `peerName` of host 1 is `host 1`. */
  open(changes: Partial<EndpointConfig> = {}): VirtualHost {
    const host = new VirtualHost(this);
    host.machine = this.addHost({ rateBps: 1e9, ...changes }, host);
    return host;
  }

  /** Adds a host whose program uses the machine itself. */
  add(application: Application, changes: Partial<EndpointConfig> = {}): RawHost {
    const machine = this.addHost({ rateBps: 1e9, ...changes }, application);
    return { run: (action) => action(this.nowNs, machine) };
  }

  override run(untilNs: number): number {
    this.isPlaying = true;
    try {
      return super.run(untilNs);
    } finally {
      this.isPlaying = false;
    }
  }

  /**
   * Plays virtual time, a millisecond at a time, and lets promises and the file system take their turns, until `isDone`. While no frames move, the
   * file system is what is waited for, and gets the core.
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

/** Who opens a test's flows, and takes what answers them. */
export interface WritingHost extends Pick<Host, 'openSender'> {
  take?(reply: Receiver): FlowReader | null;
}

/** A flow that a test writes, with its end. */
export class TestWriter {
  closed: XpassError | null | undefined;
  sender!: Sender;
  private readonly host: WritingHost;

  constructor(host: WritingHost) {
    this.host = host;
  }

  /** Opens a flow to host `peer` and writes `parts` into it; messages are encoded. The flow is not ended. */
  open(peer: number, parts: readonly (Message | Uint8Array)[], pairedFlowId = 0): this {
    const onReply = (reply: Receiver): FlowReader | null => this.host.take?.(reply) ?? null;
    this.sender = this.host.openSender(peer, this, { pairedFlowId, onReply });
    for (const part of parts) this.write(part);
    return this;
  }

  get id(): number {
    return this.sender.id;
  }

  write(part: Message | Uint8Array): void {
    this.sender.write(part instanceof Uint8Array ? part : encodeMessage(part));
  }

  end(): void {
    this.sender.end();
  }

  reset(): void {
    this.sender.reset();
  }

  onWritable(): void {}

  onClosed(error: XpassError | null): void {
    this.closed = error;
  }
}

/** Takes every flow and reads the one message that it carries. */
export class MessageInbox {
  /** By paired flow id. */
  readonly messages = new Map<number, Message | Fault>();

  readonly accept = (receiver: Receiver): FlowReader => {
    const decoder = new MessageDecoder();
    return {
      onData: (bytes) => {
        decoder.push(bytes, 0);
        if (decoder.result !== null) this.messages.set(receiver.pairedFlowId, decoder.result);
      },
      onEnd: () => undefined,
      onClosed: () => undefined,
    };
  };

  /** The message on the flow that answers `writer`'s. */
  answerTo({ id }: TestWriter): Message | undefined {
    const message = this.messages.get(id);
    if (message instanceof Fault) throw new Error(message.message);
    return message;
  }
}
