// Tested by test/apps/perf/client.test.ts
import type { Percentiles } from './histogram.js';

/** How far flows are, one entry for each. */
export interface FlowSample {
  /** Payload that has arrived, as far as this side knows. */
  readonly bytes: readonly number[];
  /** Data frames sent again; null of a flow that the other side sends. */
  readonly repairs: readonly (number | null)[];
  /** Sent and not acknowledged; null of a flow that the other side sends. */
  readonly underWayBytes: readonly (number | null)[];
  /** Round trips since the last sample, of all flows of its direction, where this side measures them. */
  readonly rtt: readonly Percentiles[];
}

/** A test as one side knows it: first the flows of the client's data, then of the server's. */
export interface PerfSample extends FlowSample {
  readonly nowNs: number;
}

export function perfSample(nowNs: number, sides: readonly ({ sample(): FlowSample } | null)[]): PerfSample {
  const samples = sides.flatMap((side) => (side === null ? [] : [side.sample()]));
  return {
    nowNs,
    bytes: samples.flatMap(({ bytes }) => bytes),
    repairs: samples.flatMap(({ repairs }) => repairs),
    underWayBytes: samples.flatMap(({ underWayBytes }) => underWayBytes),
    rtt: samples.flatMap(({ rtt }) => rtt),
  };
}
