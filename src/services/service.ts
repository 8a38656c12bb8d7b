import type { Logger } from 'pino';
import type { CreditChoice } from '../core/application.js';
import type { Host } from '../net/host.js';
import type { Receiver } from '../net/receiver.js';
import type { Fault } from './file/fault.js';
import type { Message } from './file/message.js';
import type { TransferBody } from './file/transfer-reader.js';

/** What services and their clients use of a host; tests have one in virtual time. */
export type FlowHost = Pick<
  Host,
  | 'acceptReceivers'
  | 'chooseCreditsBy'
  | 'creditAlgorithm'
  | 'frameBytes'
  | 'info'
  | 'link'
  | 'now'
  | 'openSender'
  | 'peerName'
  | 'run'
>;

/**
 * One thing that a daemon does for whoever opens a flow to it: `file` takes files, `perf` measures. A flow's first message is its header, and the
 * header's `kind` chooses the service; service-host.ts reads it. Nothing here may throw because of what a peer sends.
 */
export interface StreamService {
  /** The headers that are for this service. */
  readonly kind: string;
  /** A peer may open streams that name one of this kind as their pair, as the data of a perf test does. */
  readonly takesPaired?: boolean;
  /**
   * A stream of this kind has begun. Returns who takes its body, or why nobody does: then the peer gets a bad verdict. Its fields are the peer's word: check
   * each before use. A stream without a body announces 0 bytes, one that lasts until its end Infinity.
   */
  accept(header: Message, stream: ServedStream): TransferBody | Fault;
  /** The credit algorithm that a peer's stream wants for the flows that answer it; absent where streams have no such wish. */
  creditChoice?(peer: number, pairedFlowId: number): CreditChoice | null;
  /** The process ends: give up what is under way. Resolves when nothing is left to do; flows are reset afterwards. */
  close(): Promise<void>;
}

/** What a service does with a stream besides reading it. A flow that ends before its stream is told to the body as a fault. */
export interface ServedStream {
  /** The flow that the stream comes by. */
  readonly receiver: Receiver;
  /** The peer as people write it. */
  readonly peerName: string;
  readonly host: FlowHost;
  readonly logger: Logger;
  /**
   * Answers with one message on a flow of its own. Once the peer has it, a stream that has not ended is reset, since nobody wants the rest. Does not throw:
   * a peer that cannot be told is logged.
   */
  reply(message: Message): void;
  /** Answers with one more message on a flow that stays open as long as the stream, and so comes by no other order. Does not throw. */
  answer(message: Message): void;
}
