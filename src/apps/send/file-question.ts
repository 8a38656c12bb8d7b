// Tested by test/loopback/send-resume.test.ts
import type { Logger } from 'pino';
import type { XpassError } from '../../base/errors.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import type { FlowReader } from '../../core/flow-callbacks.js';
import type { Receiver } from '../../net/receiver.js';
import type { Sender } from '../../net/sender.js';
import type { Fault } from '../../services/file/fault.js';
import { encodeMessage, type Message } from '../../services/file/message.js';
import { IncomingStream } from '../../services/incoming-stream.js';
import type { FlowHost } from '../../services/service.js';

export interface FileQuestionOptions {
  readonly host: FlowHost;
  readonly logger: Logger;
  readonly peer: number;
}

/**
 * Asks a receiver one message on a flow of its own. The flow stays open until the answer is there: its keep-alives tell a receiver that is busy from
 * one that is gone.
 */
export class FileQuestion {
  private readonly options: FileQuestionOptions;
  private sender: Sender | null = null;
  private isAnswered = false;
  private resolve: (answer: Message) => void = () => undefined;
  private reject: (error: unknown) => void = () => undefined;

  constructor(options: FileQuestionOptions) {
    this.options = options;
  }

  /** Throws XpassError when the flow fails before the answer, and a Failure for an answer that makes no sense. Call it once. */
  async ask(question: Message): Promise<Message> {
    const { host, peer } = this.options;
    const answered = new Promise<Message>((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    const onClosed = (error: XpassError | null): void => {
      this.reject(error ?? new Failure(ExitCode.failed, 'the flow was closed before the receiver answered'));
    };
    const writer = { onWritable: () => undefined, onClosed };
    const sender = host.openSender(peer, writer, { onReply: (reply) => this.read(reply) });
    this.sender = sender;
    try {
      sender.write(encodeMessage(question));
      const answer = await answered;
      sender.end();
      return answer;
    } finally {
      sender.forgetReplies();
    }
  }

  /** Gives it up with `error`. */
  abort(error: XpassError | Failure): void {
    this.reject(error);
    this.sender?.reset();
  }

  private read(reply: Receiver): FlowReader | null {
    if (this.isAnswered) return null;
    this.isAnswered = true;
    const { host, logger } = this.options;
    return new IncomingStream({
      receiver: reply,
      host,
      logger,
      accept: (message) => {
        this.resolve(message);
        return { bodyBytes: 0, hasTrailer: false, onBody: () => {}, onEnd: () => {}, onFault: () => {} };
      },
      onRefused: (fault) => this.refuse(fault),
      onClosed: () => {
        this.isAnswered = false;
      },
    });
  }

  /** An answer that breaks off is not wrong: another may come. */
  private refuse({ code, message }: Fault): void {
    if (code !== 'aborted') this.abort(new Failure(ExitCode.failed, `the receiver's answer is wrong: ${message}`));
  }
}
