import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { patienceMs } from '../../../scenario/play/patience.js';

const LOOPBACK = '127.0.0.1';
/** It takes whole seconds. */
const LEAST_SECONDS = 1;
/** Until its server listens; it says so nowhere that can be read without waiting for its end (ours). */
const START_MS = 300;

/** Goodput of TCP between two processes of iperf3 over loopback, bit/s; or why not. */
export async function iperf3Goodput(seconds: number): Promise<number | string> {
  const port = `${await freePort()}`;
  const server = spawn('iperf3', ['-s', '-1', '-p', port], { stdio: 'ignore' });
  const missing = once(server, 'error').then(([error]) => explain(error));
  try {
    return await Promise.race([missing, clientGoodput(port, Math.max(LEAST_SECONDS, Math.round(seconds)))]);
  } finally {
    stop(server);
  }
}

async function clientGoodput(port: string, seconds: number): Promise<number | string> {
  await sleep(START_MS);
  try {
    const args = ['-c', LOOPBACK, '-p', port, '-t', `${seconds}`, '-J'];
    const timeout = seconds * 1e3 + patienceMs();
    const { stdout } = await promisify(execFile)('iperf3', args, { timeout, killSignal: 'SIGKILL' });
    return parseGoodput(stdout);
  } catch (error) {
    return explain(error);
  }
}

/** What the receiver says in the output of `iperf3 -J`; or what is wrong with it. */
export function parseGoodput(json: string): number | string {
  const report = JSON.parse(json) as { end?: { sum_received?: { bits_per_second?: unknown } }; error?: unknown };
  const goodput = report.end?.sum_received?.bits_per_second;
  return typeof goodput === 'number' ? goodput : `iperf3 failed: ${String(report.error ?? 'it tells no goodput')}`;
}

function explain(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: unknown };
  return code === 'ENOENT' ? 'iperf3 is not installed' : `iperf3 failed: ${String(message ?? error).split('\n')[0]}`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, LOOPBACK);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function stop(server: ChildProcess): void {
  if (server.exitCode === null && server.pid !== undefined) server.kill('SIGKILL');
}
