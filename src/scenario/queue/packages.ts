// Tested by test/scenario/queue/link.test.ts
import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usageFailure } from '../../base/failure.js';
import { packageFile } from '../play/package-files.js';

/** The packages of the queue, which only its users install: docs/decisions/0036-queue.md */
export interface QueuePackages {
  readonly bullmq: typeof import('bullmq');
  readonly Redis: typeof import('ioredis').Redis;
}

/** As in the manifest's peerDependencies. */
const WANTED = 'bullmq@6 ioredis@6';

/** Throws a usage Failure that says how to install what is missing. */
export async function loadPackages(load: () => Promise<QueuePackages> = both): Promise<QueuePackages> {
  try {
    return await load();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const command = installCommand(fileURLToPath(packageFile('.')));
    throw usageFailure(`--queue needs packages that only its users install; install them: ${command}`);
  }
}

async function both(): Promise<QueuePackages> {
  const [bullmq, { Redis }] = await Promise.all([import('bullmq'), import('ioredis')]);
  return { bullmq, Redis };
}

/** What puts the packages where this program finds them: into the project that has it, beside a global one, or into a clone. */
export function installCommand(folder: string, exists: (path: string) => boolean = existsSync): string {
  const modules = dirname(folder);
  if (basename(modules) !== 'node_modules') return `npm install --no-save --prefix '${folder}' ${WANTED}`;
  const project = dirname(modules);
  if (exists(`${project}/package.json`)) return `npm install --prefix '${project}' ${WANTED}`;
  return `npm install --global ${WANTED}`;
}
