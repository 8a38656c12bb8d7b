// Tested by test/apps/shared/scenario/hosts.test.ts

import { duration, size } from '../../../base/quantities.js';
import { decimal, integer, orWord, type ValueKind } from '../../../base/value-kind.js';
import type { EndpointConfig } from '../../../core/config.js';

/** One field of EndpointConfig as scenario files have it. */
export interface EndpointField {
  readonly field: keyof EndpointConfig;
  readonly kind: ValueKind<number>;
  readonly describe: string;
}

/** What a scenario says elsewhere: the topology has ids and rates; algorithm, parameters and jitter stand beside `endpoint`. */
type Elsewhere =
  | 'hostId'
  | 'rateBps'
  | 'creditAlgorithm'
  | 'creditParameters'
  | 'windowAlgorithm'
  | 'windowParameters'
  | 'jitter';

const UNBOUNDED = Number.POSITIVE_INFINITY;
const TIME = duration();
const SIZE = size();
const COUNT = integer();
const TIME_OR_NONE = orWord(TIME, 'none', UNBOUNDED);
const COUNT_OR_UNLIMITED = orWord(COUNT, 'unlimited', UNBOUNDED);
const RATIO_OR_UNLIMITED = orWord(decimal(), 'unlimited', UNBOUNDED);

/** Names in files are those of the fields without the unit. The type holds the table to the fields that there are. */
const FIELDS: Readonly<
  Record<Exclude<keyof EndpointConfig, Elsewhere>, readonly [name: string, kind: ValueKind<number>, describe: string]>
> = {
  frameBytes: ['frameSize', SIZE, 'Largest UDP payload of a data frame; that of the link without it'],
  creditSizeJitterBytes: [
    'creditSizeJitter',
    SIZE,
    'Most that the size of a credit differs from 88 wire bytes, drawn anew for each',
  ],
  catchUpNs: ['catchUp', TIME, 'How much lost time a pacer that wakes late makes up for'],
  catchUpRtts: ['catchUpRtts', decimal(), "The same as a part of the flow's shortest RTT, where that is longer"],
  receiveWindowBytes: ['receiveWindow', SIZE, 'Bytes of a flow that its receiver holds or has credited'],
  maxOutstandingCredits: ['maxOutstandingCredits', COUNT, 'Credits that one flow has outstanding at most'],
  keptCredits: ['keptCredits', COUNT, 'Sprayed credits that a sender without data keeps for a moment'],
  speculativeRttNs: [
    'speculativeRtt',
    TIME,
    'A flow begins with as many bytes without credits as the link of its host carries in this RTT; 0: with none',
  ],
  frameChunks: [
    'frameChunks',
    COUNT,
    'Chunks of other flows to the same host that a frame carries at most, in what its own flow leaves of it; 0: none',
  ],
  peerRequests: ['peerRequests', COUNT_OR_UNLIMITED, 'Requests for credits to one host that have not been answered'],
  hostCredits: ['hostCredits', COUNT_OR_UNLIMITED, 'Credits that all flows of the host have outstanding together'],
  queueBoundNs: ['queueBound', TIME_OR_NONE, 'Data that may queue for the host, as time on its link'],
  queueBoundRtts: ['queueBoundRtts', decimal(), "The same as a part of the flows' shortest RTT, where that is longer"],
  backlogWaitNs: [
    'backlogWait',
    TIME,
    'After this without data a receiver issues more credits than what the sender has takes; 0: at once, as in the papers',
  ],
  sendBufferBytes: ['sendBuffer', SIZE, 'Bytes of a flow that its sender holds until they are acknowledged'],
  maxWeight: ['maxWeight', COUNT, 'Largest weight that a flow to the host gets, whatever its sender asks for'],
  maxFlows: ['maxFlows', COUNT, 'Flows of the host at a time, both directions'],
  maxLingering: ['maxLingering', COUNT, 'Complete flows that are kept to answer repeated FINs'],
  amplificationLimit: [
    'amplificationLimit',
    RATIO_OR_UNLIMITED,
    'Wire bytes sent for each received before the path is proved',
  ],
  ackFrames: ['ackFrames', COUNT, 'Data frames per ACK'],
  ackFramesWithHoles: ['ackFramesWithHoles', COUNT, 'Data frames per ACK while there are holes'],
  ackDelayNs: ['ackDelay', TIME, 'Longest time that a received frame waits for its ACK'],
  retransmitMarginNs: ['retransmitMargin', TIME, 'Added to the smoothed RTT at the least in the retransmission time'],
  initialRetransmitNs: ['initialRetransmit', TIME, 'Retransmission time before the first RTT sample'],
  maxBackoffNs: ['maxBackoff', TIME, 'Where back-off stops doubling'],
  creditTimeoutNs: ['creditTimeout', TIME, 'How long a sender waits for credits before it asks again'],
  stopTimeoutNs: [
    'stopTimeout',
    TIME,
    'How long a sender without data keeps its credits, or one RTT where that is longer',
  ],
  dataTimeoutNs: ['dataTimeout', TIME, 'How long a receiver without data sends credits'],
  creditLifeNs: ['creditLife', TIME, 'After this a credit without an echo is given up'],
  lingerNs: ['linger', TIME, 'How long a complete flow is kept to answer repeated FINs'],
  idleTimeoutNs: ['idleTimeout', TIME, 'How long a peer may be silent before it counts as lost'],
  connectTimeoutNs: ['connectTimeout', TIME, 'How long an opening may stay unanswered'],
  timerSlackNs: ['timerSlack', TIME, 'How much later than their time the timers of flows may wake the host'],
};

/** Every field of an endpoint that a scenario may set, by its name there. */
export const ENDPOINT_FIELDS: ReadonlyMap<string, EndpointField> = new Map(
  Object.entries(FIELDS).map(([field, [name, kind, describe]]) => [
    name,
    { field: field as keyof EndpointConfig, kind, describe },
  ]),
);

/** The name in scenario files of a field. */
export function endpointFieldName(field: string): string | undefined {
  return [...ENDPOINT_FIELDS].find(([, each]) => each.field === field)?.[0];
}
