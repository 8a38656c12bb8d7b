import { ExitCode } from './exit-codes.js';
import { Failure } from './failure.js';
import { patienceMs } from './patience.js';

/** A process that a command has started. */
export interface Member {
  readonly name: string;
  /** `'listening' 29.0 s ago`. */
  lastHeard(): string;
  /** Resolves when it has ended; never waits for ever. */
  stop(): Promise<void>;
}

/** How long a wait may last. */
export interface Bound {
  /** What the work itself takes; patience comes on top. 0 by default. */
  readonly takesMs?: number;
  /** For work that takes as long as it takes: the bound begins anew whenever this value changes. */
  readonly progress?: () => unknown;
}

/** Looks at the clock within one bound: the bound is kept to an eighth. */
const LOOKS = 8;
const MAX_LOOK_MS = 500;

/**
 * The processes of a command. Every wait for one of them goes through its roster: it fails when a process is lost or when it lasts longer than its bound, and
 * says what was last heard of each process.
 */
export class Roster {
  private readonly members = new Set<Member>();
  private readonly onLoss = new Set<(failure: Error) => void>();
  private loss: Error | null = null;

  add(member: Member): void {
    this.members.add(member);
  }

  /** A process cannot go on: every wait fails, the present ones and those that follow until `stop`. The first loss counts. */
  lose(failure: Error): void {
    this.loss ??= failure;
    for (const reject of [...this.onLoss]) reject(this.loss);
  }

  /** Waits no longer than the bound. Rejects with a Failure that begins with `late`: `the switch did not answer`. */
  within<T>(awaited: Promise<T>, late: string, bound: Bound = {}): Promise<T> {
    let stop = (): void => undefined;
    const expired = new Promise<never>((_, reject) => {
      stop = watch(bound, (boundMs) => reject(this.lateFailure(late, boundMs, bound)));
    });
    const waited = this.unlessLost(Promise.race([awaited, expired])).finally(() => stop());
    // Whoever began this wait may have failed for another reason before it gets to it.
    waited.catch(() => undefined);
    return waited;
  }

  /** A wait that ends by itself: rejects as soon as a process is lost. */
  async unlessLost<T>(awaited: Promise<T>): Promise<T> {
    let reject: (failure: Error) => void = () => undefined;
    const lost = new Promise<never>((_, rejectLost) => {
      reject = rejectLost;
    });
    if (this.loss !== null) reject(this.loss);
    this.onLoss.add(reject);
    try {
      return await Promise.race([lost, awaited]);
    } finally {
      this.onLoss.delete(reject);
    }
  }

  /** `client: 'ready' 12.1 s ago; server: ended with SIGKILL 0.5 s ago`. */
  lastHeard(): string {
    const said = [...this.members].map((member) => `${member.name}: ${member.lastHeard()}`);
    return said.length === 0 ? 'no process' : said.join('; ');
  }

  /** Resolves when all processes have ended; forgets them, and that one was lost. */
  async stop(): Promise<void> {
    const members = [...this.members];
    await Promise.all(members.map((member) => member.stop()));
    for (const member of members) this.members.delete(member);
    this.loss = null;
  }

  private lateFailure(late: string, boundMs: number, { progress }: Bound): Failure {
    const how = progress === undefined ? 'within' : 'and nothing changed for';
    const sentence = `${late} ${how} ${Number((boundMs / 1e3).toFixed(1))} s; last heard: ${this.lastHeard()}`;
    return new Failure(ExitCode.failed, sentence);
  }
}

/**
 * Calls back once the bound has passed without progress; returns what ends it. A look that comes late counts as two at most: while this process itself did not
 * run, say after Ctrl-Z, what the others said has not been read.
 */
function watch({ takesMs = 0, progress }: Bound, onLate: (boundMs: number) => void): () => void {
  const boundMs = takesMs + patienceMs();
  const lookMs = Math.min(boundMs / LOOKS, MAX_LOOK_MS);
  let last = progress?.();
  let lookedMs = performance.now();
  let silentMs = 0;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    silentMs += Math.min(nowMs - lookedMs, 2 * lookMs);
    lookedMs = nowMs;
    const value = progress?.();
    if (value !== last) silentMs = 0;
    last = value;
    if (silentMs < boundMs) return;
    clearInterval(timer);
    onLate(boundMs);
  }, lookMs);
  return () => clearInterval(timer);
}
