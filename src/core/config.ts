import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../base/time.js';
import { Chunks, Credit, DEFAULT_FRAME_BYTES, MAX_FRAME_BYTES, MAX_HOST_ID, MIN_FRAME_BYTES } from '../wire/layout.js';
import { DEFAULT_CREDIT_ALGORITHM } from './credit/registry.js';
import { XpassError } from './errors.js';
import { MAX_WEIGHT } from './flow-terms.js';

/** A credit has 0 to 8 bytes of padding, 4 in the mean. PROTOCOL §4.4 */
const MAX_SIZE_JITTER_BYTES = Credit.maxPaddingBytes / 2;

/** What a sender's buffer holds at the least: receivers count on it, who are not told. */
export const LEAST_SEND_BUFFER_BYTES = 65_536;

/** What every receiver takes before it has said anything; or two frames, where these are longer. PROTOCOL §11.1, §13.1 */
export const LEAST_WINDOW_BYTES = 65_536;

/**
 * Everything that an endpoint can be told. Times are nanoseconds. Where no source is named the number is ours: chosen for hosts on one site whose
 * processes wake with a millisecond's jitter.
 */
export interface EndpointConfig {
  /** This host's id behind a switch; 0 in direct mode. PROTOCOL §1.2 */
  hostId: number;
  /** Rate of this host's link at first (`Endpoint.setLinkRate` changes it), which is every flow's max_rate; Infinity for unlimited. */
  rateBps: number;
  /** Largest UDP payload of a data frame that this host sends or takes. */
  frameBytes: number;
  /** Name in the registry of core/credit. */
  creditAlgorithm: string;
  /** Parameters of that algorithm by their names; the rest keep their defaults. */
  creditParameters: Readonly<Record<string, number>>;
  /** Name in the registry of core/window for the flows that this host opens; '' for flows with credits. */
  windowAlgorithm: string;
  /** Parameters of that algorithm by their names; the rest keep their defaults. */
  windowParameters: Readonly<Record<string, number>>;
  /** Jitter of the inter-credit gap as a part of it, 0 to 0.5. ExpressPass 2017 uses 0.01 to 0.08 and finds 0.02 enough. */
  jitter: number;
  /** Most that the size of a credit differs from 88 wire bytes, either way; 0 makes all alike, to see what goes wrong then. PROTOCOL §4.4 */
  creditSizeJitterBytes: number;
  /** How much lost time a pacer that wakes late makes up for; a credit queue of 8 takes 1 ms of credits of a 100 Mbit/s link. */
  catchUpNs: number;
  /**
   * Part of a flow's shortest RTT that its pacer makes up for, where that is longer than `catchUpNs`. Only where no switch meters its credits: a
   * credit queue of 8 would drop them.
   */
  catchUpRtts: number;
  /** Bytes of a flow that its receiver holds or has credited. PROTOCOL §5.6 */
  receiveWindowBytes: number;
  /** Credits that one flow has outstanding at most: fewer than 2^15, a sixteenth of what 20-bit sequence numbers can tell apart. PROTOCOL §1.3, §6.6 */
  maxOutstandingCredits: number;
  /** Sprayed credits without data that a sender keeps until it stops its credits; 0: none. They release a burst, so no more than some queues full. */
  keptCredits: number;
  /**
   * Credits that all flows of this host have outstanding together: no more data than the host's socket buffer holds.
   * The driver knows that number; where nothing is lost between network and host (the simulator) it is Infinity.
   */
  hostCredits: number;
  /** Data that may queue for this host, as time on its link; see credit-budget.ts. Infinity, as in the papers: what the credits' meters let through. */
  queueBoundNs: number;
  /** Part of the flows' shortest RTT that may queue where that is longer than `queueBoundNs`; docs/decisions/0007-late-processes.md. */
  queueBoundRtts: number;
  /**
   * Once the credits outstanding cover what the sender has said that it has, the receiver issues one more only after so long without data, or two smoothed RTTs where that is longer; see receive-window.ts.
   * 0: it issues credits whatever the sender has, as in the papers, whose wasted credits show what that costs.
   */
  backlogWaitNs: number;
  /** A flow of this host begins, and goes on after a rest, with as many bytes without credits as its link carries in this RTT; 0: with none. PROTOCOL §12 */
  speculativeRttNs: number;
  /** Chunks of other flows to the same peer that this host adds to a frame at most, where its credit has room for more than its flow has; 0: none. PROTOCOL §13 */
  frameChunks: number;
  /** CREDIT_REQUESTs to one peer without an answer at a time; see request-gate.ts. */
  peerRequests: number;
  /** Bytes of a flow that its sender holds, sent or not, until they are acknowledged. */
  sendBufferBytes: number;
  /** Largest weight that a flow which this host receives gets, whatever its sender asks for. PROTOCOL §4.9 */
  maxWeight: number;
  /** Flows of this host, both directions, lingering ones left out. */
  maxFlows: number;
  /** COMPLETE flows that are kept to answer repeated FINs. PROTOCOL §6.5 */
  maxLingering: number;
  /** Wire bytes sent for each received before the path is proved. PROTOCOL §4.6 */
  amplificationLimit: number;
  /** Data frames per ACK, without and with holes. PROTOCOL §5.1 */
  ackFrames: number;
  ackFramesWithHoles: number;
  /** Longest time that a received frame waits for its ACK; four gaps of the flow's frames where that is longer. */
  ackDelayNs: number;
  /** Added to the smoothed RTT at the least in the retransmission time: the jitter of a process's wake-ups. PROTOCOL §5.5 */
  retransmitMarginNs: number;
  /** Retransmission time before the first RTT sample. PROTOCOL §5.5 */
  initialRetransmitNs: number;
  /** Where back-off stops doubling. PROTOCOL §5.5 */
  maxBackoffNs: number;
  /** "No credit for timeout" of the paper's Figure 7, or two smoothed RTTs where that is longer. */
  creditTimeoutNs: number;
  /** "No data for timeout" of the paper's Figure 7, or one smoothed RTT where that is longer. */
  stopTimeoutNs: number;
  /** A receiver without data for this long, or eight RTTs or gaps where that is longer, stops its credits. */
  dataTimeoutNs: number;
  /** A credit without an echo for this long, or four smoothed RTTs, is given up. PROTOCOL §4.5 */
  creditLifeNs: number;
  lingerNs: number;
  /** PROTOCOL §5.7 */
  idleTimeoutNs: number;
  /**
   * How much later than their time `nextTimeout` asks for the timers of flows, which fire on time when something else brings the host round before. Credits, and data of flows that pace, are asked for on time. 0:
   * timers too.
   */
  timerSlackNs: number;
  connectTimeoutNs: number;
}

