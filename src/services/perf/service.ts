import { XpassError } from '../../base/errors.js';
import type { CreditChoice } from '../../core/application.js';
import type { DriverStatistics } from '../../udp/statistics.js';
import { ResetCode } from '../../wire/layout.js';
import { Fault } from '../file/fault.js';
import type { Message } from '../file/message.js';
import type { TransferBody } from '../file/transfer-reader.js';
import type { ServedStream, StreamService } from '../service.js';
import { PERF_KIND, type PerfRequest, parseHeader } from './messages.js';
import { type PerfOutcome, PerfSession } from './session.js';

/** Tests at once; each has its histograms, and all share the process that is being measured (ours). */
export const MAX_TESTS = 64;

export interface PerfServiceOptions {
  /** A test is over. */
  onOutcome(outcome: PerfOutcome): void;
  /** What is printed of a test that is over, for a client that asks for it. */
  output?(outcome: PerfOutcome): unknown;
  /** A test has begun. */
  onBegin?(session: PerfSession): void;
  /** What the driver counts; without it the results say nothing of the driver. */
  readonly driver?: () => DriverStatistics;
}

/** Serves the tests of `xpass perf -c`, any number of clients at a time up to MAX_TESTS. docs/APPLICATIONS.md, "perf" */
export class PerfService implements StreamService {
  readonly kind = PERF_KIND;
  readonly takesPaired = true;
  private readonly options: PerfServiceOptions;
  /** By peer and test. */
  private readonly sessions = new Map<string, PerfSession>();
  private isClosing = false;

  constructor(options: PerfServiceOptions) {
    this.options = options;
  }

  /** Tests under way. */
  get testCount(): number {
    return this.sessions.size;
  }

  /** The tests under way. */
  get tests(): readonly PerfSession[] {
    return [...this.sessions.values()];
  }

  accept(header: Message, stream: ServedStream): TransferBody | Fault {
    const parsed = parseHeader(header);
    if (parsed instanceof Fault) return parsed;
    if (parsed.role === 'control') return this.begin(parsed, stream);
    const session = this.sessions.get(keyOf(stream, parsed.test));
    return session?.acceptData(parsed.index, stream) ?? new Fault('badMessage', 'no such test runs here');
  }

  creditChoice(peer: number, pairedFlowId: number): CreditChoice | null {
    for (const session of this.sessions.values()) {
      if (session.peer === peer && session.controlId === pairedFlowId) return session.creditChoice;
    }
    return null;
  }

  close(): Promise<void> {
    this.isClosing = true;
    for (const session of [...this.sessions.values()]) session.abort(ResetCode.shutdown);
    return Promise.resolve();
  }

  private begin(request: PerfRequest, stream: ServedStream): TransferBody | Fault {
    const key = keyOf(stream, request.test);
    const { output } = this.options;
    if (this.isClosing) return new Fault('aborted', 'this process is ending');
    if (this.sessions.has(key)) return new Fault('badMessage', 'a test of this name runs already');
    if (this.sessions.size >= MAX_TESTS) {
      return new Fault('unsupported', `${this.sessions.size} perf tests run here: at most ${MAX_TESTS} are allowed`);
    }
    const session = new PerfSession({
      request,
      stream,
      driver: this.options.driver ?? null,
      ...(output !== undefined && { output }),
      onOutcome: (outcome) => {
        this.sessions.delete(key);
        this.options.onOutcome(outcome);
      },
    });
    this.sessions.set(key, session);
    try {
      session.start();
      this.options.onBegin?.(session);
      return session;
    } catch (error) {
      if (!(error instanceof XpassError)) throw error;
      session.abort();
      return new Fault('unsupported', error.message);
    }
  }
}

function keyOf({ receiver }: ServedStream, test: string): string {
  return `${receiver.peer}/${test}`;
}
