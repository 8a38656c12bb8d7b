// Tested by test/apps/perf/command.test.ts

import { duration, size } from '../../base/quantities.js';
import { integer, text } from '../../base/value-kind.js';
import { address } from '../../net/address-kind.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { flag, option, optionalOption } from '../shared/options.js';
import { MAX_DURATION_NS, MAX_FLOWS } from '../shared/perf/messages.js';
import { SHARE_OPTIONS } from '../shared/share-options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';

/** Loopback unless told otherwise; port 0 is any free one, which the first line of output names. */
const LISTEN_DEFAULTS = { host: '127.0.0.1', port: DEFAULT_HOST_PORT, anyPort: true };

const SECOND_NS = 1e9;
const MIN_TIME_NS = 10e6;
const MAX_OMIT_NS = 60e9;
const MIN_INTERVAL_NS = 10e6;

/** As iperf3 calls them, where it has them. */
export const PERF_OPTIONS = {
  server: flag({ describe: 'serve tests until SIGINT or SIGTERM', alias: 's' }),
  client: optionalOption(text('HOST, HOST:PORT or [IPV6]:PORT; behind a switch a host id'), {
    describe: 'run a test with the server or daemon there',
    alias: 'c',
  }),
  listen: optionalOption(address(LISTEN_DEFAULTS), {
    describe: `take flows at this address, 127.0.0.1:${DEFAULT_HOST_PORT} without it; for a server without --switch`,
    alias: 'l',
  }),
  time: optionalOption(duration({ lowest: MIN_TIME_NS, highest: MAX_DURATION_NS, bareUnitNs: SECOND_NS }), {
    describe: 'send for this long; 10s without it and without --bytes',
    alias: 't',
  }),
  bytes: optionalOption(size({ lowest: 1 }), {
    describe: 'send this much on each flow, however long it takes',
    alias: 'n',
  }),
  omit: optionalOption(duration({ lowest: 0, highest: MAX_OMIT_NS, bareUnitNs: SECOND_NS }), {
    describe: 'send for this long before --time begins, and leave it out of all figures; nothing without it',
    alias: 'O',
  }),
  parallel: option(integer({ lowest: 1, highest: MAX_FLOWS }), {
    describe: 'flows at a time',
    alias: 'P',
    defaultText: '1',
  }),
  reverse: flag({ describe: 'let the server send and the client receive', alias: 'R' }),
  interval: option(duration({ lowest: MIN_INTERVAL_NS, bareUnitNs: SECOND_NS }), {
    describe: 'say how fast it goes this often',
    alias: 'i',
    defaultText: '1s',
  }),
  json: flag({ describe: 'one JSON object at the end; from a server one a line: listening, test' }),
  ...SHARE_OPTIONS,
  ...TRANSPORT_OPTIONS,
};
