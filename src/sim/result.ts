// Tested by test/sim/simulate.test.ts
import { gauge, group, label, list, map, nullable, type Values } from '../base/metric.js';
import { WASTED_CREDIT_METRICS } from '../core/credit-totals.js';

/** What became of one flow. */
export const FLOW_RESULT = {
  id: gauge('id', 'Number of the flow in the plan'),
  group: label('Group that the scenario gave it'),
  src: label("Sender's host"),
  dst: label("Receiver's host"),
  bytes: nullable(gauge('bytes', 'Size; null: endless')),
  startNs: gauge('s', 'Start'),
  fctNs: nullable(gauge('s', 'Time from the start until its receiver has every byte; null: it has not')),
  slowdown: nullable(gauge('ratio', 'Completion time over that of the same flow alone')),
  goodputBps: gauge('bit/s', 'Payload delivered in order, over the measured time in which the flow lasted'),
  deliveredBytes: gauge('bytes', 'Payload delivered in order, in the whole run'),
  credits: group('Credits by fate, as its receiver counted them', WASTED_CREDIT_METRICS),
  error: nullable(label('Code of the error that ended it')),
};

export interface FlowResult extends Values<typeof FLOW_RESULT> {
  /** Id on the wire, by which switches choose its path; absent where it never started, and in a lab. */
  wireId?: number;
  /** Goodput with what waits behind holes, and so without their chance. Only for hosts that read at once; absent in a lab. */
  arrivalBps?: number;
}

/** One direction of a link, over the measured time. */
export const LINK_RESULT = {
  name: label('Direction, as from->to'),
  rateBps: nullable(gauge('bit/s', 'Rate; null: unlimited')),
  utilisation: gauge(
    'share',
    "Data on the wire over what the link's data share carries (PROTOCOL §9.1); 0 if unlimited",
  ),
  dataQueueBytesMax: gauge('bytes', 'Largest data queue, wire bytes'),
  dataQueueBytesMean: gauge('bytes', 'Mean data queue over time, wire bytes'),
  creditDrops: gauge('credits', 'Credits that found their queue full'),
  dataDrops: gauge('frames', 'Frames that found the data queue full'),
  speculativeDrops: gauge('frames', 'Speculative frames that found more in the data queue than they may'),
  ecnMarks: gauge('frames', 'Frames marked CE'),
  dataQueueBytesMaxEver: gauge('bytes', 'Largest data queue since the start of the run, wire bytes'),
  creditsOffered: gauge('credits', 'Credits that came to the direction: dropped there or carried'),
  lost: gauge('frames', 'Frames of any type lost on the link: by impairments, outages and restarts'),
};

export type LinkResult = Values<typeof LINK_RESULT>;

/** Completion times of the flows of one size class. */
export const FCT_RESULT = {
  count: gauge('flows', 'Complete flows'),
  meanNs: gauge('s', 'Mean completion time'),
  p50Ns: gauge('s', 'Median completion time'),
  p99Ns: gauge('s', '99th percentile of the completion times'),
  maxNs: gauge('s', 'Longest completion time'),
  slowdownP99: nullable(gauge('ratio', '99th percentile of the slowdowns')),
};

export type FctResult = Values<typeof FCT_RESULT>;

/** Everything, then by size as in ExpressPass 2017: S < 10 KB <= M < 100 KB <= L < 1 MB <= XL. */
export const SIZE_CLASSES = ['all', 'S', 'M', 'L', 'XL'] as const;
export type SizeClass = (typeof SIZE_CLASSES)[number];

/** What came out of one run. */
export const RUN_RESULT = {
  scenario: label('Name of the scenario'),
  seed: gauge('id', 'Seed of all chance'),
  algorithm: label('Algorithms of the flows, joined by +'),
  durationNs: gauge('s', 'Length of the run, in its own time'),
  measuredNs: gauge('s', 'Measured part of the run'),
  flows: list('Flows, by id', FLOW_RESULT),
  links: list('Directions of links, over the measured time', LINK_RESULT),
  jain: nullable(gauge('share', "Jain's fairness index over the first window; null: never two flows at a time")),
  jainByWindow: list("Jain's index for each length of window", {
    windowNs: gauge('s', 'Length of the window'),
    jain: nullable(gauge('share', 'Mean of the index over all such windows')),
  }),
  utilisation: gauge('share', 'Of the least busy bottleneck; of the busiest link where none is named'),
  creditDropShare: gauge('share', 'Dropped credits over all whose fate is known'),
  disorderP99: nullable(gauge('frames', '99th percentile of the degree of disorder; null: not counted')),
  disorderMax: nullable(gauge('frames', 'Largest degree of disorder')),
  fct: map<SizeClass, typeof FCT_RESULT>('Completion times by size class, those with flows', FCT_RESULT),
  events: gauge('events', 'Frames that arrived somewhere and deadlines that came; datagrams in a lab'),
};

/** The same scenario and seed give the same result on every machine. */
export interface SimulationResult extends Omit<Values<typeof RUN_RESULT>, 'flows'> {
  flows: readonly FlowResult[];
}

/** What was sampled along the way, for plots. Every array has one value for each interval. */
export interface RunSeries {
  intervalNs: number;
  /** When each interval ended. The last may be shorter: it ends with the run. */
  timesNs: Float64Array;
  flows: FlowSeries[];
  links: LinkSeries[];
}

export interface FlowSeries {
  id: number;
  group: string;
  /** `h1->h3`. */
  label: string;
  /** Payload that arrived in the interval, as a rate. */
  goodputBps: Float64Array;
  /** Rate of its credits at the end of the interval, as the algorithm sets it. */
  creditRateBps: Float64Array;
  /**
   * What its algorithm remembers at the end of the interval, by the names of the papers, of a window also `window` (frames) and `delay` (latest RTT,
   * ns); NaN while the flow is not there. Absent in a lab.
   */
  state?: Record<string, Float64Array>;
}

export interface LinkSeries {
  name: string;
  rateBps: number | null;
  /** The highest in the interval. */
  dataQueueBytes: Float64Array;
  creditQueueFrames: Float64Array;
  /** Credits that found their queue full in the interval; absent in a lab. */
  creditDrops?: Float64Array;
  utilisation: Float64Array;
}

export interface SimulationRun {
  result: SimulationResult;
  /** null where the scenario asks for none. */
  series: RunSeries | null;
}
