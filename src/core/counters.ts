// Tested by test/core/endpoint.test.ts
/**
 * What one endpoint has seen, and everything that it dropped, by reason. PROTOCOL §2.7 and §6.6. Plain numbers, so that counting costs an
 * increment and a snapshot is a copy.
 */
export interface EndpointCounters {
  /** Frames that came, those dropped included. */
  framesReceived: number;
  /** Frames that were given to the NIC. */
  framesSent: number;
  /** Dropped at the door: shorter than its header. */
  short: number;
  /** Dropped at the door: of a version that is not spoken here. */
  version: number;
  /** Dropped at the door: of a type that is not known. */
  type: number;
  /** Dropped at the door: the CRC does not match. */
  check: number;
  /** Dropped at the door: longer or shorter than its fields say. */
  length: number;
  /** Dropped at the door: a field has a value that is not allowed. */
  invalid: number;
  /** Frames of a kind that only the other side of a flow takes. */
  direction: number;
  /** Frames that are meant for another host. */
  misdirected: number;
  /** Frames of a flow that is not known here. */
  unknownFlow: number;
  /** Data whose echo names a credit that was not sent. */
  unknownCredit: number;
  /** Data frames that echo a credit that another one has echoed. */
  duplicateData: number;
  /** Credits that had come before. */
  duplicateCredits: number;
  /** Data beyond the receive window. */
  outsideWindow: number;
  /** Data that would leave more holes than a receiver keeps track of. */
  tooManyRanges: number;
  /** Credits that came late enough to be taken as dropped first. */
  lateEchoes: number;
  /** Frames held back from a peer that has not proved its address. PROTOCOL §4.6 */
  unprovedHeld: number;
  /** Flows refused because of maxFlows. */
  flowsRefused: number;
  /** Lingering flows forgotten early because of maxLingering. */
  lingerEvictions: number;
  /** Flows that asked for more weight than maxWeight. */
  weightsLimited: number;
  /** Peers whose paths were forgotten for others. */
  pathEvictions: number;
  /** RESETs not sent because of their rate limit. */
  resetsSuppressed: number;
  /** Frames that did not fit the endpoint's output. */
  outputOverflows: number;
  /** Frames that the host's own NIC dropped. */
  nicDrops: number;
}

export function newCounters(): EndpointCounters {
  return {
    framesReceived: 0,
    framesSent: 0,
    short: 0,
    version: 0,
    type: 0,
    check: 0,
    length: 0,
    invalid: 0,
    direction: 0,
    misdirected: 0,
    unknownFlow: 0,
    unknownCredit: 0,
    duplicateData: 0,
    duplicateCredits: 0,
    outsideWindow: 0,
    tooManyRanges: 0,
    lateEchoes: 0,
    unprovedHeld: 0,
    flowsRefused: 0,
    lingerEvictions: 0,
    weightsLimited: 0,
    pathEvictions: 0,
    resetsSuppressed: 0,
    outputOverflows: 0,
    nicDrops: 0,
  };
}
