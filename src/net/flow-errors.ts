import { type ErrorCode, XpassError } from '../base/errors.js';
import { formatDuration } from '../base/quantities.js';
import type { Trouble } from '../udp/remote-end.js';

/** Who was talked to, and how long it was waited for. */
export interface PeerContext {
  /** The peer as people write it. */
  readonly peerName: string;
  readonly connectTimeoutNs: number;
  readonly idleTimeoutNs: number;
  /** Why nothing comes, where that is known. */
  readonly trouble: Trouble | null;
}

/** What ended a flow, in one sentence that names the peer and what decides; the core's error is the `cause`. */
export function flowError(error: XpassError, context: PeerContext): XpassError {
  return new XpassError(error.code, sentence(error, context), { cause: error });
}

function sentence(error: XpassError, { peerName, connectTimeoutNs, idleTimeoutNs, trouble }: PeerContext): string {
  const who = trouble?.who ?? peerName;
  const sentences: Partial<Record<ErrorCode, string>> = {
    unreachable: `${who} does not answer: ${trouble?.reason ?? `nothing came within the connect timeout of ${formatDuration(connectTimeoutNs)}`}`,
    idle: `${who} is lost: ${trouble?.reason ?? `nothing came within the idle timeout of ${formatDuration(idleTimeoutNs)}`}`,
    refused: `${peerName} refuses the flow: it serves nothing, is ending, or has as many streams as it takes`,
    shutdown: `${peerName} ended in the middle: its process is shutting down`,
  };
  return sentences[error.code] ?? `${peerName}: ${error.message}`;
}
