// Tested by test/sim/simulate.test.ts
import { MICROSECOND_NS, MILLISECOND_NS } from '../base/time.js';
import { DEFAULT_CONFIG, type EndpointConfig } from '../core/config.js';

/**
 * Simulated endpoints: deployed ones without allowances for late processes. Control timers are a few data-centre round trips; a sender stops its credits one
 * RTT after it ran dry.
 */
export const SIMULATION_CONFIG: Readonly<EndpointConfig> = {
  ...DEFAULT_CONFIG,
  catchUpNs: 0,
  /**
   * ACKs are sent without credit. A shuffle of 288 flows to a host lost 2,167 of 120,000 frames in NICs' queues at 100 us, none at 20 ms. Holes and ends are
   * acknowledged at once.
   */
  ackDelayNs: 20 * MILLISECOND_NS,
  /** The minimum retransmission timeout of the authors of ExpressPass 2016, section 5. */
  retransmitMarginNs: 200 * MICROSECOND_NS,
  /**
   * Requests are sent without credit. In a shuffle of 2,592 flows to a host, 1 ms (here and in `creditTimeoutNs`) lost 13,004 data frames in 30 ms,
   * 20 ms none.
   */
  initialRetransmitNs: 20 * MILLISECOND_NS,
  maxBackoffNs: 100 * MILLISECOND_NS,
  /** As in the papers, whose figures count the credits that find no data. */
  backlogWaitNs: 0,
  peerRequests: Number.POSITIVE_INFINITY,
  creditTimeoutNs: 20 * MILLISECOND_NS,
  stopTimeoutNs: 0,
  dataTimeoutNs: 10 * MILLISECOND_NS,
  creditLifeNs: 10 * MILLISECOND_NS,
  lingerNs: 20 * MILLISECOND_NS,
  /** Of an endless flow on the longest path that an experiment has: 100 Gbit/s for 1 ms are 12.5 MB. */
  receiveWindowBytes: 16 * 1024 * 1024,
  heldMemoryBytes: Number.POSITIVE_INFINITY,
};
