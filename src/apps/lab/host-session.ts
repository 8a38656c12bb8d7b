// Tested by test/loopback/lab.test.ts
import { assert } from '../../base/assert.js';
import { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { NEVER } from '../../base/time.js';
import { sumCredits } from '../../core/credit-totals.js';
import type { FlowReader } from '../../core/flow-callbacks.js';
import { type Host, openHostOf, type SenderOptions } from '../../net/host.js';
import { hostSettings } from '../../net/host-settings.js';
import type { Receiver } from '../../net/receiver.js';
import type { Sender } from '../../net/sender.js';
import { SlowReader } from '../../sim/slow-reader.js';
import type { FlowPlan } from '../../sim/traffic/plan-flows.js';
import type { PortSnapshot } from '../../switch/port-statistics.js';
import { ResetCode } from '../../wire/layout.js';
import { markRarely } from '../shared/v8-flags.js';
import { FlowSink, type RunTimes } from './flow-sink.js';
import { FlowSource } from './flow-source.js';
import { HostSampler, type SampleOrder } from './host-sampler.js';
import type { FromHost, HostOrder, HostReport, OpenFlow, RunOrder, SentFlow } from './messages.js';
import { systemNs, TimedAgenda } from './timed-agenda.js';

/** Of one host (ours): more lines in a chart cannot be told apart. */
const MOST_SHOWN = 64;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One host of a lab inside its process: attaches, rehearses, plays its part of the traffic and reports. */
export class HostSession {
  private readonly order: HostOrder;
  private readonly tell: (message: FromHost) => void;
  private readonly agenda: TimedAgenda;
  private readonly reader: SlowReader<Receiver>;
  private readonly sinks: FlowSink[] = [];
  private readonly sent: Mutable<SentFlow>[] = [];
  private times: RunTimes | null = null;
  private isRehearsing: boolean;
  private sampler: HostSampler | null = null;
  private attached: Host | null = null;
  /** Flows of the rehearsal, in both directions. */
  private rehearsal: (Sender | Receiver)[] = [];
  private nicQueueBytesMaxBefore = 0;
  private creditsBefore = sumCredits([]);
  /** When the NIC's counts began, and what they were at the end. */
  private nicSinceNs = 0;
  private nicAtEnd: { readonly port: PortSnapshot; readonly spanNs: number } | null = null;

  constructor(order: HostOrder, tell: (message: FromHost) => void) {
    this.order = order;
    this.isRehearsing = order.rehearses;
    this.tell = tell;
    this.agenda = new TimedAgenda(() => this.host.now());
    this.reader = new SlowReader({
      read: (flow, bytes) => flow.release(bytes),
      schedule: (atNs) => this.agenda.add(atNs, () => this.host.run((nowNs) => this.readDue(nowNs))),
    });
  }

  /** Throws XpassError when the switch does not take it. */
  async attach(): Promise<void> {
    const host = await openLabHost(this.order);
    host.acceptReceivers((receiver) => this.accept(receiver));
    host.on('detached', ({ message }) => this.tell({ event: 'failed', message, exitCode: ExitCode.peer }));
    this.attached = host;
    this.tell({ event: 'attached' });
  }

  /** Sends without an end to each of `to`, which throws away what it gets. */
  rehearse(to: readonly number[]): void {
    for (const peer of to) {
      const { sender } = this.open({ to: peer, bytes: NEVER, options: {} }, () => {});
      this.rehearsal.push(sender);
    }
  }

  /** Gives up every flow. Until the run is ordered, others are refused: a sender may be ahead of a process that is late. */
  rest(): void {
    this.isRehearsing = false;
    this.host.run(() => {
      for (const flow of this.rehearsal) flow.reset(ResetCode.shutdown);
    });
    this.rehearsal = [];
  }

  run(run: RunOrder): void {
    const startNs = this.host.now() + (run.startAt - systemNs());
    const times = { startNs, measureNs: startNs + run.measureNs, endNs: startNs + run.endNs };
    this.times = times;
    // What the NIC has counted so far is of the rehearsal.
    this.agenda.add(startNs, (nowNs) => this.resetNic(nowNs));
    for (const plan of run.flows) this.agenda.add(startNs + plan.startNs, () => this.send(plan, times));
    if (run.samples !== null) this.beginSampling(run.samples, startNs);
    this.agenda.add(times.measureNs, (nowNs) => this.beginMeasuring(nowNs));
    this.agenda.add(times.endNs, (nowNs) => this.endMeasuring(nowNs));
  }

  setReaderRate(rateBps: number): void {
    this.host.run((nowNs) => this.reader.setRate(rateBps, nowNs));
  }

  /** A timer comes late: what was due meanwhile is read at once. */
  private readDue(nowNs: number): void {
    while (this.reader.dueNs <= nowNs) this.reader.readNext();
  }

  /** The flows that are open, the first ones where there are more than a page draws. */
  look(): OpenFlow[] {
    const flows: OpenFlow[] = [];
    for (const sink of this.sinks) {
      const flow = sink.look(this.host.creditAlgorithm);
      if (flow !== null && flows.push(flow) === MOST_SHOWN) break;
    }
    return flows;
  }

  report(): HostReport {
    const nic = this.nicAtEnd ?? this.readNic(this.host.now());
    const { datagramsIn, kernelDrops } = this.host.statistics().driver;
    return {
      hostId: this.order.hostId,
      sent: this.sent,
      received: this.sinks.map((sink) => sink.report()),
      nic: nic.port,
      nicSpanNs: nic.spanNs,
      nicQueueBytesMaxBefore: this.nicQueueBytesMaxBefore,
      creditsBefore: this.creditsBefore,
      samples: this.sampler?.samples() ?? null,
      datagramsIn,
      kernelDrops,
    };
  }

  private get host(): Host {
    assert(this.attached !== null, 'orders come once the host is attached');
    return this.attached;
  }

  private accept(flow: Receiver): FlowReader | null {
    const { times, order, reader } = this;
    if (times === null) return this.isRehearsing ? this.discard(flow) : null;
    const { windowsNs, isChecked } = order;
    const sink = new FlowSink({ flow, times, windowsNs, isChecked, reader, now: () => this.host.workingNs });
    this.sinks.push(sink);
    this.sampler?.add(sink);
    return sink;
  }

  /** Takes the data of a rehearsal and lets it go. */
  private discard(flow: Receiver): FlowReader {
    this.rehearsal.push(flow);
    return { onData: (bytes) => flow.release(bytes.length), onEnd: () => {}, onClosed: () => {} };
  }

  private send(plan: FlowPlan, { startNs }: RunTimes): void {
    const runNs = (): number => this.host.now() - startNs;
    const sent: Mutable<SentFlow> = { id: plan.id, flowId: 0, startNs: runNs(), closedNs: NEVER, error: null };
    this.sent.push(sent);
    const onClosed = (error: XpassError | null): void => {
      sent.closedNs = runNs();
      sent.error = error?.code ?? null;
      this.tell({ event: 'flowEnded', id: plan.id });
    };
    try {
      const { sender, source } = this.open({ ...plan, options: senderOptions(plan) }, onClosed);
      sent.flowId = sender.id;
      this.agenda.add(startNs + plan.stopNs, () => source.stop());
    } catch (error) {
      if (!(error instanceof XpassError)) throw error;
      onClosed(error);
    }
  }

  private open(
    { to, bytes, options }: { to: number; bytes: number; options: SenderOptions },
    onClosed: (error: XpassError | null) => void,
  ): { sender: Sender; source: FlowSource } {
    const { host } = this;
    return host.run(() => {
      const source = new FlowSource({ bytes, frameBytes: host.frameBytes, onClosed });
      const sender = host.openSender(to, source, options);
      source.start(sender);
      return { sender, source };
    });
  }

  /** A host that comes back later in the run begins with the next sample. */
  private beginSampling({ intervalNs, maxFlows }: SampleOrder, startNs: number): void {
    const first = Math.max(0, Math.floor((this.host.now() - startNs) / intervalNs));
    const sampler = new HostSampler(maxFlows, this.host.nic, first);
    this.sampler = sampler;
    const sampleAt = (number: number): void => {
      this.agenda.add(startNs + number * intervalNs, () => {
        sampler.sample();
        sampleAt(number + 1);
      });
    };
    sampleAt(first + 1);
  }

  private beginMeasuring(nowNs: number): void {
    this.creditsBefore = sumCredits(this.sinks.map(({ credits }) => credits));
    this.nicQueueBytesMaxBefore = this.readNic(nowNs).port.dataQueueBytesMax;
    this.resetNic(nowNs);
  }

  private resetNic(nowNs: number): void {
    const { nic } = this.host;
    this.host.run((runNs) => nic.advance(runNs));
    nic.statistics.reset(nowNs);
    this.nicSinceNs = nowNs;
  }

  private endMeasuring(nowNs: number): void {
    this.host.run((runNs) => this.host.nic.advance(runNs));
    this.nicAtEnd = this.readNic(nowNs);
  }

  private readNic(nowNs: number): { port: PortSnapshot; spanNs: number } {
    return { port: this.host.nic.statistics.snapshot(nowNs), spanNs: nowNs - this.nicSinceNs };
  }
}

function senderOptions({ windowAlgorithm, share: { weight, creditClass } = {} }: FlowPlan): SenderOptions {
  return {
    ...(windowAlgorithm !== undefined && { algorithm: windowAlgorithm }),
    ...(weight !== undefined && { weight }),
    ...(creditClass !== undefined && { class: creditClass }),
  };
}

/** How soon a host asks again for a port that is still kept for the process that had it. */
const RETRY_MS = 50;

/** Attaches to the switch. Throws XpassError as `openHost` does; `attach` only after `attachWithinNs`. */
async function openLabHost(order: HostOrder): Promise<Host> {
  markRarely();
  const giveUpMs = performance.now() + order.attachWithinNs / 1e6;
  for (;;) {
    try {
      return await attach(order);
    } catch (error) {
      const isKept = error instanceof XpassError && error.code === 'attach';
      if (!isKept || performance.now() >= giveUpMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** A host as the commands run it, with what the scenario says instead. */
function attach({ switchAddress, hostId, endpoint, nic }: HostOrder): Promise<Host> {
  return openHostOf({
    settings: hostSettings({
      switch: switchAddress,
      hostId,
      // Many processes on few cores: spinning ones would keep the others from running.
      spin: 'never',
      speculative: false,
    }),
    overrides: { endpoint, nic },
  });
}
