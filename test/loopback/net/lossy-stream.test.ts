import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { runHere, startSwitchProcess } from '../switch-lab.js';

const CHILD = fileURLToPath(new URL('lossy-stream.child.mjs', import.meta.url));
/** Ours: 150 frames are lost each way, and every buffer and window is gone through many times. */
const BYTES = 2 ** 27;

/** Starts one end; resolves with what it says when it is ready, and later when it is done. */
function startEnd(...args: string[]) {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Record<string, unknown>> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`an end of the stream ended with ${child.exitCode}`);
    return JSON.parse(String(value)) as Record<string, unknown>;
  };
  return { next };
}

it('a stream carries 128 MiB each way at once through a switch that loses 1 % of every type of frame', async () => {
  const running = await startSwitchProcess('--hosts', '2', '--frame-size', '8972');
  for (const link of ['h1', 'h2']) {
    const { code } = await runHere('switch', 'ctl', '--control', running.control, 'link', link, 'loss', '1%');
    expect(code).toBe(0);
  }
  const address = `127.0.0.1:${running.port}`;
  const server = startEnd(address, '2', String(BYTES));
  await server.next();
  const client = startEnd(address, '1', String(BYTES), '2');
  await client.next();
  const [far, near] = await Promise.all([server.next(), client.next()]);
  expect([near.receivedBytes, far.receivedBytes]).toEqual([BYTES, BYTES]);
  expect([near.received, far.received]).toEqual([far.sent, near.sent]);
  // The impairment was there: some 1 % of 15,000 frames each way.
  expect(near.repaired).toBeGreaterThan(60);
  expect(far.repaired).toBeGreaterThan(60);
});
