// Tested by test/loopback/bench.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import type { XpassError } from '../../../base/errors.js';
import { SeededRandom } from '../../../base/random.js';
import type { FlowObserver, FlowReader, FlowWriter } from '../../../core/flow-callbacks.js';
import { type Host, openHostOf } from '../../../net/host.js';
import type { HostPlace } from '../../../net/host-settings.js';
import { parsePeer } from '../../../net/peer-name.js';
import type { Receiver } from '../../../net/receiver.js';
import type { Sender } from '../../../net/sender.js';
import { formatAddress } from '../../../udp/address.js';
import { resolveOptions } from '../../shared/options.js';
import { TRANSPORT_OPTIONS } from '../../shared/transport-options.js';
import { keepYoungGenerationSmall, markRarely } from '../../shared/v8-flags.js';
import type { FlowsCarrier, FlowsSource } from './carrier.js';
import { type GapMeter, type MessageMeter, STAMP_BYTES, type StreamMeter, stamped } from './meters.js';
import { type FlowsOrder, OPEN_MS } from './orders.js';

/** Takes all flows, measures what comes and lets it go. A flow costs one small object here, so that what a flow takes is the transport's. */
export class XpassSink {
  private readonly meter: MessageMeter;
  private readonly gaps: GapMeter | null;

  constructor(meter: MessageMeter, gaps: GapMeter | null) {
    this.meter = meter;
    this.gaps = gaps;
  }

  accept(receiver: Receiver): FlowReader {
    if (this.gaps !== null) receiver.observer = this.gaps;
    return new SinkReader(receiver, this.meter.open());
  }
}

class SinkReader implements FlowReader {
  private readonly receiver: Receiver;
  private readonly stream: StreamMeter;

  constructor(receiver: Receiver, stream: StreamMeter) {
    this.receiver = receiver;
    this.stream = stream;
  }

  onData(bytes: Uint8Array): void {
    this.stream.onData(bytes);
    this.receiver.release(bytes.length);
  }

  onEnd(): void {
    this.stream.onEnd();
  }

  onClosed(): void {}
}

/** Flows that are opened within one turn, and the pause after them: no faster than requests can be answered (ours). */
const OPEN_AT_ONCE = 50;
const OPEN_PAUSE_MS = 5;

/** Messages that come at random and are not over: more are a network that does not keep up, and memory without end (ours). */
const MAX_UNDER_WAY = 5_000;

/** One write of a flow that sends endlessly, as large as those of `xpass perf`. All flows write the same bytes, which they keep by reference. */
const CHUNK = new Uint8Array(65_536);
/** Frames that wait in the send buffer of such a flow at least, as in `xpass perf`. */
const FRAMES_AHEAD = 8;

/** A flow that waits for something to send, until it is told to send endlessly: then its credits are its clock. */
class IdleFlow implements FlowWriter, FlowObserver {
  readonly sender: Sender;
  private readonly owner: XpassSource;

  constructor(owner: XpassSource, open: (writer: FlowWriter) => Sender) {
    this.owner = owner;
    this.sender = open(this);
    this.sender.write(stamped(STAMP_BYTES));
  }

  get isOpen(): boolean {
    return this.sender.acknowledgedBytes >= STAMP_BYTES;
  }

  sendEndlessly(): void {
    this.sender.observer = this;
    this.refill();
  }

  onCredit(): void {
    this.refill();
  }

  onAck(): void {
    this.refill();
  }

  onRtt(): void {}

  onWritable(): void {
    this.refill();
  }

  onClosed(error: XpassError | null): void {
    if (error !== null) this.owner.fail(error.code);
  }

  private refill(): void {
    while (this.sender.unsentBytes < this.owner.aheadBytes && this.sender.write(CHUNK));
  }
}

/** The source of flows over xpass. */
export class XpassSource implements FlowsSource {
  /** Flows that are over, in order or not. */
  done = 0;
  failed = 0;
  /** What flows that send endlessly keep in their send buffers. */
  readonly aheadBytes: number;
  /** Codes of what failed. */
  readonly reasons = new Set<string>();
  private underWay = 0;
  private readonly host: Host;
  private readonly peer: number;
  private readonly idle: IdleFlow[] = [];
  private row: Sender | null = null;

