// Tested by test/apps/bench/soak/command.test.ts

import { duration, fraction, rate } from '../../../base/quantities.js';
import { flag, option } from '../../shared/options.js';

/** So many samples that a line can be put through them (ours). */
const MIN_DURATION_NS = 4e9;
const MAX_DURATION_NS = 7 * 86_400e9;

export const SOAK_OPTIONS = {
  duration: option(duration({ lowest: MIN_DURATION_NS, highest: MAX_DURATION_NS }), {
    describe: 'how long it lasts',
    alias: 't',
    defaultText: '1h',
  }),
  load: option(fraction({ highest: 0.9 }), {
    describe: "what the flows come to, as a part of the link's rate",
    defaultText: '0.5',
  }),
  linkRate: option(rate({ lowest: 1e6 }), {
    describe: 'rate of the links: as in the demonstration, what cores carry beside other work',
    defaultText: '100mbit',
  }),
  json: flag({ describe: 'one JSON object at the end' }),
};
