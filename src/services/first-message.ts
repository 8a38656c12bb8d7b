// Tested by test/services/stream-services.test.ts

import type { Readable } from 'node:stream';
import { Fault } from './file/fault.js';
import { type Message, MessageDecoder } from './file/message.js';

/**
 * The message that a stream begins with; what follows it is left in the stream. A fault when none comes in time, when it makes no sense, or when the stream
 * ends or fails before. The stream has to have a listener for its errors.
 */
export function firstMessage(stream: Readable, timeoutMs: number): Promise<Message | Fault> {
  return new Promise((resolve) => {
    const decoder = new MessageDecoder();
    const finish = (outcome: Message | Fault): void => {
      clearTimeout(timer);
      stream.off('readable', read).off('end', end).off('close', close).off('error', fail);
      resolve(outcome);
    };
    const read = (): void => {
      for (let chunk = stream.read() as Buffer | null; chunk !== null; chunk = stream.read() as Buffer | null) {
        const used = decoder.push(chunk, 0);
        if (decoder.result === null) continue;
        const { result } = decoder;
        finish(result);
        if (used < chunk.length) stream.unshift(chunk.subarray(used));
        return;
      }
    };
    const end = (): void => finish(new Fault('truncated', 'the stream ended before its first message'));
    const fail = (error: Error): void => finish(new Fault('aborted', error.message));
    const close = (): void => finish(new Fault('aborted', 'the stream was given up before its first message'));
    const late = new Fault('timeout', `no whole message came within ${timeoutMs / 1e3} s`);
    const timer = setTimeout(() => finish(late), timeoutMs);
    if (stream.errored) fail(stream.errored);
    else if (stream.closed) close();
    else stream.on('end', end).on('close', close).on('error', fail).on('readable', read);
  });
}
