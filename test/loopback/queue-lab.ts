import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { freePorts, scratchFolder, XpassProcess } from './switch-lab.js';

export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;
export const WHY_NO_REDIS = 'redis-server is not installed (Debian: redis-server)';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXECUTABLE = join(ROOT, 'bin/xpass.mjs');
/** Locks of 1 s: a killed worker's runs are taken 1 to 1.5 s later. Threads may take 30 s to say something. */
const IMPATIENT = { ...process.env, XPASS_PATIENCE: '2s' };

/** A Redis of the test, without files, killed at its end. */
export async function startRedis(port?: number): Promise<{ url: string; port: number; child: ChildProcess }> {
  const free = port ?? (await freePorts(1))[0];
  const where = ['--port', `${free}`, '--bind', '127.0.0.1', '--dir', await scratchFolder()];
  const child = spawn('redis-server', [...where, '--save', '', '--appendonly', 'no'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  while (!said.includes('Ready to accept connections')) said += String((await once(child.stdout, 'data'))[0]);
  child.stdout.resume();
  return { url: `redis://127.0.0.1:${free}`, port: free, child };
}

export interface ProcessOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly executable?: string;
}

export const start = (
  args: readonly string[],
  { env = IMPATIENT, executable = EXECUTABLE }: ProcessOptions = {},
): XpassProcess => new XpassProcess(args, process.execPath, executable, env);

/** A worker with one thread that is ready. */
export async function startWorker(url: string, options: ProcessOptions = {}): Promise<XpassProcess> {
  const worker = start(['work', '--queue', url, '--jobs', '1', '--json'], options);
  await worker.event('listening');
  return worker;
}

/** The program as another version of it. */
export async function anotherVersion(): Promise<string> {
  const folder = await scratchFolder();
  for (const path of ['bin', 'dist']) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const { default: manifest } = await import('../../package.json', { with: { type: 'json' } });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '0.0.9' }));
  return join(folder, 'bin/xpass.mjs');
}
