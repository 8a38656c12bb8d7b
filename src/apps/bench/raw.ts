// Tested by test/loopback/bench.test.ts

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RawOrder, RawReply } from './raw.child.js';

/** Credits outstanding in the bare program: more makes no difference, fewer leave a process waiting (measured with 16 to 1,024). */
const WINDOW = 64;
const WARM_UP_MS = 1_000;

/** What the bare program does. */
export type RawKind = 'echo' | 'relay';

class RawProcess {
  private readonly child: ChildProcess;

  constructor() {
    this.child = fork(fileURLToPath(new URL('raw.child.js', import.meta.url)), {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /** Starts the role; resolves with its port. */
  async start(order: RawOrder): Promise<number> {
    this.child.send(order);
    return (await this.next()).port ?? 0;
  }

  next(): Promise<RawReply> {
    return new Promise((resolve, reject) => {
      this.child.once('message', (message) => resolve(message as RawReply));
      this.child.once('exit', (code) => reject(new Error(`a raw process ended with status ${code}`)));
    });
  }

  stop(): void {
    this.child.removeAllListeners('exit');
    this.child.kill();
  }
}

/** Data frames a second of the bare program with frames of `payloadBytes`, over `seconds`. */
export async function measureRaw(kind: RawKind, payloadBytes: number, seconds: number): Promise<number> {
  const processes = [new RawProcess(), new RawProcess(), new RawProcess()];
  const order = { payloadBytes, port: 0, window: WINDOW, warmUpMs: WARM_UP_MS, measureMs: seconds * 1e3 };
  try {
    const [server, relay, client] = processes;
    const serverPort = await server.start({ ...order, role: 'server' });
    const port = kind === 'echo' ? serverPort : await relay.start({ ...order, role: 'relay', port: serverPort });
    await client.start({ ...order, role: 'client', port });
    return (await client.next()).framesPerSecond ?? 0;
  } finally {
    for (const each of processes) each.stop();
  }
}
