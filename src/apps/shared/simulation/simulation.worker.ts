// Tested by test/loopback/sim.test.ts
import { parentPort, workerData } from 'node:worker_threads';
import { play } from './play.js';
import type { ThreadData, ThreadRequest } from './thread-messages.js';

const progress = new Float64Array((workerData as ThreadData).progress);

parentPort?.on('message', ({ scenario }: ThreadRequest) => parentPort?.postMessage(play(scenario, progress)));
