// Tested by test/loopback/lab.test.ts
import process from 'node:process';

/**
 * Loaded before the program by `END_WITH_PARENT` of child.ts: ends a process in order when its standard input does, which nobody but its parent holds open. So none is left
 * over by a parent that was killed.
 */
process.stdin.once('end', () => process.kill(process.pid, 'SIGTERM')).resume();
