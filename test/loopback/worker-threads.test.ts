import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const LIBRARY = new URL('../../dist/index.js', import.meta.url).href;
/** koffi's watch of a socket aborted the whole process at the first of them. */
const THREADS = 3;

/** Sends to the host at `workerData` without an end. */
const SENDER = `
import { parentPort, workerData } from 'node:worker_threads';
import { openHost } from '${LIBRARY}';
const stream = await (await openHost()).connect(workerData);
const send = () => { while (stream.write(Buffer.alloc(65536))); };
stream.on('drain', send);
send();
parentPort.postMessage('sends');
`;

/** Terminates senders in the middle of their work, and prints how many. */
const PROGRAM = `
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { openHost } from '${LIBRARY}';
const server = await openHost();
server.serve((stream) => void stream.on('error', () => {}).resume());
const source = new URL('data:text/javascript,' + encodeURIComponent(process.argv[1]));
let ended = 0;
for (; ended < ${THREADS}; ended++) {
  const thread = new Worker(source, { workerData: '127.0.0.1:' + server.address().port });
  await once(thread, 'message');
  await thread.terminate();
}
console.log(ended);
process.exit();
`;

it('a program survives that it terminates a thread whose host is sending', async () => {
  const args = ['--input-type=module', '--eval', PROGRAM, SENDER];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
  expect(stdout).toBe(`${THREADS}\n`);
}, 25_000);
