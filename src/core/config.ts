import { ConfigError } from '../base/config-error.js';
import { duration, fraction, rate, size } from '../base/quantities.js';
import { checkFields, type ParameterValues, row, type SettingTable, settingTable } from '../base/setting.js';
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../base/time.js';
import { decimal, integer, type NumberKind, orWord } from '../base/value-kind.js';
import {
  Chunks,
  Credit,
  DEFAULT_FRAME_BYTES,
  MAX_FRAME_BYTES,
  MAX_HOST_ID,
  SEALED_EXTRA_BYTES,
} from '../wire/layout.js';
import { DEFAULT_CREDIT_ALGORITHM } from './credit/registry.js';
import { MAX_WEIGHT } from './flow-terms.js';

/** A credit has 0 to 8 bytes of padding, 4 in the mean. PROTOCOL §4.4 */
const MAX_SIZE_JITTER_BYTES = Credit.maxPaddingBytes / 2;

/** Smallest that leaves a data frame room to be worth its credit (ours); links carry more. */
const LEAST_FRAME_BYTES = 128;

/** Least send buffer: receivers count on it without being told. */
export const LEAST_SEND_BUFFER_BYTES = 65_536;

/** What every receiver takes before it has said anything; or two frames, where these are longer. PROTOCOL §11.1, §13.1 */
export const LEAST_WINDOW_BYTES = 65_536;

/**
 * Without changes. One literal with all fields in one order, so that V8 gives every configuration made of it one shape. ENDPOINT_SETTINGS says what
 * each number means.
 */
