// Tested by test/scenario/scenario-file.test.ts
import type { TieOrder } from '../base/deadline-heap.js';
import type { EndpointConfig } from '../core/config.js';
import type { ShareOptions } from '../core/flow-terms.js';
import type { ImpairmentConfig } from '../switch/impairment.js';
import type { PortConfig } from '../switch/port.js';
import type { Topology } from '../switch/topology.js';

/**
 * One run, checked and in plain numbers: ns, bit/s, bytes. A scenario file (docs/SCENARIOS.md) means one; the simulator plays it in virtual time, `xpass lab`
 * with processes.
 */
export interface Scenario {
  readonly name: string;
  /** All chance of the run comes from it. */
  readonly seed: number;
  readonly durationNs: number;
  /** Rates, queues and fairness are measured from here to the end; flows and their completion times always. */
  readonly warmUpNs: number;
  /** End as soon as every flow with an end has ended, instead of at `durationNs`. */
  readonly endsWithFlows: boolean;
  readonly topology: Topology;
  /** Names of link directions (`left->right`) whose lowest utilisation is the run's; none: the highest of all links is. */
  readonly bottlenecks: readonly string[];
  /** One for each host of the topology, in its order. */
  readonly hosts: readonly HostSpec[];
  readonly traffic: readonly TrafficSpec[];
  readonly faults: readonly Fault[];
  /** Windows over which Jain's index is taken and averaged; the first gives the result's `jain`. */
  readonly jainWindowsNs: readonly number[];
  readonly probes: ProbeSpec;
  /** Whether data frames carry bytes, which are then checked where they arrive, or lengths only. */
  readonly payload: 'lengths' | 'bytes';
  /** Order of events at one time; `deadlines` by default. Several threads need `places`. */
  readonly ties?: TieOrder;
  /** False: no flow is played alone to know its slowdown; they are all null. */
  readonly slowdowns?: boolean;
  /** Hosts prove themselves to each other before a flow hears of a peer (PROTOCOL §7); needs bytes. Not without it. */
  readonly doors?: boolean;
  /** Hosts that break every rule; in random worlds. */
  readonly hostile?: readonly HostileSpec[];
}

export interface HostSpec {
  readonly id: number;
  /** What differs from SIMULATION_CONFIG (endpoint-defaults.ts); `hostId` and `rateBps` are set from the topology. */
  readonly endpoint: Partial<EndpointConfig>;
  /** What differs from the host's link in the topology, for the NIC that sends into it. */
  readonly nic: Partial<PortConfig>;
  /**
   * Host processing: frames are worked on one after the other for `workNs` each, then delayed by `delayNs` and up to `jitterNs`, uniform. They keep
   * their order.
   */
  readonly processing: { readonly delayNs: number; readonly jitterNs: number; readonly workNs?: number };
  /** How much faster its clock runs than it should, parts per million. */
  readonly clockDriftPpm: number;
}

/** What the flows of a run have in common, and where they go. Random choices are made from the scenario's seed. */
export type TrafficSpec = FlowTraffic | PermutationTraffic | IncastTraffic | ShuffleTraffic | PoissonTraffic;

interface TrafficBase {
  /** A group's name, for results; flows of one group are compared with each other. */
  readonly group: string;
  readonly startNs: number;
  /** Each flow starts up to this much later, uniform: independent programs do not start in one instant. */
  readonly startJitterNs: number;
  /** Name in the registry of core/window, or '' for flows with credits; that of the sending host if absent. */
  readonly windowAlgorithm?: string;
  /** What each flow's credits are worth against those of others. */
  readonly share?: ShareOptions;
}

/** One flow, or `count` equal ones. */
export interface FlowTraffic extends TrafficBase {
  readonly kind: 'flow';
  readonly from: number;
  readonly to: number;
  /** Infinity: it never ends. */
  readonly bytes: number;
  readonly count: number;
  /** When its sender gives it no more data; Infinity for never. */
  readonly stopNs: number;
}