export const DEFAULT_CONFIG: Readonly<EndpointConfig> = {
  hostId: 0,
  rateBps: Number.POSITIVE_INFINITY,
  frameBytes: DEFAULT_FRAME_BYTES,
  creditAlgorithm: DEFAULT_CREDIT_ALGORITHM,
  creditParameters: {},
  windowAlgorithm: '',
  windowParameters: {},
  jitter: 0.02,
  creditSizeJitterBytes: MAX_SIZE_JITTER_BYTES,
  catchUpNs: 1 * MILLISECOND_NS,
  catchUpRtts: 0,
  receiveWindowBytes: 4 * 1024 * 1024,
  maxOutstandingCredits: 16_384,
  keptCredits: 64,
  hostCredits: Number.POSITIVE_INFINITY,
  queueBoundNs: Number.POSITIVE_INFINITY,
  queueBoundRtts: 0,
  // Ours: longer than most answers of a process take, and far shorter than the credit timeout, after which the sender would ask.
  backlogWaitNs: 2 * MILLISECOND_NS,
  speculativeRttNs: 0,
  frameChunks: 0,
  // Ours: at a round trip of 1 ms as many flows a second as a process can open, and no more to answer at once than takes a millisecond.
  peerRequests: 64,
  sendBufferBytes: 4 * 1024 * 1024,
  // Ours: one flow can take 16 times its neighbours' share of this host's link.
  maxWeight: 16,
  maxFlows: 65_536,
  maxLingering: 4_096,
  amplificationLimit: 3,
  ackFrames: 32,
  ackFramesWithHoles: 8,
  ackDelayNs: 5 * MILLISECOND_NS,
  retransmitMarginNs: 10 * MILLISECOND_NS,
  initialRetransmitNs: 100 * MILLISECOND_NS,
  maxBackoffNs: 1 * SECOND_NS,
  creditTimeoutNs: 20 * MILLISECOND_NS,
  stopTimeoutNs: 500 * MICROSECOND_NS,
  dataTimeoutNs: 200 * MILLISECOND_NS,
  creditLifeNs: 100 * MILLISECOND_NS,
  lingerNs: 2 * SECOND_NS,
  idleTimeoutNs: 10 * SECOND_NS,
  timerSlackNs: 0,
  connectTimeoutNs: 5 * SECOND_NS,
};

/**
 * max_rate of a flow whose host's link is unlimited: it only has to be beyond what a process can do, so that the window (PROTOCOL §5.6) and not the pacer
 * clocks the credits.
 */
