import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import type { PlayAnswer, PlayRequest } from '../../src/scenario/play/play.js';
import { play } from '../../src/scenario/play/play.js';
import type { RunOutcome } from '../../src/scenario/play/run-all.js';
import type { SimulationThread } from '../../src/scenario/play/simulation-thread.js';
import { runOnQueue } from '../../src/scenario/queue/run-on-queue.js';
import { serveRuns, type WorkEvent, type WorkSummary } from '../../src/scenario/queue/serve-runs.js';
import type { Scenario } from '../../src/sim/scenario.js';
import { freePorts, scratchFolder, XpassProcess } from './switch-lab.js';

export const HAS_REDIS = spawnSync('redis-server', ['--version']).status === 0;
export const WHY_NO_REDIS = 'redis-server is not installed (Debian: redis-server)';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXECUTABLE = join(ROOT, 'bin/xpass.mjs');
/** Locks of 1 s: a killed worker's runs are taken 1 to 1.5 s later. Threads may take 30 s to say something. */
const PATIENCE = '2s';

/** Waits of the commands in the process of the test. */
export function impatient(patience = PATIENCE): void {
  vi.stubEnv('XPASS_PATIENCE', patience);
  onTestFinished(() => void vi.unstubAllEnvs());
}

export interface RedisServer {
  readonly url: string;
  readonly folder: string;
  readonly child: ChildProcess;
}

/** A Redis of the test on a Unix domain socket, without files, killed at its end. */
export async function startRedis(folder?: string, more: readonly string[] = []): Promise<RedisServer> {
  const where = folder ?? (await scratchFolder());
  const socket = join(where, 'redis.sock');
  const port = more.includes('--port') ? [] : ['--port', '0'];
  const usual = ['--unixsocket', socket, '--dir', where, '--save', '', '--appendonly', 'no'];
  const child = spawn('redis-server', [...usual, ...port, ...more], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  while (!/ready to accept connections/i.test(said)) said += String((await once(child.stdout, 'data'))[0]);
  child.stdout.resume();
  return { url: `unix://${socket}`, folder: where, child };
}

/** One that takes TLS alone, from those who show a certificate of its authority, as Redis does by default. */
export async function startTlsRedis(): Promise<{ url: string; files: string }> {
  const folder = await scratchFolder();
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const what = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-subj', '/CN=localhost', '-days', '1'];
  const names = ['-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', ['req', '-x509', '-nodes', '-keyout', key, '-out', cert, ...what, ...names], {
    stdio: 'ignore',
  });
  const [port] = await freePorts(1);
  const files = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-ca-cert-file', cert];
  await startRedis(folder, ['--port', '0', '--bind', '127.0.0.1', '--tls-port', `${port}`, ...files]);
  return { url: `rediss://localhost:${port}`, files: `?ca=${cert}&cert=${cert}&key=${key}` };
}

/** What a client of Redis' own says of it. */
export const redisCli = ({ folder }: RedisServer, ...words: string[]): string =>
  execFileSync('redis-cli', ['-s', join(folder, 'redis.sock'), ...words], { encoding: 'utf8' }).trim();

export interface ProcessOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly executable?: string;
}

export const start = (
  args: readonly string[],
  { env = { ...process.env, XPASS_PATIENCE: PATIENCE }, executable = EXECUTABLE }: ProcessOptions = {},
): XpassProcess => new XpassProcess(args, process.execPath, executable, env);

/** A worker process with one thread that is ready. */
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

/** Worlds that take milliseconds. */
export const worlds = (count: number): Scenario[] =>
  Array.from({ length: count }, (_, at) =>
    parseScenario({ seed: at + 1, topology: { pairs: 1 }, flows: [{ from: 1, to: 2, bytes: '3kB' }], duration: '1ms' }),
  );

/** A thread that plays, but for what the test has it do. */
class OddThread implements SimulationThread {
  isOver = false;
  private readonly odd: (scenario: Scenario) => Promise<PlayAnswer> | null;
  private stopped: (error: Error) => void = () => undefined;

  constructor(odd: (scenario: Scenario) => Promise<PlayAnswer> | null) {
    this.odd = odd;
  }

  ask(request: PlayRequest): Promise<PlayAnswer> {
    const stopped = new Promise<never>((_, reject) => {
      this.stopped = reject;
    });
    return Promise.race([stopped, this.odd(request.scenario) ?? Promise.resolve(play(request))]);
  }

  async stop(): Promise<void> {
    this.isOver = true;
    this.stopped(new Error('the thread was stopped'));
  }
}

/** A worker in the process of the test. */
export class WorkerHere {
  readonly events: WorkEvent[] = [];
  readonly ended: Promise<WorkSummary>;
  private readonly abort = new AbortController();

  constructor(queue: string, odd: (scenario: Scenario) => Promise<PlayAnswer> | null = () => null) {
    const onEvent = (event: WorkEvent): void => void this.events.push(event);
    const start = () => new OddThread(odd);
    this.ended = serveRuns({ queue, jobs: 1, signal: this.abort.signal, onEvent, start });
    this.ended.catch(() => undefined);
    onTestFinished(() => void this.abort.abort());
  }

  stop(): Promise<WorkSummary> {
    this.abort.abort();
    return this.ended;
  }
}

export interface Swept {
  readonly outcomes: readonly RunOutcome[];
  readonly said: readonly string[];
}

/** Outcomes of a sweep in the process of the test, in the order of the scenarios. */
export async function sweepHere(queue: string, scenarios: readonly Scenario[], signal?: AbortSignal): Promise<Swept> {
  const outcomes: RunOutcome[] = [];
  const said: string[] = [];
  await runOnQueue(scenarios, {
    queue,
    signal,
    onOutcome: (outcome) => void outcomes.push(outcome),
    say: (line) => said.push(line),
  });
  return { outcomes: outcomes.sort((one, other) => one.index - other.index), said };
}
