// Tested by test/loopback/sim.test.ts
import { playPart } from './play-part.js';
import { serveRequests } from './threads.js';

serveRequests(playPart);
