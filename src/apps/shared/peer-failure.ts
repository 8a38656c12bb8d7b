import { formatDuration } from '../../base/quantities.js';
import type { ErrorCode, XpassError } from '../../core/errors.js';
import type { Trouble } from '../../udp/host-connection.js';
import { Failure, failureOf } from './failure.js';

/** Who was talked to, and how long it was waited for. */
export interface PeerContext {
  /** The peer as people write it. */
  readonly peerName: string;
  readonly connectTimeoutNs: number;
  readonly idleTimeoutNs: number;
  /** Why nothing comes, where that is known: from the transport, when it failed. */
  readonly trouble: Trouble | null;
}

/** What ended the traffic with a peer, in one sentence that names it and what decides. */
export function peerFailure(error: XpassError, context: PeerContext): Failure {
  const { peerName, connectTimeoutNs, idleTimeoutNs, trouble } = context;
  const who = trouble?.who ?? peerName;
  const sentences: Partial<Record<ErrorCode, string>> = {
    unreachable: `${who} does not answer: ${trouble?.reason ?? `nothing came within --connect-timeout ${formatDuration(connectTimeoutNs)}`}`,
    idle: `${who} is lost: ${trouble?.reason ?? `nothing came within --idle-timeout ${formatDuration(idleTimeoutNs)}`}`,
    refused: `${peerName} refuses the flow: it serves nothing, is ending, or has as many streams as it takes`,
    shutdown: `${peerName} ended in the middle: its process is shutting down`,
  };
  const { exitCode, message } = failureOf(error) as Failure;
  return new Failure(exitCode, sentences[error.code] ?? `${peerName}: ${message}`, { cause: error });
}
