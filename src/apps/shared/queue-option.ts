// Tested by test/apps/cli/commands.test.ts
import { text } from '../../base/value-kind.js';
import { optionalOption } from './options.js';

/** What --queue takes, for help. scenario/queue/address.ts checks it: an error must not show the password. */
export const QUEUE_TEXT = 'redis://HOST:PORT, or rediss://HOST:PORT for TLS';

/** For commands that play many runs. */
export const QUEUE_OPTION = optionalOption(text(QUEUE_TEXT), {
  describe: 'play over all machines that run `xpass work` with the same server',
});
