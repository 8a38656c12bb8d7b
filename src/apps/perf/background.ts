// Tested by test/loopback/perf-server.test.ts
import { spawn, spawnSync } from 'node:child_process';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import { patienceMs } from '../../scenario/play/patience.js';

/** Tells a process that it is the one in the background. */
const MARK = 'XPASS_PERF_IN_BACKGROUND';

/** Node.js cannot fork itself: this process starts another, and ends when that one listens. */
export function isInBackground(): boolean {
  return process.env[MARK] === '1';
}

/** Resolves when the process in the background listens; throws a Failure with its words when it ends before. */
export async function startInBackground(): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...process.env, [MARK]: '1' },
  });
  let said = '';
  child.stderr?.on('data', (bytes: Buffer) => {
    said += bytes.toString();
  });
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Failure(ExitCode.failed, 'the server in the background did not listen in time'));
    }, patienceMs());
    child.once('message', () => resolve());
    child.once('error', reject);
    child.once('exit', (code) => {
      clearTimeout(late);
      const why = said.split('\n')[0].replace(/^xpass perf: /, '');
      reject(new Failure((code ?? ExitCode.failed) as ExitCode, why || 'the server in the background ended'));
    });
  });
  child.disconnect();
  child.unref();
}

/** The server in the background listens. */
export function tellListening(): void {
  if (!isInBackground() || process.send === undefined) return;
  process.send('listening', () => process.disconnect());
}

/** Binds all threads of this process to a core. Throws a usage Failure where the system cannot. */
export function bindToCore(cpu: number): void {
  const { status, error } = spawnSync('taskset', ['-acp', `${cpu}`, `${process.pid}`], { stdio: 'ignore' });
  if (error !== undefined || status !== 0)
    throw usageFailure(`--affinity '${cpu}' is not possible here: it needs taskset and a core of this number`);
}
