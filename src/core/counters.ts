// Tested by test/core/endpoint.test.ts
import { counter, initialValues, type Values } from '../base/metric.js';

/** What one endpoint counts, every dropped frame by its reason. PROTOCOL §2.7 and §6.6 */
export const ENDPOINT_METRICS = {
  framesReceived: counter('frames', 'Frames received, dropped ones included; each credit of CREDITS is one'),
  framesSent: counter('frames', 'Frames given to the NIC'),
  short: counter('frames', 'Dropped at the door: shorter than the header'),
  version: counter('frames', 'Dropped at the door: unsupported version'),
  type: counter('frames', 'Dropped at the door: unknown type'),
  check: counter('frames', 'Dropped at the door: wrong CRC'),
  length: counter('frames', 'Dropped at the door: longer or shorter than its fields say'),
  invalid: counter('frames', 'Dropped at the door: a field has a forbidden value'),
  extension: counter('frames', 'Dropped at the door: extended by what may not be skipped'),
  direction: counter('frames', 'Dropped: of a type that only the other side of a flow takes'),
  misdirected: counter('frames', 'Dropped: addressed to another host'),
  unknownFlow: counter('frames', 'Dropped: of an unknown flow'),
  unknownCredit: counter('frames', 'Data that echoes a credit which was never sent'),
  duplicateData: counter('frames', 'Data that echoes a credit which was echoed before'),
  duplicateCredits: counter('credits', 'Credits received twice'),
  outsideWindow: counter('frames', 'Data beyond the receive window'),
  tooManyRanges: counter('frames', 'Data that would leave more holes than a receiver tracks'),
  noRoomBeyondHole: counter(
    'frames',
    'Data beyond a hole dropped, to come again: the memory for it was at its limit, or would have been mostly empty',
  ),
  lateEchoes: counter('credits', 'Credits that were taken as dropped and echoed later'),
  flowsRefused: counter('flows', 'Flows refused because of maxFlows'),
  lingerEvictions: counter('flows', 'Lingering flows forgotten early because of maxLingering'),
  weightsLimited: counter('flows', 'Flows that asked for more weight than maxWeight'),
  pathEvictions: counter('peers', 'Peers whose paths were forgotten in favour of others'),
  resetsSuppressed: counter('frames', 'RESETs withheld by their rate limit'),
  outputOverflows: counter('frames', "Frames that did not fit the endpoint's output"),
  nicDrops: counter('frames', "Frames dropped by the host's own NIC"),
};

/** Counts of one endpoint since it was made. docs/METRICS.md, "Endpoint", has the meaning of each. */
export type EndpointCounters = Values<typeof ENDPOINT_METRICS>;

export function newCounters(): EndpointCounters {
  return initialValues(ENDPOINT_METRICS);
}
