// `npm run nodes`: every Node.js line that test/loopback/node-versions.test.ts runs on and that is not installed yet.
import { installLines } from './node-versions.mjs';

installLines();
