// Tested by test/loopback/lab.test.ts

import { assert } from '../../base/assert.js';
import { NEVER } from '../../base/time.js';
import type { Application, FlowReader } from '../../core/application.js';
import type { OpenOptions } from '../../core/endpoint.js';
import { XpassError } from '../../core/errors.js';
import type { ReceiverFlow } from '../../core/receiver-flow.js';
import { sumCredits } from '../../sim/measure/credits.js';
import { type FlowPlan, openOptions } from '../../sim/traffic/plan-flows.js';
import type { PortSnapshot } from '../../switch/port-statistics.js';
import { ExitCode } from '../shared/exit-codes.js';
import { FlowSink, type RunTimes } from './flow-sink.js';
import { FlowSource } from './flow-source.js';
import { HostSampler, type SampleOrder } from './host-sampler.js';
import { type LabHost, openLabHost } from './lab-host.js';
import type { FromHost, HostOrder, HostReport, RunOrder, SentFlow } from './messages.js';
import { SlowReader } from './slow-reader.js';
import { systemNs } from './system-clock.js';
import { TimedAgenda } from './timed-agenda.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** One host of a lab inside its process: attaches, rehearses, plays its part of the traffic and reports. */
export class HostSession implements Application {
  private readonly order: HostOrder;
  private readonly tell: (message: FromHost) => void;
  private readonly agenda: TimedAgenda;
  private readonly reader: SlowReader;
  private readonly sinks: FlowSink[] = [];
  private readonly sent: Mutable<SentFlow>[] = [];
  private times: RunTimes | null = null;
  private isRehearsing: boolean;
  private sampler: HostSampler | null = null;
  private host: LabHost | null = null;
  private nicQueueBytesMaxBefore = 0;
  private creditsBefore = sumCredits([]);
  /** When the NIC's counts began, and what they were at the end. */
  private nicSinceNs = 0;
  private nicAtEnd: { readonly port: PortSnapshot; readonly spanNs: number } | null = null;

  constructor(order: HostOrder, tell: (message: FromHost) => void) {
    this.order = order;
    this.isRehearsing = order.rehearses;
    this.tell = tell;
    this.agenda = new TimedAgenda(() => this.transport.now());
    this.reader = new SlowReader((atNs) =>
      this.agenda.add(atNs, () => this.inRun((nowNs) => this.reader.advance(nowNs))),
    );
  }

  /** Throws XpassError when the switch does not take it. */
  async attach(): Promise<void> {
    this.host = await openLabHost(this.order, this, ({ message }) =>
      this.tell({ event: 'failed', message, exitCode: ExitCode.peer }),
    );
    this.tell({ event: 'attached' });
  }

  acceptFlow(flow: ReceiverFlow): FlowReader | null {
    const { times, order, reader } = this;
    const now = (): number => this.inRun(identity);
    if (times === null) return this.isRehearsing ? discarding(flow, now) : null;
    const { windowsNs, isChecked } = order;
    const sink = new FlowSink({ flow, times, windowsNs, isChecked, reader, now });
    this.sinks.push(sink);
    this.sampler?.add(sink);
    return sink;
  }

  /** Sends without an end to each of `to`, which throws away what it gets. */
  rehearse(to: readonly number[]): void {
    for (const peer of to) this.open({ to: peer, bytes: NEVER, options: {} }, () => {});
  }

  /** Gives up every flow. Until the run is ordered, others are refused: a sender may be ahead of a process that is late. */
  rest(): void {
    this.isRehearsing = false;
    this.transport.run((nowNs, { endpoint }) => endpoint.closeAll(nowNs));
  }

  run(run: RunOrder): void {
    const startNs = this.transport.now() + (run.startAt - systemNs());
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
    this.inRun((nowNs) => this.reader.setRate(rateBps, nowNs));
  }

  report(): HostReport {
    const { transport } = this.attached;
    const nic = this.nicAtEnd ?? this.readNic(transport.now());
    const { datagramsIn, kernelDrops } = transport.statistics();
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

  private get attached(): LabHost {
    assert(this.host !== null, 'orders come once the host is attached');
    return this.host;
  }

  private get transport(): LabHost['transport'] {
    return this.attached.transport;
  }

  private inRun<T>(action: (nowNs: number) => T): T {
    return this.transport.run(action);
  }

  private send(plan: FlowPlan, { startNs }: RunTimes): void {
    const runNs = (): number => this.transport.now() - startNs;
    const sent: Mutable<SentFlow> = { id: plan.id, flowId: 0, startNs: runNs(), closedNs: NEVER, error: null };
    this.sent.push(sent);
    const onClosed = (error: XpassError | null): void => {
      sent.closedNs = runNs();
      sent.error = error?.code ?? null;
      this.tell({ event: 'flowEnded', id: plan.id });
    };
    try {
      const { flowId, source } = this.open({ ...plan, options: openOptions(plan) }, onClosed);
      sent.flowId = flowId;
      this.agenda.add(startNs + plan.stopNs, () => this.inRun((nowNs) => source.stop(nowNs)));
    } catch (error) {
      if (!(error instanceof XpassError)) throw error;
      onClosed(error);
    }
  }

  private open(
    { to, bytes, options }: { to: number; bytes: number; options: OpenOptions },
    onClosed: (error: XpassError | null) => void,
  ): { flowId: number; source: FlowSource } {
    return this.transport.run((nowNs, { endpoint }) => {
      const run = (action: (nowNs: number) => void): void => this.inRun(action);
      const source = new FlowSource({ bytes, frameBytes: endpoint.config.frameBytes, run, onClosed });
      const flow = endpoint.open(to, source, options, nowNs);
      source.start(flow, nowNs);
      return { flowId: flow.id, source };
    });
  }

  /** A host that comes back later in the run begins with the next sample. */
  private beginSampling({ intervalNs, maxFlows }: SampleOrder, startNs: number): void {
    const first = Math.max(0, Math.floor((this.transport.now() - startNs) / intervalNs));
    const sampler = new HostSampler(maxFlows, this.attached.nic, first);
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
    const { nic } = this.attached;
    this.inRun((runNs) => nic.advance(runNs));
    nic.statistics.reset(nowNs);
    this.nicSinceNs = nowNs;
  }

  private endMeasuring(nowNs: number): void {
    this.inRun((runNs) => this.attached.nic.advance(runNs));
    this.nicAtEnd = this.readNic(nowNs);
  }

  private readNic(nowNs: number): { port: PortSnapshot; spanNs: number } {
    return { port: this.attached.nic.statistics.snapshot(nowNs), spanNs: nowNs - this.nicSinceNs };
  }
}

function identity(nowNs: number): number {
  return nowNs;
}

/** Takes the data of a rehearsal and lets it go. */
function discarding(flow: ReceiverFlow, now: () => number): FlowReader {
  return { onData: (bytes) => flow.release(bytes.length, now()), onEnd: () => {}, onClosed: () => {} };
}
