// Tested by test/apps/send/series-transfer.test.ts
import { XpassError } from '../base/errors.js';
import type { FlowWriter } from '../core/flow-callbacks.js';
import type { Receiver } from '../net/receiver.js';
import type { Sender } from '../net/sender.js';
import { encodeMessage, type Message } from './file/message.js';

/** What the flow of answers begins with. docs/APPLICATIONS.md, "files" */
export const ANSWERS_KIND = 'answers';

/** Answers that wait for a peer that does not read them (ours: some MB; an honest one has 256 files without a verdict). */
const MOST_WAITING = 10_000;
/** Answers wait this long for others (ours): each that goes alone costs both ends a request, a credit and a frame. A sender has many files without one. */
const GATHER_MS = 2;
/** Written at once (ours): some 16 KiB. */
const MOST_AT_ONCE = 64;

/** The flow on which a stream is answered with messages in a row. When it is lost the stream is reset: its peer would wait for ever. */
export class AnswerFlow implements FlowWriter {
  private readonly receiver: Receiver;
  private readonly waiting: Uint8Array[] = [encodeMessage({ kind: ANSWERS_KIND })];
  private sender: Sender | null = null;
  private timer: NodeJS.Timeout | null = null;

  constructor(receiver: Receiver) {
    this.receiver = receiver;
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
    else this.timer ??= setTimeout(() => this.flush(), GATHER_MS);
  }

  /** No answer follows. */
  end(): void {
    this.flush();
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
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    while (this.waiting.length > 0 && this.sender !== null) {
      const next = this.waiting.slice(0, MOST_AT_ONCE);
      if (!this.sender.write(Buffer.concat(next))) return;
      this.waiting.splice(0, next.length);
    }
  }
}