/** Each of `hosts` sends one flow to another of them and gets one, by a random permutation without fixed points. */
export interface PermutationTraffic extends TrafficBase {
  readonly kind: 'permutation';
  readonly hosts: readonly number[];
  readonly bytes: number;
}

/** Each of `from` sends to `to`; `everyNs`: again and again, `rounds` times. */
export interface IncastTraffic extends TrafficBase {
  readonly kind: 'incast';
  readonly from: readonly number[];
  readonly to: number;
  readonly bytes: number;
  readonly rounds: number;
  readonly everyNs: number;
}

/** Every task of every host sends `bytes` to every task of every other host, `rounds` times; the next message starts when the one before has arrived. */
export interface ShuffleTraffic extends TrafficBase {
  readonly kind: 'shuffle';
  readonly hosts: readonly number[];
  readonly tasks: number;
  readonly bytes: number;
  readonly rounds: number;
}

/**
 * Poisson arrivals of flows between random pairs, sizes from a distribution. `load` is the part of `loadRateBps` (capacity, summed over where it is offered) in
 * wire bytes of data, by the distribution's own mean.
 */
export interface PoissonTraffic extends TrafficBase {
  readonly kind: 'poisson';
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly sizes: SizeDistribution;
  readonly load: number;
  readonly loadRateBps: number;
  readonly flows: number;
}

/** A cumulative distribution of flow sizes: points of ascending bytes and probability, linear between them. */
export interface SizeDistribution {
  readonly name: string;
  readonly points: readonly { readonly bytes: number; readonly probability: number }[];
}

/** Something that goes wrong, or right again, at `atNs`. */
export type Fault =
  | {
      readonly kind: 'link';
      readonly atNs: number;
      readonly link: string;
      readonly port: Partial<PortConfig>;
      readonly impairment: Partial<ImpairmentConfig>;
    }
  /** Frames inside and on their way to the switch are lost, and all that arrives for `forNs`. */
  | { readonly kind: 'switchRestart'; readonly atNs: number; readonly switch: string; readonly forNs: number }
  /** The host forgets everything, and comes back after `forNs` (Infinity: never). Its flows end with errors. */
  | { readonly kind: 'hostCrash'; readonly atNs: number; readonly host: number; readonly forNs: number }
  /** What arrives at the host is read at this rate from now on; Infinity: at once. */
  | { readonly kind: 'reader'; readonly atNs: number; readonly host: number; readonly rateBps: number }
  | { readonly kind: 'clock'; readonly atNs: number; readonly host: number; readonly driftPpm: number };

/** What a hostile host does, by a script whose chance is `seed`. It speaks the protocol besides, as far as `changeShare` lets it. */
export interface HostileSpec {
  readonly host: number;
  readonly seed: number;
  readonly fromNs: number;
  readonly untilNs: number;
  /** Single tricks after that, in their order: when everybody else is silent. */
  readonly lateNs: readonly number[];
  /** Mean time between two of its tricks. */
  readonly gapNs: number;
  /** Names of what it does. */
  readonly tricks: readonly string[];
  /** The part of its own frames that it changes, loses or sends twice. */
  readonly changeShare: number;
  /** It sends frames in the name of others: no switch looks at sources (PROTOCOL §8.2 says that it does). */
  readonly spoofs: boolean;
  /** It sees every frame of the world, and sends them again. */
  readonly isOnPath: boolean;
  /** Its frames pass the meter and the queue of its NIC, as those of each host pass its switch. */
  readonly isMetered: boolean;
  /** The part of its link that lies take at most. */
  readonly load: number;
}

export interface ProbeSpec {
  /** Time between two samples of the series of a report; 0: none are taken. */
  readonly intervalNs: number;
  /** Directions whose queues are sampled; none: the bottlenecks, or all where none is named. */
  readonly links: readonly string[];
  /** How many flows at most have series of their own, the first ones. */
  readonly maxFlows: number;
  /** Ids of the flows that have series instead. */
  readonly flows?: readonly number[];
}
