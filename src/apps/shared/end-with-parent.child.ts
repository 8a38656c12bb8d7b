// Tested by test/loopback/lab.test.ts and test/loopback/other-systems.test.ts
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

/** 128 + the number of SIGTERM: the status of a process that nothing of which has begun. */
const TERMINATED = 143;

/**
 * Loaded before the program by `END_WITH_PARENT` of child.ts: ends a process in order when its standard input does, which nobody but its parent holds
 * open. So none is left over by a parent that was killed. The listeners of SIGTERM are called, since the signal itself ends a process of Windows at
 * once.
 */
function endWithInput(): void {
  process.stdin
    .once('end', () => {
      if (!process.emit('SIGTERM', 'SIGTERM')) process.exit(TERMINATED);
    })
    .resume();
}

// Threads load it, too, and their input has ended when they begin.
if (isMainThread) endWithInput();
