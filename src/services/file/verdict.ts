import { printable } from '../../base/display.js';
import { Fault } from './fault.js';
import { isSha256 } from './file-header.js';
import type { Message } from './message.js';
import type { TransferBody } from './transfer-reader.js';

/** The receiver's answer to a stream, sent on the flow that goes the other way. docs/APPLICATIONS.md, "verdict" */
export interface Verdict extends Message {
  readonly kind: 'verdict';
  readonly ok: boolean;
  /** `ok`, or a FaultCode; from a newer peer perhaps another word. */
  readonly code: string;
  /** One sentence for people. */
  readonly message: string;
  /** What the receiver computed; null where it did not get so far. */
  readonly sha256: string | null;
}

/** A verdict's sentence, in characters. */
const MAX_SENTENCE = 1_000;

export function goodVerdict(message: string, sha256: string | null): Verdict {
  return { kind: 'verdict', ok: true, code: 'ok', message, sha256 };
}

export function badVerdict({ code, message }: Fault, sha256: string | null = null): Verdict {
  return { kind: 'verdict', ok: false, code, message: message.slice(0, MAX_SENTENCE), sha256 };
}

/** The verdict in a message of a peer, with a sentence that is safe to show. */
export function parseVerdict({ kind, ok, code, message, sha256 = null }: Message): Verdict | Fault {
  if (kind !== 'verdict') return new Fault('unsupported', `the peer answered with something else than a verdict`);
  const isWhole = typeof ok === 'boolean' && typeof code === 'string' && typeof message === 'string';
  if (!isWhole || !/^[A-Za-z]{1,32}$/.test(code)) return new Fault('badMessage', "the peer's verdict makes no sense");
  if (sha256 !== null && !(typeof sha256 === 'string' && isSha256(sha256))) {
    return new Fault('badMessage', "the digest in the peer's verdict makes no sense");
  }
  return { kind, ok, code, message: printable(message.slice(0, MAX_SENTENCE)), sha256 };
}

/** Waits for the message that ends a stream without a body: the verdict, as soon as it is there. */
export class VerdictBody implements TransferBody {
  readonly bodyBytes = 0;
  readonly hasTrailer = false;
  private readonly verdict: Verdict;
  private readonly onVerdict: (verdict: Verdict) => void;

  constructor(verdict: Verdict, onVerdict: (verdict: Verdict) => void) {
    this.verdict = verdict;
    this.onVerdict = onVerdict;
  }

  onBody(): void {}

  onEnd(): void {
    this.onVerdict(this.verdict);
  }

  onFault(): void {}
}
