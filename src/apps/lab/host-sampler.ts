import type { Port } from '../../switch/port.js';

/** What is sampled along the way; the simulator's ProbeSpec as far as hosts are concerned. */
export interface SampleOrder {
  readonly intervalNs: number;
  /** Of those that the host receives, the first ones. */
  readonly maxFlows: number;
}

/** One flow that a host received, from the sample on in which it was there first. */
export interface FlowSamples {
  /** The sender's host id and the flow's. */
  readonly from: number;
  readonly flowId: number;
  readonly first: number;
  /** Delivered since the flow began. */
  readonly deliveredBytes: readonly number[];
  readonly creditRateBps: readonly number[];
}

/** One direction of a link; index 0 is sample `first`. */
export interface LinkSamples {
  readonly first: number;
  /** The highest since the sample before. */
  readonly dataQueueBytes: readonly number[];
  readonly creditQueueFrames: readonly number[];
  /** Sent since the sample before. */
  readonly dataWireBytes: readonly number[];
}

/** Samples are numbered from the start of the run: number 0 is taken one interval after it. */
export interface HostSamples {
  readonly flows: readonly FlowSamples[];
  readonly nic: LinkSamples;
}

/** The samples of one direction as they come; counts of bytes may start anew in between. */
export class LinkSampler implements LinkSamples {
  readonly dataQueueBytes: number[] = [];
  readonly creditQueueFrames: number[] = [];
  readonly dataWireBytes: number[] = [];
  private sentBytes = 0;
  private begin = -1;

  get first(): number {
    return Math.max(0, this.begin);
  }

  /** Sample number `index`; numbers that are left out, since nobody could be asked, count as nothing. `sentBytes`: since the last reset. */
  add(index: number, sample: { queueBytes: number; creditQueueFrames: number; sentBytes: number }): void {
    if (this.begin < 0) this.begin = index;
    while (this.dataQueueBytes.length < index - this.begin) this.push(0, 0, 0);
    const { queueBytes, creditQueueFrames, sentBytes } = sample;
    this.push(queueBytes, creditQueueFrames, sentBytes >= this.sentBytes ? sentBytes - this.sentBytes : sentBytes);
    this.sentBytes = sentBytes;
  }

  private push(queueBytes: number, creditQueueFrames: number, sentBytes: number): void {
    this.dataQueueBytes.push(queueBytes);
    this.creditQueueFrames.push(creditQueueFrames);
    this.dataWireBytes.push(sentBytes);
  }
}

/** What receives a flow. */
export interface SampledSink {
  readonly from: number;
  readonly flowId: number;
  readonly deliveredBytes: number;
  readonly creditRateBps: number;
}

interface SampledFlow {
  readonly sink: SampledSink;
  readonly first: number;
  readonly deliveredBytes: number[];
  readonly creditRateBps: number[];
}

/** Samples the flows that a host receives, and its NIC. */
export class HostSampler {
  private readonly maxFlows: number;
  private readonly nic: Port;
  private readonly nicSamples = new LinkSampler();
  private readonly flows: SampledFlow[] = [];
  private index = 0;

  /** The first sample will be number `first`. */
  constructor(maxFlows: number, nic: Port, first: number) {
    this.maxFlows = maxFlows;
    this.nic = nic;
    this.index = first;
  }

  /** A flow is there from now on. */
  add(sink: SampledSink): void {
    if (this.flows.length >= this.maxFlows) return;
    this.flows.push({ sink, first: this.index, deliveredBytes: [], creditRateBps: [] });
  }

  sample(): void {
    const { statistics } = this.nic;
    this.nicSamples.add(this.index++, {
      queueBytes: statistics.takeQueuePeak(),
      creditQueueFrames: statistics.creditQueueLength,
      sentBytes: statistics.dataWireBytes,
    });
    for (const { sink, deliveredBytes, creditRateBps } of this.flows) {
      deliveredBytes.push(sink.deliveredBytes);
      creditRateBps.push(sink.creditRateBps);
    }
  }

  samples(): HostSamples {
    const { first, dataQueueBytes, creditQueueFrames, dataWireBytes } = this.nicSamples;
    return {
      flows: this.flows.map(({ sink, ...each }) => ({ from: sink.from, flowId: sink.flowId, ...each })),
      nic: { first, dataQueueBytes, creditQueueFrames, dataWireBytes },
    };
  }
}
