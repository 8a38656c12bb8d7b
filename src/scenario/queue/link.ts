// Tested by test/loopback/queue.test.ts and test/scenario/queue/link.test.ts
import type { Redis } from 'ioredis';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import { patienceMs, withPatience } from '../play/patience.js';
import { type QueueAddress, queueAddress } from './address.js';
import { type Present, parsePresent, presenceKey, presentText } from './messages.js';
import { loadPackages, type QueuePackages } from './packages.js';
import { programStamp } from './stamp.js';

/** Between two attempts to reach the server again (ours). */
const RETRY_MS = 250;

/** Waits of both sides, all from the patience of processes. */
export interface QueueTimes {
  /** A worker that was killed has its runs done by another after 1 to 1.5 times this. */
  readonly lockMs: number;
  /** How often sweeps and workers say that they are there, and look for each other. */
  readonly beatMs: number;
  /** Who has not said so for this long is gone. */
  readonly goneMs: number;
}

/** At the usual patience of 20 s: locks of 10 s, a beat each second, gone after 60 s. */
export function queueTimes(): QueueTimes {
  const patience = patienceMs();
  return { lockMs: patience / 2, beatMs: patience / 20, goneMs: patience * 3 };
}

/** The way to a queue: its server, and the names of what is there. */
export class QueueLink {
  readonly packages: QueuePackages;
  readonly address: QueueAddress;
  /** Of this program; each has a queue of its own, so no worker takes runs of another. */
  readonly stamp: string;
  /** Rejects with a Failure (status 3) once the server stays away. */
  readonly lost: Promise<never>;
  readonly redis: Redis;
  private fail: (error: Failure) => void = () => undefined;
  private readonly connections: Redis[] = [];
  private isClosing = false;

  private constructor(packages: QueuePackages, address: QueueAddress, stamp: string) {
    this.packages = packages;
    this.address = address;
    this.stamp = stamp;
    this.lost = new Promise<never>((_, reject) => {
      this.fail = reject;
    });
    // Whoever waits for the link looks at it in time.
    this.lost.catch(() => undefined);
    this.redis = this.connect();
  }

  /** Throws a Failure where the server cannot be reached, does not let us in, or is too old. */
  static async open(written: string, stamp?: string): Promise<QueueLink> {
    const address = queueAddress(written);
    const packages = await loadPackages();
    await reach(packages, address);
    return new QueueLink(packages, address, stamp ?? (await programStamp()));
  }

  get queueName(): string {
    return `runs-${this.stamp}`;
  }

  /** One more connection, for who waits on it. */
  connect(): Redis {
    const most = patienceMs() / RETRY_MS;
    const connection = new this.packages.Redis({
      ...this.address.options,
      maxRetriesPerRequest: null,
      retryStrategy: (times) => (times > most || this.isClosing ? null : RETRY_MS),
    });
    connection.on('error', () => undefined);
    connection.on('end', () =>
      this.loseServer(`lost the queue at ${this.address.shown}: it cannot be reached any more`),
    );
    this.connections.push(connection);
    return connection;
  }

  /** Rejects with what `lost` does where the server answers nothing for a patience. */
  answered<T>(asked: Promise<T>): Promise<T> {
    const late = `the queue at ${this.address.shown} did not answer`;
    const bounded = withPatience(asked, late, { lastHeard: () => `connection '${this.redis.status}'` });
    const answer = bounded.catch((error: Error) => {
      throw error instanceof Failure ? this.loseServer(error.message) : this.refused(error);
    });
    return Promise.race([this.lost, answer]);
  }

  /** Adds one that is there, by the server's clock, and forgets those that are gone. */
  async announce(party: 'sweeps' | 'workers', who: Present): Promise<void> {
    const key = presenceKey(party);
    const nowMs = await this.serverMs();
    const { goneMs } = queueTimes();
    const asked = this.redis
      .multi()
      .zadd(key, nowMs, presentText(who))
      .zremrangebyscore(key, '-inf', nowMs - goneMs)
      .pexpire(key, goneMs);
    await this.answered(asked.exec());
  }

  async withdraw(party: 'sweeps' | 'workers', who: Present): Promise<void> {
    await this.answered(this.redis.zrem(presenceKey(party), presentText(who)));
  }

  /** Those that are there. */
  async present(party: 'sweeps' | 'workers'): Promise<Present[]> {
    const nowMs = await this.serverMs();
    const asked = this.redis.zrangebyscore(presenceKey(party), nowMs - queueTimes().goneMs, '+inf');
    return (await this.answered(asked)).map(parsePresent);
  }

  close(): void {
    this.isClosing = true;
    for (const connection of this.connections) connection.disconnect();
  }

  /** Clocks of machines differ. */
  private async serverMs(): Promise<number> {
    const [seconds, micros] = await this.answered(this.redis.time());
    return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
  }

  /** What the server says no to, such as a command that its rules or its memory do not allow. */
  private refused(error: Error): Error {
    if (error.name !== 'ReplyError') return error;
    return new Failure(ExitCode.peer, `the queue at ${this.address.shown} refused a command: ${error.message}`, {
      cause: error,
    });
  }

  private loseServer(sentence: string): Failure {
    const failure = new Failure(ExitCode.peer, sentence);
    if (!this.isClosing) this.fail(failure);
    return failure;
  }
}

/** A first connection, which does not try again: a wrong address or password is said at once. */
async function reach({ Redis }: QueuePackages, { options, shown }: QueueAddress): Promise<void> {
  const connection = new Redis({
    ...options,
    lazyConnect: true,
    connectTimeout: patienceMs(),
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let why: Error | null = null;
  connection.on('error', (error: Error) => {
    why = error;
  });
  try {
    await withPatience(
      connection.connect().then(() => connection.ping()),
      `the queue at ${shown} did not answer`,
      { lastHeard: () => `connection '${connection.status}'` },
    );
  } catch (error) {
    throw unreachable(shown, why ?? (error as Error));
  } finally {
    connection.disconnect();
  }
}

function unreachable(shown: string, error: Error): Failure {
  if (error instanceof Failure) return new Failure(ExitCode.peer, error.message);
  const why = failureOf(error, shown)?.message ?? error.message;
  return new Failure(ExitCode.peer, `the queue at ${shown} cannot be used: ${why}`, { cause: error });
}
