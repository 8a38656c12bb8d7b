// Tested by test/scenario/queue/link.test.ts
import { usageFailure } from '../../base/failure.js';

/** The packages of the queue, which only its users install: docs/decisions/0035-queue.md */
export interface QueuePackages {
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof import('ioredis').Redis;
}

/** Throws a usage Failure that says how to install what is missing. */
export async function loadPackages(load: () => Promise<QueuePackages> = both): Promise<QueuePackages> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw usageFailure(
      '--queue needs two packages that are not installed: npm install bullmq ioredis, with --global if xpass is installed so',
    );
  }
}

async function both(): Promise<QueuePackages> {
  const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
  return { bullmq, Redis };
}
