// Tested by test/apps/tunnel/options.test.ts

import { text } from '../../base/value-kind.js';
import { flag, listOption, type OptionSpec, requiredOption } from '../shared/options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { BIND, FORWARD } from '../shared/tunnel/forward.js';

/** On unless it is taken back: a connection's first bytes then travel with its opening. */
const SPECULATIVE: OptionSpec<boolean> = {
  ...TRANSPORT_OPTIONS.speculative,
  defaultText: 'true',
  resolve: (given) => given.texts.length === 0 || TRANSPORT_OPTIONS.speculative.resolve(given),
};

/** As ssh calls them. */
export const TUNNEL_OPTIONS = {
  to: requiredOption(text('HOST, HOST:PORT or [IPV6]:PORT; behind a switch a host id'), {
    describe: 'the daemon at the far side',
    alias: 't',
  }),
  local: listOption(FORWARD, {
    describe: 'listen on TCP here, connect from there; may be repeated',
    alias: 'L',
  }),
  remote: listOption(FORWARD, {
    describe: 'listen on TCP there, connect from here; may be repeated',
    alias: 'R',
  }),
  dynamic: listOption(BIND, {
    describe: 'be a SOCKS5 proxy here whose connections are made there; may be repeated',
    alias: 'D',
  }),
  json: flag({ describe: 'one JSON object a line: listening, opened, closed, refused, lost, summary' }),
  ...TRANSPORT_OPTIONS,
  speculative: SPECULATIVE,
};
