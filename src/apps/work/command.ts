// Tested by test/apps/cli/commands.test.ts and test/loopback/queue.test.ts
import { defineCommand } from '../shared/command.js';
import { WORK_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Plays runs that `xpass sim --sweep --queue` and `xpass figures --queue` put into a queue, on as many machines as there are workers. The queue is a Redis or Valkey server. ' +
    'A worker serves every sweep of its own version until SIGINT or SIGTERM; it then finishes the runs under way. After a second signal, or SIGKILL, other workers play them.',
  options: WORK_OPTIONS,
  logLevel: 'info',
  examples: [
    { line: 'xpass work --queue redis://queue.lab:6379', meaning: 'A run on each core of this machine' },
    { line: 'xpass work --queue rediss://queue.lab:6380 --jobs 4', meaning: 'Four at a time, with TLS' },
  ],
  // Loaded when it runs, with the simulator.
  run: async (invocation) => (await import('./work.js')).runWork(invocation),
});
