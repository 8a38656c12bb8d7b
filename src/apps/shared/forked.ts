// Tested by test/loopback/companion.test.ts

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Companion, type CompanionOptions } from './companion.js';

export interface ForkedOptions extends CompanionOptions {
  /** For Node.js itself. */
  readonly nodeArguments?: readonly string[];
}

/** A module of ours that runs as a process of its own: both exchange structured clones, which may hold Infinity and NaN, and it ends with the channel. */
export class Forked extends Companion {
  constructor(name: string, module: URL, { nodeArguments = [], ...options }: ForkedOptions = {}) {
    const child = fork(fileURLToPath(module), {
      execArgv: [...nodeArguments],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    });
    super(name, child, options);
  }

  protected askToEnd(): void {
    if (!this.process.connected) return;
    // Node.js says 'close' only of a channel that the other end has closed.
    this.process.once('exit', (code, signal) => this.handleEnd(code, signal));
    this.process.disconnect();
  }
}
