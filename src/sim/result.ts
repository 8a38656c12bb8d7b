// Tested by test/sim/simulate.test.ts

/**
 * Credits of one flow, counted by its receiver: sent = used + wasted + dropped + outstanding.
 * No credit is outstanding where the run ends with its flows.
 */
export interface CreditTotals {
  sent: number;
  /** Came back with data. */
  used: number;
  /** Reached a sender that had nothing to send. */
  wasted: number;
  /** Lost in the network or at the host's own NIC. */
  dropped: number;
}

export interface FlowResult {
  id: number;
  group: string;
  /** Id on the wire, by which switches choose its path; absent where it never started, and in a lab. */
  wireId?: number;
  /** Names of hosts. */
  src: string;
  dst: string;
  /** null: it has no end. */
  bytes: number | null;
  startNs: number;
  /** From its start until its receiver has every byte; null: it has not. */
  fctNs: number | null;
  /** `fctNs` over that of the same flow alone; null where there is none. */
  slowdown: number | null;
  /** Payload that arrived in order, in the measured time while the flow lasted. */
  goodputBps: number;
  /** The same with what waits behind holes, and so without their chance. Only for hosts that read at once; absent in a lab. */
  arrivalBps?: number;
  deliveredBytes: number;
  credits: CreditTotals;
  /** Code of the error that ended it; null for none. */
  error: string | null;
}

/** One direction of a link, over the measured time. */
export interface LinkResult {
  name: string;
  /** null: unlimited. */
  rateBps: number | null;
  /** Data on the wire as a part of the link's data share (PROTOCOL §9.1); 0 on an unlimited link. */
  utilisation: number;
  /** Since the start of the run, opening requests included. */
  dataQueueBytesMaxEver: number;
  dataQueueBytesMax: number;
  dataQueueBytesMean: number;
  /** Credits that came to the direction: dropped there or carried. */
  creditsOffered: number;
  creditDrops: number;
  /** Frames that found the data queue full. */
  dataDrops: number;
  /** Speculative frames that found more in the data queue than such frames may. */
  speculativeDrops: number;
  /** Frames of any type that were lost on the link: by impairments, outages and restarts. */
  lost: number;
  ecnMarks: number;
}

/** Completion times of the flows of one size class. */
export interface FctResult {
  count: number;
  meanNs: number;
  p50Ns: number;
  p99Ns: number;
  maxNs: number;
  /** null where no slowdown is known. */
  slowdownP99: number | null;
}

/** Everything, then by size as in ExpressPass 2017: S < 10 KB <= M < 100 KB <= L < 1 MB <= XL. */
export const SIZE_CLASSES = ['all', 'S', 'M', 'L', 'XL'] as const;
export type SizeClass = (typeof SIZE_CLASSES)[number];

/** What came out of one run. The same scenario and seed give the same result on every machine. */
export interface SimulationResult {
  scenario: string;
  seed: number;
  /** Of the first host that receives; all of them joined by `+` where they differ. */
  algorithm: string;
  /** Of virtual time. */
  durationNs: number;
  measuredNs: number;
  flows: FlowResult[];
  links: LinkResult[];
  /** Over the first window; null where fewer than two flows run at a time. */
  jain: number | null;
  jainByWindow: { windowNs: number; jain: number | null }[];
  utilisation: number;
  /** Share of the credits sent that the network or a NIC dropped. */
  creditDropShare: number;
  /** Degree of disorder of the data frames (core/disorder.ts); null where it is not counted. */
  disorder: { p99: number; max: number } | null;
  /** Classes without flows are left out. */
  fct: Partial<Record<SizeClass, FctResult>>;
  /** Handled by the simulation: frames that arrive somewhere and deadlines that come. */
  events: number;
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
  /** What its algorithm remembers at the end of the interval, by the names of the papers, of a window also `window` (frames) and `delay` (latest RTT, ns); NaN while the flow is not there. Absent in a lab. */
  state?: Record<string, Float64Array>;
}

export interface LinkSeries {
  name: string;
  rateBps: number | null;
  /** The highest in the interval. */
  dataQueueBytes: Float64Array;
  creditQueueFrames: Float64Array;
  utilisation: Float64Array;
}

export interface SimulationRun {
  result: SimulationResult;
  /** null where the scenario asks for none. */
  series: RunSeries | null;
}
