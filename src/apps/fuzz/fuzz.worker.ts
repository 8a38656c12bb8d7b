// Tested by test/loopback/fuzz-sim.test.ts
import { parentPort } from 'node:worker_threads';
import type { FuzzRequest } from './thread-messages.js';
import { tryWorld } from './try-world.js';

parentPort?.on('message', (request: FuzzRequest) => parentPort?.postMessage(tryWorld(request)));
