// Tested by test/apps/cli/commands.test.ts

import { defineCommand } from '../shared/command.js';
import { TUNNEL_OPTIONS } from './options.js';
import { runTunnel } from './tunnel.js';

export const command = defineCommand({
  description:
    'Carries TCP connections of programs that know nothing of xpass to an `xpass daemon`, as ssh does with -L, -R and -D. The daemon says with ' +
    '--tunnel what may be reached through it, and with --tunnel-listen where it listens for others; nothing by default. docs/TUNNEL.md has the rules.',
  options: TUNNEL_OPTIONS,
  logLevel: 'info',
  examples: [
    {
      line: 'xpass tunnel -L 5432:db.example:5432 --to 192.0.2.7',
      meaning: 'Port 5432 here is the database that the daemon of 192.0.2.7 reaches',
    },
    { line: 'xpass tunnel -R 8080:127.0.0.1:80 --to 192.0.2.7', meaning: 'Port 8080 there is port 80 here' },
    { line: 'xpass tunnel -D 1080 --to 2 --switch 127.0.0.1', meaning: 'A SOCKS5 proxy whose far side is host 2' },
  ],
  run: runTunnel,
});
