// Tested by test/loopback/live-page.test.ts
import type { Receiver } from '../../net/receiver.js';

/** One flow that a daemon receives, at one moment. */
export interface ServedFlow {
  readonly peerName: string;
  readonly flowId: number;
  readonly algorithm: string;
  readonly bytesDelivered: number;
  readonly rateBps: number;
  readonly rttNs: number;
  readonly state: Readonly<Record<string, number>>;
}

/** `creditAlgorithm`: of the host, which rules the flows that are not reactive. */
export function servedFlows(receivers: readonly Receiver[], creditAlgorithm: string): ServedFlow[] {
  return receivers.map((receiver) => {
    const { bytesDelivered, rateBps, rttNs } = receiver.statistics;
    return {
      ...{ peerName: receiver.peerName, flowId: receiver.id, bytesDelivered, rateBps, rttNs },
      algorithm: receiver.isReactive ? 'window' : creditAlgorithm,
      state: receiver.algorithmState,
    };
  });
}
