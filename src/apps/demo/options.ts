// Tested by test/apps/cli/commands.test.ts

import { fraction, rate, size } from '../../base/quantities.js';
import { integer, text } from '../../base/value-kind.js';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { flag, type OptionSpec, option, optionalOption } from '../shared/options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { WEB_OPTIONS } from '../shared/web/web-options.js';
import { MIX } from './mix.js';

/** More sender processes than this starve each other on any machine that a demonstration runs on (ours). */
const MAX_SENDERS = 64;

/** Help says the same on every machine. */
const FILE = optionalOption(text('a file'), { describe: 'what is sent; the program of Node.js without it' });

export const DEMO_OPTIONS = {
  senders: option(integer({ lowest: 1, highest: MAX_SENDERS }), { describe: 'sender processes', defaultText: '4' }),
  linkRate: optionalOption(rate({ lowest: 1e6 }), {
    describe:
      'rate of every link; without it the highest of 100, 50 and 20 Mbit/s that this machine carries, by its idle cores and the warm-up',
  }),
  bytes: optionalOption(size({ lowest: 1 }), {
    describe: 'how much of the file each sender sends; without it what takes six seconds',
  }),
  file: { ...FILE, resolve: (given) => FILE.resolve(given) ?? process.execPath } satisfies OptionSpec<string>,
  loss: option(fraction(), { describe: 'part of all frames that every link loses, each way', defaultText: '0%' }),
  algorithm: option(MIX, {
    describe: 'algorithm of the flows, or several for the senders in turn, as ec4,dctcp',
    alias: 'C',
    defaultText: DEFAULT_CONFIG.creditAlgorithm,
  }),
  datapath: TRANSPORT_OPTIONS.datapath,
  ...WEB_OPTIONS,
  json: flag({ describe: 'one JSON object at the end instead of the summary' }),
};
