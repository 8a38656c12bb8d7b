import type { Duplex } from 'node:stream';
import { ConfigError } from '../../switch/config-error.js';
import { LineBuffer } from '../shared/line-buffer.js';
import type { ControlReply } from '../shared/switch-control.js';

/** A command of the protocol takes a few hundred bytes (ours). */
export const MAX_COMMAND_BYTES = 16_384;

/** Does a command and returns the answer, plain JSON; throws a ConfigError for one that it does not take. */
export type ControlHandler = (command: unknown) => object;

/**
 * One connection to the control: takes commands, one line of JSON each, and answers each with one line, in their order (docs/decisions/0006). It reads no
 * further while an answer waits for its reader, so a connection holds one answer and one chunk of input at most.
 */
export class ControlSession {
  private readonly stream: Duplex;
  private readonly handle: ControlHandler;
  private readonly onCommand: () => void;
  private readonly lines = new LineBuffer(MAX_COMMAND_BYTES);
  private isOver = false;

  /** `onCommand` is called for each command that arrives. */
  constructor(stream: Duplex, handle: ControlHandler, onCommand: () => void = () => {}) {
    this.stream = stream;
    this.handle = handle;
    this.onCommand = onCommand;
    stream.on('data', (chunk: Buffer) => this.take(chunk));
    stream.on('drain', () => this.answerWaiting());
    // The other end went away: its own affair.
    stream.on('error', () => stream.destroy());
  }

  /** Says why and ends the connection. */
  refuse(message: string): void {
    if (this.isOver) return;
    this.isOver = true;
    this.stream.end(`${JSON.stringify(failure('config', message))}\n`);
  }

  private take(chunk: Buffer): void {
    if (this.isOver) return;
    const fits = this.lines.push(chunk);
    this.answerWaiting();
    if (!fits) this.refuse(`a command is longer than allowed: at most ${MAX_COMMAND_BYTES} bytes`);
  }

  private answerWaiting(): void {
    while (!this.isOver && !this.stream.writableNeedDrain) {
      const line = this.lines.shift();
      if (line === undefined) break;
      this.answer(line);
    }
    if (this.stream.writableNeedDrain) this.stream.pause();
    else this.stream.resume();
  }

  private answer(line: string): void {
    this.onCommand();
    const command = readJson(line);
    // A browser can be made to send lines here, but not to begin with one that is JSON: nothing that follows is read.
    if (command === undefined) this.refuse('a command is no JSON; write one object a line, such as {"verb":"ports"}');
    else this.stream.write(`${JSON.stringify(this.reply(command))}\n`);
  }

  private reply(command: unknown): ControlReply {
    try {
      return { ok: true, result: this.handle(command) };
    } catch (error) {
      if (error instanceof ConfigError) return failure(error.code, error.message);
      throw error;
    }
  }
}

function failure(code: string, message: string): ControlReply {
  return { ok: false, error: { code, message } };
}

/** Undefined for what is no JSON. */
function readJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