const DEFAULTS = {
  hostId: 0,
  rateBps: Number.POSITIVE_INFINITY,
  frameBytes: DEFAULT_FRAME_BYTES,
  sealBytes: 0,
  unprobedFrameBytes: Number.POSITIVE_INFINITY,
  /** Name in the registry of core/credit. */
  creditAlgorithm: DEFAULT_CREDIT_ALGORITHM,
  /** Parameters of that algorithm by their names; the rest keep their defaults. */
  creditParameters: {} as ParameterValues,
  /** Name in the registry of core/window for the flows that this host opens; '' for flows with credits. */
  windowAlgorithm: '',
  /** Parameters of that algorithm by their names; the rest keep their defaults. */
  windowParameters: {} as ParameterValues,
  jitter: 0.02,
  creditSizeJitterBytes: MAX_SIZE_JITTER_BYTES,
  catchUpNs: 1 * MILLISECOND_NS,
  catchUpRtts: 0,
  receiveWindowBytes: 4 * 1024 * 1024,
  heldMemoryBytes: 256 * 1024 * 1024,
  maxOutstandingCredits: 16_384,
  keptCredits: 64,
  hostCredits: Number.POSITIVE_INFINITY,
  queueBoundNs: Number.POSITIVE_INFINITY,
  queueBoundRtts: 0,
  backlogWaitNs: 2 * MILLISECOND_NS,
  speculativeRttNs: 0,
  unprovedFrames: Number.POSITIVE_INFINITY,
  frameChunks: 0,
  peerRequests: 64,
  sendBufferBytes: 4 * 1024 * 1024,
  maxWeight: 16,
  maxFlows: 65_536,
  maxLingering: 4_096,
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

/** Everything that an endpoint can be told. Times are nanoseconds. */
export type EndpointConfig = typeof DEFAULTS;

export const DEFAULT_CONFIG: Readonly<EndpointConfig> = DEFAULTS;

/** Those of its fields that are numbers; the algorithms stand in their registries. */
type EndpointNumbers = Omit<
  EndpointConfig,
  'creditAlgorithm' | 'creditParameters' | 'windowAlgorithm' | 'windowParameters'
>;

function orUnlimited(kind: NumberKind): NumberKind {
  return orWord(kind, 'unlimited', Number.POSITIVE_INFINITY);
}

/** A size from `lowest` to 1 GiB. */
function bufferFrom(lowest: number): NumberKind {
  return size({ lowest, highest: 2 ** 30 });
}

/** Up to a second: a wait within a flow. */
const WAIT = duration({ highest: SECOND_NS });
/** Up to a minute, and not for nothing: timers that guard against lost control frames. */
const TIMER = duration({ lowest: MICROSECOND_NS, highest: 60 * SECOND_NS });
/** Up to a day: how long a peer may be silent. */
const PATIENCE = duration({ lowest: MILLISECOND_NS, highest: 86_400 * SECOND_NS });
const FRAMES_PER_ACK = integer({ lowest: 1, highest: 1_024 });
const LATE_PROCESSES = 'docs/decisions/0007-late-processes.md';
const OURS = 'ours';

/** Every number that an endpoint can be told. `ours`: chosen for hosts on one site whose processes wake with a millisecond's jitter. */
export const ENDPOINT_SETTINGS: SettingTable<EndpointNumbers> = settingTable<EndpointNumbers>(DEFAULTS, {
  hostId: row(
    'hostId',
    integer({ highest: MAX_HOST_ID }),
    "the host's id behind a switch; 0 without one",
    'PROTOCOL §1.2',
  ),
  rateBps: row(
    'rate',
    rate({ lowest: 1_000, unlimited: true }),
    "rate of the host's link: max_rate of its flows",
    OURS,
  ),
  frameBytes: row(
    'frameSize',
    size({ lowest: LEAST_FRAME_BYTES, highest: MAX_FRAME_BYTES }),
    'largest UDP payload of a data frame',
    'PROTOCOL §1.1',
  ),
  sealBytes: row(
    'seal',
    integer({ highest: SEALED_EXTRA_BYTES }),
    'what keys add to each frame but CREDIT: 16 with keys, 0 without; beside frameBytes',
    'PROTOCOL §7.5',
  ),
  unprobedFrameBytes: row(
    'unprobedFrameSize',
    orWord(size({ lowest: LEAST_FRAME_BYTES, highest: MAX_FRAME_BYTES }), 'off', Number.POSITIVE_INFINITY),
    'largest frame before probes have shown what the path to a peer carries; off: frames of frameSize, whatever it carries',
    'PROTOCOL §7.9; RFC 8899',
  ),
  jitter: row(
    'jitter',
    fraction({ highest: 0.5 }),
    'jitter of the gap between credits, as a part of it',
    'ExpressPass 2017 uses 0.01 to 0.08 and finds 0.02 enough',
  ),
  creditSizeJitterBytes: row(
    'creditSizeJitter',
    size({ highest: MAX_SIZE_JITTER_BYTES }),
    'how far the sizes of credits differ from their mean of 88 wire bytes, at random; 0: all are alike',
    'PROTOCOL §4.4',
  ),
  catchUpNs: row(
    'catchUp',
    WAIT,
    'how much lost time a pacer that wakes late makes up for',
    'ours: a credit queue of 8 takes 1 ms of credits of a 100 Mbit/s link',
  ),
  catchUpRtts: row(
    'catchUpRtts',
    decimal({ highest: 1 }),
    "the same as a part of the flow's shortest RTT, where that is longer; for paths without switches",
    'ours: a credit queue of 8 would drop them',
  ),
  receiveWindowBytes: row(
    'receiveWindow',
    bufferFrom(LEAST_WINDOW_BYTES),
    'bytes of a flow that its receiver holds or has credited',
    'PROTOCOL §5.6',
  ),
  heldMemoryBytes: row(
    'heldMemory',
    orUnlimited(bufferFrom(LEAST_WINDOW_BYTES)),
    'bytes that all flows to this host hold together, for readers and beyond holes; a flow holds as much as is free at most',
    'ours: 64 full receive windows',
  ),
  maxOutstandingCredits: row(
    'maxOutstandingCredits',
    integer({ lowest: 1, highest: 32_767 }),
    'credits outstanding of one flow at most',
    'PROTOCOL §1.3, §6.6: fewer than 2^15, a sixteenth of what 20-bit sequence numbers tell apart',
  ),
  keptCredits: row(
    'keptCredits',
    integer({ highest: 4_096 }),
    'sprayed credits that a sender without data keeps until it stops its credits; 0: none',
    'ours: they release a burst of a few queues at most',
  ),
  hostCredits: row(
    'hostCredits',
    orUnlimited(integer({ lowest: 2 })),
    'credits outstanding of all flows of the host together, besides those under way when nothing queues',
    "ours: no more data waits than the host's socket buffer holds; unlimited where nothing is lost between network and host",
  ),
  queueBoundNs: row(
    'queueBound',
    orWord(duration(), 'none', Number.POSITIVE_INFINITY),
    'data that may queue for the host, as time on its link; none, as in the papers: what the meters let through',
    LATE_PROCESSES,
  ),
  queueBoundRtts: row(
    'queueBoundRtts',
    decimal({ highest: 1 }),
    "the same as a part of the flows' shortest RTT, where that is longer",
    LATE_PROCESSES,
  ),
  backlogWaitNs: row(
    'backlogWait',
    WAIT,
    'once the credits outstanding cover what the sender has, one more goes only after this without data, or two RTTs; 0: at once',
    'ours: longer than most answers of a process take, far shorter than the credit timeout; 0 in the papers',
  ),
  speculativeRttNs: row(
    'speculativeRtt',
    WAIT,
    'a flow begins, and goes on after a rest, with as many bytes without credits as its link carries in this RTT; 0: with none',
    'PROTOCOL §12',
  ),
  unprovedFrames: row(
    'unprovedFrames',
    orUnlimited(integer({ lowest: 1, highest: 1_024 })),
    'frames without credits that may be under way to a peer before its path has carried some; unlimited: the path needs no proof',
    'PROTOCOL §12.1; hosts have the 10 of RFC 6928',
  ),
  frameChunks: row(
    'frameChunks',
    integer({ highest: Chunks.maxChunks }),
    'chunks of other flows to the same host that a frame carries at most, in what its own flow leaves of it; 0: none',
    'PROTOCOL §13',
  ),
  peerRequests: row(
    'peerRequests',
    orUnlimited(integer({ lowest: 1 })),
    'requests for credits to one host that wait for an answer at a time',
    'ours: at an RTT of 1 ms as many flows a second as a process can open',
  ),
  sendBufferBytes: row(
    'sendBuffer',
    bufferFrom(LEAST_SEND_BUFFER_BYTES),
    'bytes of a flow that its sender holds until they are acknowledged',
    OURS,
  ),
  maxWeight: row(
    'maxWeight',
    integer({ lowest: 1, highest: MAX_WEIGHT }),
    'largest weight that a flow to this host gets, whatever its sender asks for',
    "PROTOCOL §4.9; ours: 16 times a neighbour's share",
  ),
  maxFlows: row('maxFlows', integer({ lowest: 1, highest: 1_048_576 }), 'flows at a time, both directions', OURS),
  maxLingering: row(
    'maxLingering',
    integer({ highest: 1_048_576 }),
    'complete flows that are kept to answer repeated FINs',
    'PROTOCOL §6.5',
  ),
  ackFrames: row('ackFrames', FRAMES_PER_ACK, 'data frames per ACK', 'PROTOCOL §5.1'),
  ackFramesWithHoles: row(
    'ackFramesWithHoles',
    FRAMES_PER_ACK,
    'data frames per ACK while there are holes',
    'PROTOCOL §5.1',
  ),
  ackDelayNs: row('ackDelay', WAIT, 'longest wait of a received frame for its ACK, or four gaps of frames', OURS),
  retransmitMarginNs: row(
    'retransmitMargin',
    WAIT,
    'least addition to the smoothed RTT in the retransmission time',
    "PROTOCOL §5.5; the jitter of a process's wake-ups",
  ),
  initialRetransmitNs: row(
    'initialRetransmit',
    TIMER,
    'retransmission time before the first RTT sample',
    'PROTOCOL §5.5',
  ),
  maxBackoffNs: row('maxBackoff', TIMER, 'retransmission time at which back-off stops doubling', 'PROTOCOL §5.5'),
  creditTimeoutNs: row(
    'creditTimeout',
    TIMER,
    'how long a sender waits for credits before it asks again, or two smoothed RTTs',
    'ExpressPass 2017, Figure 7: no credit for timeout',
  ),
  stopTimeoutNs: row(
    'stopTimeout',
    duration({ highest: 60 * SECOND_NS }),
    'how long a sender without data keeps its credits, or one smoothed RTT',
    'ExpressPass 2017, Figure 7: no data for timeout',
  ),
  dataTimeoutNs: row(
    'dataTimeout',
    TIMER,
    'how long a receiver without data sends credits, or eight RTTs or gaps',
    OURS,
  ),
  creditLifeNs: row(
    'creditLife',
    TIMER,
    'how long a credit may stay without an echo, or four smoothed RTTs',
    'PROTOCOL §4.5',
  ),
  lingerNs: row(
    'linger',
    duration({ highest: 3_600 * SECOND_NS }),
    'how long a complete flow is kept to answer repeated FINs',
    'PROTOCOL §6.5',
  ),
  idleTimeoutNs: row(
    'idleTimeout',
    PATIENCE,
    'how long a peer may be silent before it counts as lost',
    'PROTOCOL §5.7',
  ),
  timerSlackNs: row(
    'timerSlack',
    WAIT,
    'how much later than their time the timers of flows may wake a host that has nothing else to do',
    'ours: 2.5 ms on real processes; credits and paced data are on time',
  ),
  connectTimeoutNs: row('connectTimeout', PATIENCE, 'how long a peer or switch has for its first answer', OURS),
});

/**
 * max_rate of a flow whose host's link is unlimited: it only has to be beyond what a process can do, so that the window (PROTOCOL §5.6) and not the pacer
 * clocks the credits.
 */
export const UNLIMITED_MAX_RATE_BPS = 100e9;

/** The defaults with `changes`; throws a ConfigError that names the field, its value and what is allowed. */
export function endpointConfig(changes: Partial<EndpointConfig> = {}): EndpointConfig {
  const config = { ...DEFAULT_CONFIG, ...changes };
  checkFields(ENDPOINT_SETTINGS, config);
  const { receiveWindowBytes, frameBytes } = config;
  if (receiveWindowBytes >= 2 * frameBytes) return config;
  throw new ConfigError(
    `receiveWindowBytes is ${receiveWindowBytes}; allowed: two frames of ${frameBytes} bytes, or more`,
    [ENDPOINT_SETTINGS.receiveWindowBytes.name],
  );
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
