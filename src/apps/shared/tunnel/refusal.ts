// Tested by test/loopback/tunnel.test.ts

import { Fault } from '../files/fault.js';
import { encodeMessage, type Message } from '../files/message.js';
import { parseVerdict } from '../files/verdict.js';
import { firstMessage } from '../first-message.js';
import type { TunnelStream } from './join.js';

/** Why there is no tunnel, by the word of the far side or of the transport. */
export class Refusal {
  /** One of docs/TUNNEL.md, "Codes", or a newer peer's. */
  readonly code: string;
  /** One sentence for people. */
  readonly message: string;

  constructor(code: string, message: string) {
    this.code = code;
    this.message = message;
  }
}

/** Time for the answer: the far side's connect time, and a round trip with repeats (ours). */
const ANSWER_TIMEOUT_MS = 20_000;

/** Writes the header; what the caller writes next follows it at once. */
export function sendHeader(stream: TunnelStream, header: Message): void {
  stream.write(encodeMessage(header));
}

/** The answer of the kind that is expected, or why there is none. */
export async function readAnswer(
  stream: TunnelStream,
  kind: string,
  timeoutMs = ANSWER_TIMEOUT_MS,
): Promise<Message | Refusal> {
  const answer = await firstMessage(stream, timeoutMs);
  if (answer instanceof Fault) return ofFault(stream, answer);
  if (answer.kind === kind) return answer;
  const verdict = parseVerdict(answer);
  return new Refusal(verdict.code, verdict.message);
}

/** An error of the transport says more than the fault that it became. */
function ofFault({ errored }: TunnelStream, { code, message }: Fault): Refusal {
  const error = errored as (Error & { code?: string }) | null;
  if (error !== null) return new Refusal(error.code ?? code, error.message);
  return new Refusal(code, code === 'aborted' ? 'given up before the far side had answered' : message);
}
