// Tested by test/apps/cli/commands.test.ts

import { duration } from '../../base/quantities.js';
import { integer, text } from '../../base/value-kind.js';
import { MAX_SEED } from '../../scenario/kinds.js';
import { address } from '../../udp/address.js';
import { flag, listOption, option, optionalOption } from '../shared/options.js';
import { WEB_OPTIONS } from '../shared/web/web-options.js';

/** Those of `xpass sim` for one run, and what only processes need. */
export const LAB_OPTIONS = {
  seed: optionalOption(integer({ highest: MAX_SEED }), { describe: "in place of the scenario's own" }),
  set: listOption(text('PATH=VALUE, as topology.pairs=4 or hosts.0.parameters.initial_rate=0.3'), {
    describe: 'change a value of the scenario',
  }),
  json: flag({ describe: 'one JSON object with everything instead of the summary' }),
  csv: optionalOption(text('a directory'), { describe: 'write flows, links and samples over time as CSV files there' }),
  report: optionalOption(text('an HTML file'), { describe: 'write a page with figures there' }),
  listen: option(address({ host: '127.0.0.1', port: 0, anyPort: true }), {
    describe: 'UDP address of the switch',
    alias: 'l',
    defaultText: '127.0.0.1:0',
  }),
  // Measured: a process takes about two seconds of such traffic until its code is compiled (docs/decisions/0007-late-processes.md).
  rehearsal: option(duration({ highest: 60e9 }), {
    describe: 'how long all hosts send to nowhere before the run, for their code to be compiled',
    defaultText: '3s',
  }),
  ...WEB_OPTIONS,
};
