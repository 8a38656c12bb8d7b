// Tested by test/loopback/bench.test.ts

import { setTimeout as sleep } from 'node:timers/promises';
import { SeededRandom } from '../../../base/random.js';
import { NEVER } from '../../../base/time.js';
import type { FlowWriter } from '../../../core/application.js';
import type { XpassError } from '../../../core/errors.js';
import type { SenderFlow } from '../../../core/sender-flow.js';
import { DurationHistogram } from '../../shared/perf/histogram.js';
import { PerfSource } from '../../shared/perf/source.js';
import type { Transport } from '../../shared/transport.js';
import { OPEN_MS } from './orders.js';
import { STAMP_BYTES, stamped } from './shared-clock.js';

/** Flows that are opened within one turn, and the pause after them: no faster than requests can be answered (ours). */
const OPEN_AT_ONCE = 50;
const OPEN_PAUSE_MS = 5;

/** Messages that come at random and are not over: more are a network that does not keep up, and memory without end (ours). */
const MAX_UNDER_WAY = 5_000;

/** A flow that waits for something to send. */
class IdleFlow implements FlowWriter {
  readonly flow: SenderFlow;
  /** Who sends on it, once somebody does. */
  source: PerfSource | null = null;
  private readonly owner: XpassSource;

  constructor(owner: XpassSource, open: (writer: FlowWriter) => SenderFlow) {
    this.owner = owner;
    this.flow = open(this);
  }

  onWritable(): void {
    this.source?.onWritable();
  }

  onClosed(error: XpassError | null): void {
    if (error !== null) this.owner.fail(error.code);
    this.source?.onClosed(error);
  }
}

/** The source of flows over xpass. */
export class XpassSource {
  /** Flows that are over, in order or not. */
  done = 0;
  failed = 0;
  /** Codes of what failed. */
  readonly reasons = new Set<string>();
  private underWay = 0;
  private readonly transport: Transport;
  private readonly peer: number;
  private readonly idle: IdleFlow[] = [];
  private readonly gaps = new DurationHistogram();

  constructor(transport: Transport, peer: number) {
    this.transport = transport;
    this.peer = peer;
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
      this.transport.run((nowNs) => {
        const flow = this.open(writer, nowNs);
        flow.write(message, nowNs);
        flow.end(nowNs);
      });
    });
  }

  /** Opens flows until there are so many, and waits until the sink has the stamp of each, for 20 s at the longest. */
  async openIdle(count: number): Promise<void> {
    const giveUpMs = performance.now() + OPEN_MS;
    while (this.idle.length < count) {
      const more = Math.min(OPEN_AT_ONCE, count - this.idle.length);
      this.transport.run((nowNs) => {
        for (let opened = 0; opened < more; opened++) this.idle.push(this.openOne(nowNs));
      });
      await sleep(OPEN_PAUSE_MS);
    }
    const isOpen = ({ flow }: IdleFlow): boolean => flow.statistics.bytesAcknowledged >= STAMP_BYTES;
    while (!this.idle.every(isOpen) && performance.now() < giveUpMs) await sleep(OPEN_PAUSE_MS * 10);
    this.done += this.idle.filter(isOpen).length;
    // Those that are closed have failed already.
    for (const each of this.idle) if (!isOpen(each) && !each.flow.isClosed) this.fail('notOpenInTime');
  }

  /** Sends endlessly on all flows that were opened. */
  async sendEndlessly(): Promise<void> {
    if (this.idle.length === 0) await this.openIdle(1);
    const { frameBytes } = this.transport.machine.endpoint.config;
    this.transport.run((nowNs) => {
      for (const each of this.idle) {
        each.source = new PerfSource({
          header: new Uint8Array(STAMP_BYTES),
          bytes: Number.POSITIVE_INFINITY,
          frameBytes,
          gaps: this.gaps,
          rtts: this.gaps,
          run: (action) => this.transport.run(action),
          onClosed: () => undefined,
        });
        each.source.attach(each.flow);
        each.source.start(nowNs, { endNs: NEVER, recordFromNs: NEVER });
      }
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

  private openOne(nowNs: number): IdleFlow {
    const idle = new IdleFlow(this, (writer) => this.open(writer, nowNs));
    idle.flow.write(stamped(STAMP_BYTES), nowNs);
    return idle;
  }

  private open(writer: FlowWriter, nowNs: number): SenderFlow {
    return this.transport.machine.endpoint.open(this.peer, writer, {}, nowNs);
  }
}