  constructor(host: Host, peer: number) {
    this.host = host;
    this.peer = peer;
    this.aheadBytes = FRAMES_AHEAD * host.frameBytes;
  }

  /** One message on a flow of its own; resolves when the sink has it all. */
  message(bytes: number): Promise<void> {
    this.underWay++;
    return new Promise((resolve) => {
      const writer = {
        onWritable: () => undefined,
        onClosed: (error: XpassError | null) => {
          this.underWay--;
          if (error === null) this.done++;
          else this.fail(error.code);
          resolve();
        },
      };
      const message = stamped(bytes);
      this.host.run(() => {
        const sender = this.open(writer);
        sender.write(message);
        sender.end();
      });
    });
  }

  messageInRow(bytes: number): Promise<void> {
    this.host.run(() => {
      this.row ??= this.open({
        onWritable: () => undefined,
        onClosed: (error) => {
          if (error !== null) this.fail(error.code);
        },
      });
      if (this.row.write(stamped(bytes))) this.done++;
      else this.fail('sendBufferFull');
    });
    return Promise.resolve();
  }

  /** Opens flows until this number is open. Waits up to 20 s until the sink has the stamp of each. */
  async openIdle(count: number): Promise<void> {
    const giveUpMs = performance.now() + OPEN_MS;
    while (this.idle.length < count) {
      const more = Math.min(OPEN_AT_ONCE, count - this.idle.length);
      this.host.run(() => {
        for (let opened = 0; opened < more; opened++) this.idle.push(new IdleFlow(this, this.open));
      });
      await sleep(OPEN_PAUSE_MS);
    }
    const isOpen = (flow: IdleFlow): boolean => flow.isOpen;
    while (!this.idle.every(isOpen) && performance.now() < giveUpMs) await sleep(OPEN_PAUSE_MS * 10);
    this.done += this.idle.filter(isOpen).length;
    // Those that are closed have failed already.
    for (const each of this.idle) if (!isOpen(each) && !each.sender.isClosed) this.fail('notOpenInTime');
  }

  /** Sends endlessly on all flows that were opened. */
  async sendEndlessly(): Promise<void> {
    if (this.idle.length === 0) await this.openIdle(1);
    this.host.run(() => {
      for (const each of this.idle) each.sendEndlessly();
    });
  }

  /** Messages that come as a Poisson process. Those that are due while the process was busy begin together; they keep their own stamps, of when they begin. */
  async sendAtRandom(bytes: number, flowsPerSecond: number, seed: number): Promise<void> {
    const random = new SeededRandom(seed);
    let dueMs = performance.now();
    for (;;) {
      dueMs -= (Math.log(1 - random.next()) * 1e3) / flowsPerSecond;
      const untilMs = dueMs - performance.now();
      if (untilMs > 0) await sleep(untilMs);
      if (this.underWay >= MAX_UNDER_WAY) this.fail('tooManyUnderWay');
      else void this.message(bytes);
    }
  }

  /** A flow has failed, for this reason in a word. */
  fail(reason: string): void {
    this.failed++;
    this.reasons.add(reason);
  }

  private readonly open = (writer: FlowWriter): Sender => this.host.openSender(this.peer, writer);
}

/** Port 0 is any that is free. */
const LISTEN = { host: '127.0.0.1', port: 0 };

/** Our own transport, with the options that its commands have. */
export const XPASS: FlowsCarrier = {
  sink: async (order, meter, gaps) => {
    const host = await open(order, { listen: LISTEN });
    const sink = new XpassSink(meter, gaps);
    host.acceptReceivers((receiver) => sink.accept(receiver));
    return formatAddress(host.local);
  },
  source: async (order) => {
    const { target, options } = order;
    const peer = parsePeer(target, options.switch !== undefined);
    const host = await open(order, typeof peer === 'number' ? {} : { peer });
    return new XpassSource(host, await host.resolve(target));
  },
};

/** What a log would have is left out: that nobody listens any more is no news at the end of a benchmark. */
function open({ options }: FlowsOrder, place: HostPlace): Promise<Host> {
  // As in the processes of the commands.
  keepYoungGenerationSmall();
  markRarely();
  const given = new Map(Object.entries(options).map(([name, value]) => [name, [value]]));
  return openHostOf({ settings: resolveOptions(TRANSPORT_OPTIONS, given), place });
}
