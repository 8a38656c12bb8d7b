// Tested by test/sim/simulate.test.ts
import { MICROSECOND_NS, MILLISECOND_NS } from '../base/time.js';
import { DEFAULT_CONFIG, type EndpointConfig } from '../core/config.js';

/**
 * Simulated endpoints: the deployed ones without what is there for processes that wake late. Timers that guard against lost control frames are a few
 * round trips of a data centre (all ours but where a source is named); a sender stops its credits one RTT after it ran dry, and no earlier.
 */
export const SIMULATION_CONFIG: Readonly<EndpointConfig> = {
  ...DEFAULT_CONFIG,
  catchUpNs: 0,
  /** Addresses are not forged here, and at the start of many flows three credits would all be dropped and a flow be behind for good. */
  amplificationLimit: Number.POSITIVE_INFINITY,
  /**
   * An ACK is data that nobody asked for. With hundreds of flows to a host each frame comes after the delay of the one before, and an ACK for each takes 5 % of the way
   * back: at 100 us a shuffle of 288 flows to a host overflowed the NICs' queues (2,167 frames lost of 120,000), at 20 ms it lost none. Holes and ends are acknowledged at once.
   */
  ackDelayNs: 20 * MILLISECOND_NS,
  /** The minimum retransmission timeout of the authors of ExpressPass 2016, section 5. */
  retransmitMarginNs: 200 * MICROSECOND_NS,
  /**
   * Requests are data that nobody asked for too, and of the thousands of flows of a shuffle each waits some milliseconds for its first credit and between two: at 1 ms (this and
   * `creditTimeoutNs`) 2,592 flows to a host filled the NICs' queues with requests and the ACKs that answer them (13,004 data frames lost in 30 ms), at 20 ms they lost none.
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
};
