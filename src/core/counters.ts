// Tested by test/core/endpoint.test.ts
/**
 * What one endpoint has seen, and everything that it dropped, by reason. PROTOCOL §2.7 and §6.6. Plain numbers, so that counting costs an
 * increment and a snapshot is a copy.
 */
export interface EndpointCounters {
  framesReceived: number;
  framesSent: number;
  /** Frames that the check at the door refused, by reason. */
  short: number;
  version: number;
  type: number;
  check: number;
  length: number;
  invalid: number;
  /** A frame that this role does not take, or that is meant for another host. */
  direction: number;
  misdirected: number;
  unknownFlow: number;
  /** Data whose echo names a credit that was not sent, or one that was echoed before. */
  unknownCredit: number;
  duplicateData: number;
  duplicateCredits: number;
  outsideWindow: number;
  tooManyRanges: number;
  /** Credits that came late enough to be taken as dropped first. */
  lateEchoes: number;
  /** Flows refused because of maxFlows; lingering flows forgotten early because of maxLingering. */
  flowsRefused: number;
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
    flowsRefused: 0,
    lingerEvictions: 0,
    weightsLimited: 0,
    pathEvictions: 0,
    resetsSuppressed: 0,
    outputOverflows: 0,
    nicDrops: 0,
  };
}
