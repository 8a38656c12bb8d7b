// Tested by test/loopback/fuzz-sim.test.ts
import { serveRequests } from '../../scenario/play/threads.js';
import { tryWorld } from './try-world.js';

serveRequests(tryWorld);
