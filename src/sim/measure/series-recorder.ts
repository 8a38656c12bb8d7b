// Tested by test/sim/simulate.test.ts
import { ConfigError } from '../../base/config-error.js';
import type { FlowRun } from '../flow-run.js';
import type { FlowSeries, LinkSeries, RunSeries } from '../result.js';
import type { LinkProbe } from './link-probe.js';
import { StateSamples } from './state-samples.js';

/** Values that a run's series have at most: 160 MB (ours). */
const MAX_VALUES = 20_000_000;
/** Two rates, and what an algorithm remembers: six values at most of those that there are. */
const VALUES_PER_FLOW = 8;
const VALUES_PER_LINK = 4;
/** What is left of an interval at the end is sampled when it is at least this part of one (ours): the rate in less of it is noise. */
const LEAST_REST = 0.1;

export interface SeriesOptions {
  readonly intervalNs: number;
  readonly durationNs: number;
  readonly flows: readonly FlowRun[];
  readonly flowLabel: (run: FlowRun) => string;
  readonly links: readonly LinkProbe[];
}

/** Samples flows and links at equal intervals. Throws a ConfigError where that would be more than memory should hold. */
export class SeriesRecorder {
  private readonly options: SeriesOptions;
  private readonly timesNs: number[] = [];
  /** What each flow had delivered at the sample before. */
  private readonly deliveredBytes: Float64Array;
  private readonly goodputs: number[][];
  private readonly creditRates: number[][];
  private readonly states: StateSamples[];
  private readonly queues: number[][];
  private readonly creditQueues: number[][];
  private readonly creditDrops: number[][];
  private readonly utilisations: number[][];

  constructor(options: SeriesOptions) {
    this.options = options;
    const { flows, links, intervalNs, durationNs } = options;
    const values = (durationNs / intervalNs) * (flows.length * VALUES_PER_FLOW + links.length * VALUES_PER_LINK);
    if (values > MAX_VALUES) {
      throw new ConfigError(
        `probes.interval is ${intervalNs} ns: that makes ${Math.ceil(values)} samples of flows and links; allowed: at most ${MAX_VALUES}`,
      );
    }
    this.deliveredBytes = new Float64Array(flows.length);
    this.goodputs = flows.map(() => []);
    this.creditRates = flows.map(() => []);
    this.states = flows.map(() => new StateSamples());
    this.queues = links.map(() => []);
    this.creditQueues = links.map(() => []);
    this.creditDrops = links.map(() => []);
    this.utilisations = links.map(() => []);
  }

  /** Samples so far. */
  get samples(): number {
    return this.timesNs.length;
  }

  /** The run is over: what is left of an interval is the last. */
  finish(nowNs: number): void {
    const { intervalNs } = this.options;
    const restNs = nowNs - this.samples * intervalNs;
    if (restNs >= LEAST_REST * intervalNs) this.sample(nowNs, restNs);
  }

  /** The interval that ends now. */
  sample(nowNs: number, intervalNs = this.options.intervalNs): void {
    const { flows, links } = this.options;
    this.timesNs.push(nowNs);
    flows.forEach((run, index) => {
      this.goodputs[index].push(((run.deliveredBytes - this.deliveredBytes[index]) * 8e9) / intervalNs);
      this.deliveredBytes[index] = run.deliveredBytes;
      this.creditRates[index].push(run.receiver?.rateBps ?? 0);
      this.sampleState(run, index);
    });
    links.forEach((link, index) => {
      const { queueBytes, creditQueueFrames, creditDrops, utilisation } = link.sample(intervalNs);
      this.queues[index].push(queueBytes);
      this.creditQueues[index].push(creditQueueFrames);
      this.creditDrops[index].push(creditDrops);
      this.utilisations[index].push(utilisation);
    });
  }

  /** Of its window or of its credits: the other end's has no names. */
  private sampleState({ sender, receiver, isOver }: FlowRun, index: number): void {
    if (isOver) return;
    const at = this.samples - 1;
    if (sender !== null) this.states[index].add(at, sender.algorithmState);
    if (receiver !== null) this.states[index].add(at, receiver.algorithmState);
  }

  get series(): RunSeries {
    const { flows, links, intervalNs, flowLabel } = this.options;
    return {
      intervalNs,
      timesNs: Float64Array.from(this.timesNs),
      flows: flows.map((run, index): FlowSeries => {
        const { id, group } = run.plan;
        return {
          id,
          group,
          label: flowLabel(run),
          goodputBps: Float64Array.from(this.goodputs[index]),
          creditRateBps: Float64Array.from(this.creditRates[index]),
          state: this.states[index].series(this.samples),
        };
      }),
      links: links.map(
        ({ name, rateBps }, index): LinkSeries => ({
          name,
          rateBps,
          dataQueueBytes: Float64Array.from(this.queues[index]),
          creditQueueFrames: Float64Array.from(this.creditQueues[index]),
          creditDrops: Float64Array.from(this.creditDrops[index]),
          utilisation: Float64Array.from(this.utilisations[index]),
        }),
      ),
    };
  }
}