export const UNLIMITED_MAX_RATE_BPS = 100e9;

/** Lowest and highest allowed value of each numeric field. */
const RANGES: readonly (readonly [keyof EndpointConfig, number, number])[] = [
  ['hostId', 0, MAX_HOST_ID],
  ['rateBps', 1_000, Number.POSITIVE_INFINITY],
  ['frameBytes', MIN_FRAME_BYTES, MAX_FRAME_BYTES],
  ['jitter', 0, 0.5],
  ['creditSizeJitterBytes', 0, MAX_SIZE_JITTER_BYTES],
  ['catchUpNs', 0, SECOND_NS],
  ['catchUpRtts', 0, 1],
  ['receiveWindowBytes', LEAST_WINDOW_BYTES, 2 ** 30],
  ['maxOutstandingCredits', 1, 32_767],
  ['keptCredits', 0, 4_096],
  ['hostCredits', 2, Number.POSITIVE_INFINITY],
  ['queueBoundNs', 0, Number.POSITIVE_INFINITY],
  ['queueBoundRtts', 0, 1],
  ['backlogWaitNs', 0, SECOND_NS],
  ['speculativeRttNs', 0, SECOND_NS],
  ['frameChunks', 0, Chunks.maxChunks],
  ['peerRequests', 1, Number.POSITIVE_INFINITY],
  ['sendBufferBytes', LEAST_SEND_BUFFER_BYTES, 2 ** 30],
  ['maxWeight', 1, MAX_WEIGHT],
  ['maxFlows', 1, 1_048_576],
  ['maxLingering', 0, 1_048_576],
  ['amplificationLimit', 1, Number.POSITIVE_INFINITY],
  ['ackFrames', 1, 1_024],
  ['ackFramesWithHoles', 1, 1_024],
  ['ackDelayNs', 0, SECOND_NS],
  ['retransmitMarginNs', 0, SECOND_NS],
  ['initialRetransmitNs', 1_000, 60 * SECOND_NS],
  ['maxBackoffNs', 1_000, 60 * SECOND_NS],
  ['creditTimeoutNs', 1_000, 60 * SECOND_NS],
  ['stopTimeoutNs', 0, 60 * SECOND_NS],
  ['dataTimeoutNs', 1_000, 60 * SECOND_NS],
  ['creditLifeNs', 1_000, 60 * SECOND_NS],
  ['lingerNs', 0, 3_600 * SECOND_NS],
  ['idleTimeoutNs', MILLISECOND_NS, 86_400 * SECOND_NS],
  ['timerSlackNs', 0, SECOND_NS],
  ['connectTimeoutNs', MILLISECOND_NS, 86_400 * SECOND_NS],
];

/** Fields that are counts, sizes or ids: whole numbers. */
const WHOLE: ReadonlySet<keyof EndpointConfig> = new Set([
  'hostId',
  'frameBytes',
  'creditSizeJitterBytes',
  'receiveWindowBytes',
  'maxOutstandingCredits',
  'keptCredits',
  'sendBufferBytes',
  'frameChunks',
  'maxWeight',
  'maxFlows',
  'maxLingering',
  'ackFrames',
  'ackFramesWithHoles',
]);

/** The defaults with `changes`; throws XpassError `config` that names the field, its value and what is allowed. */
export function endpointConfig(changes: Partial<EndpointConfig> = {}): EndpointConfig {
  const config = { ...DEFAULT_CONFIG, ...changes };
  for (const [field, lowest, highest] of RANGES) {
    const value = config[field];
    const isFit = typeof value === 'number' && (Number.isInteger(value) || !WHOLE.has(field));
    if (!(isFit && value >= lowest && value <= highest)) {
      const kind = WHOLE.has(field) ? 'whole number' : 'number';
      throw new XpassError('config', `${field} is ${String(value)}: it must be a ${kind} from ${lowest} to ${highest}`);
    }
  }
  if (config.receiveWindowBytes < 2 * config.frameBytes) {
    throw new XpassError(
      'config',
      `receiveWindowBytes is ${config.receiveWindowBytes}: it must hold two frames of ${config.frameBytes} bytes`,
    );
  }
  return config;
}

/** What says how long a flow waits at most. */
export type WaitBound = Pick<EndpointConfig, 'idleTimeoutNs'>;

/**
 * The longest that a flow waits for an answer, a credit or data before it does something about it: several tries fit into the idle timeout of either side. A
 * process that slept has samples of many seconds, and what is derived from such an RTT would outlast the flow (ours).
 */
export function longestWaitNs(config: WaitBound): number {
  return config.idleTimeoutNs / 4;
}
