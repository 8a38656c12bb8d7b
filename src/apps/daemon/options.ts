// Tested by test/apps/cli/commands.test.ts

import { duration } from '../../base/quantities.js';
import { text } from '../../base/value-kind.js';
import { address } from '../../net/address-kind.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { flag, listOption, option, optionalOption } from '../shared/options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { ALLOW_RULE } from '../shared/tunnel/allow.js';
import { BIND } from '../shared/tunnel/forward.js';

/** Loopback unless told otherwise; port 0 is any free one, which the ready line names. */
const LISTEN_DEFAULTS = { host: '127.0.0.1', port: DEFAULT_HOST_PORT, anyPort: true };

const MIN_INTERVAL_NS = 10e6;

/** The daemon's own options, and those of its endpoint. */
export const DAEMON_OPTIONS = {
  listen: optionalOption(address(LISTEN_DEFAULTS), {
    describe: `take flows at this address, 127.0.0.1:${DEFAULT_HOST_PORT} without it; not with --switch`,
    alias: 'l',
  }),
  directory: option(text('a directory, made when it is missing'), {
    describe: 'where received files go',
    alias: 'd',
    defaultText: 'received',
  }),
  overwrite: flag({ describe: 'let a received file replace one of its name' }),
  interval: optionalOption(duration({ lowest: MIN_INTERVAL_NS }), {
    describe: 'say how far the files are this often while there are any',
    alias: 'i',
  }),
  tunnel: listOption(ALLOW_RULE, {
    describe: 'what `xpass tunnel` may reach through this host; nothing without it, may be repeated',
  }),
  tunnelListen: listOption(BIND, {
    describe: 'where `xpass tunnel -R` may listen on this host; nowhere without it, may be repeated',
  }),
  json: flag({ describe: 'one JSON object a line: listening, file, tunnel, progress, summary' }),
  ...TRANSPORT_OPTIONS,
};
