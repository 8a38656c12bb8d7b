// Tested by test/apps/send/series-transfer.test.ts
import { XpassError } from '../base/errors.js';
import type { FlowWriter } from '../core/flow-callbacks.js';
import type { Receiver } from '../net/receiver.js';
import type { Sender } from '../net/sender.js';
import { encodeMessage, type Message } from './file/message.js';
import type { FlowHost } from './service.js';

/** What the flow of answers begins with. docs/APPLICATIONS.md, "files" */
export const ANSWERS_KIND = 'answers';

/** Answers that wait for a peer that does not read them (ours: some MB; an honest one has 64 files without a verdict). */
const MOST_WAITING = 10_000;

/** The flow on which a stream is answered with messages in a row. When it is lost the stream is reset: its peer would wait for ever. */
export class AnswerFlow implements FlowWriter {
  private readonly receiver: Receiver;
  private readonly host: FlowHost;
  private readonly waiting: Uint8Array[] = [encodeMessage({ kind: ANSWERS_KIND })];
  private sender: Sender | null = null;

  constructor(receiver: Receiver, host: FlowHost) {
    this.receiver = receiver;
    this.host = host;
    try {
      this.sender = receiver.openReply(this);
    } catch (error) {
      if (!(error instanceof XpassError)) throw error;
      receiver.reset();
    }
  }

  send(message: Message): void {
    if (this.sender === null) return;
    this.waiting.push(encodeMessage(message));
    if (this.waiting.length > MOST_WAITING) this.receiver.reset();
    else this.host.run(() => this.flush());
  }

  /** No answer follows. */
  end(): void {
    this.sender?.end();
    this.sender = null;
  }

  onWritable(): void {
    this.flush();
  }

  onClosed(error: XpassError | null): void {
    this.sender = null;
    if (error !== null) this.receiver.reset();
  }

  private flush(): void {
    while (this.waiting.length > 0 && this.sender?.write(this.waiting[0]) === true) this.waiting.shift();
  }
}
