/**
 * xpass: a transport whose receivers ask for data, credit by credit.
 *
 * `openHost` opens a host; a host opens and takes streams. `xpass/net` has the signatures of `node:net`.
 */
export { AssertionError } from './base/assert.js';
export { type ErrorCode, XpassError } from './core/errors.js';
export type { FlowObserver, FlowReader, FlowWriter } from './core/flow-callbacks.js';
export { Host, type HostEvents, type HostStatistics, openHost, type SenderOptions } from './net/host.js';
export type { ConnectOptions, FlowOptions, HostOptions, Notice, StreamOptions } from './net/host-options.js';
export { Receiver } from './net/receiver.js';
export { Sender } from './net/sender.js';
export { Stream, type StreamStatistics } from './net/stream.js';
