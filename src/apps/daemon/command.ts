// Tested by test/apps/cli/commands.test.ts

import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { defineCommand } from '../shared/command.js';
import { runDaemon } from './daemon.js';
import { DAEMON_OPTIONS } from './options.js';

export const command = defineCommand({
  description:
    'Takes flows from anybody, behind a switch or directly, until SIGINT or SIGTERM: files go to a directory, each under its name only when it is ' +
    'complete and its SHA-256 is right; `xpass perf -c` is served too, and `xpass tunnel` as far as --tunnel and --tunnel-listen allow it.',
  options: DAEMON_OPTIONS,
  logLevel: 'info',
  examples: [
    { line: 'xpass daemon', meaning: `Listen on 127.0.0.1:${DEFAULT_HOST_PORT}, files go to ./received` },
    { line: 'xpass daemon --listen 0.0.0.0 --rate 10g -d /srv/in', meaning: 'Take files from the network' },
    { line: 'xpass daemon --switch 127.0.0.1 --host-id 2', meaning: 'Be host 2 behind a switch' },
    { line: 'xpass daemon --tunnel db.example:5432', meaning: 'Let `xpass tunnel` reach a database, nothing else' },
    { line: 'xpass daemon --json --interval 100ms', meaning: 'Say what happens to a program' },
  ],
  run: runDaemon,
});
