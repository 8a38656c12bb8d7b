// Tested by test/loopback/sim.test.ts
import { play } from './play.js';
import { serveRequests } from './threads.js';

serveRequests(play);
