// Tested by test/apps/cli/commands.test.ts

import { duration, size } from '../../base/quantities.js';
import { integer, orWord, text } from '../../base/value-kind.js';
import { flag, option, optionalOption, requiredOption } from '../shared/options.js';
import { SHARE_OPTIONS } from '../shared/share-options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';

const MAX_PARALLEL = 64;

/** The options of `xpass send`, and those of its endpoint. */
export const SEND_OPTIONS = {
  to: requiredOption(text('HOST, HOST:PORT or [IPV6]:PORT; behind a switch a host id'), {
    describe: 'the daemon that takes the files',
  }),
  as: optionalOption(text('a file name without directories'), {
    describe: "the file's name at the receiver, when there is one file; its own without it",
  }),
  bytes: optionalOption(size(), { describe: 'send only so many bytes from the start of each file' }),
  parallel: option(integer({ lowest: 1, highest: MAX_PARALLEL }), {
    describe: 'files under way at a time, each on a flow of its own',
    alias: 'P',
    defaultText: '1',
  }),
  warmUp: optionalOption(orWord(duration(), 'hold', Number.POSITIVE_INFINITY), {
    describe:
      'first send to nowhere for this long, so that both processes run at full speed when the files begin; with hold until a first line comes, before that of --hold',
  }),
  hold: flag({ describe: 'open the files, attach, say "ready", and send when a line comes on standard input' }),
  json: flag({ describe: 'one JSON object at the end' }),
  ...SHARE_OPTIONS,
  ...TRANSPORT_OPTIONS,
};
