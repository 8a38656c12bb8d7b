/**
 * xpass: a transport whose receivers ask for data, credit by credit.
 *
 * `openHost` opens a host; a host opens and takes streams. `xpass/net` has the signatures of `node:net`.
 *
 * @module xpass
 */
export { AssertionError } from './base/assert.js';
export { type ErrorCode, XpassError } from './base/errors.js';
export type { AttachedLink } from './core/attachment.js';
export type { EndpointCounters } from './core/counters.js';
export type { DoorCounters } from './core/door.js';
export type { FlowObserver, FlowReader, FlowWriter } from './core/flow-callbacks.js';
export type { CreditClass } from './core/flow-terms.js';
export type { HandshakeCounters } from './core/handshakes.js';
export type { MtuCounters } from './core/path-mtus.js';
export type { PathCounters } from './core/paths.js';
export type { ReceiverStatistics } from './core/receiver-statistics.js';
export type { SenderStatistics } from './core/sender-requests.js';
export {
  Host,
  type HostAddress,
  type HostEvents,
  openHost,
  type SenderOptions,
} from './net/host.js';
export type {
  ConnectOptions,
  FlowOptions,
  HostOptions,
  Notice,
  ServeOptions,
  StreamOptions,
} from './net/host-options.js';
export type { HostStatistics } from './net/host-statistics.js';
export type { AcceptReply } from './net/receiver.js';
export { Receiver } from './net/receiver.js';
export { Sender } from './net/sender.js';
export { Stream, type StreamEvents, type StreamStatistics } from './net/stream.js';
export type { Address, UdpAddress } from './udp/address.js';
export type { DatapathChoice, DatapathCounters, DatapathKind } from './udp/datapath.js';
export type { LatenessSnapshot } from './udp/machine-loop.js';
export type { DriverStatistics } from './udp/statistics.js';
export type { Spin } from './udp/wake-policy.js';
