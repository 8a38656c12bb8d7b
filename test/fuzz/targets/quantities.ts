import { duration, fraction, rate, size } from '../../../src/base/quantities.js';
import { decimal, integer, type ValueKind } from '../../../src/base/value-kind.js';
import { linkWords } from '../../../src/scenario/link-text.js';
import { CONTROL_ADDRESS } from '../../../src/services/control/address.js';
import { parseSizeDistribution } from '../../../src/sim/traffic/size-distribution.js';
import { address } from '../../../src/udp/address.js';
import { bytesOf, must, type Target, textOf } from '../engine/target.js';
import { taken } from './config-error.js';

const KINDS: readonly ValueKind<unknown>[] = [
  rate({ unlimited: true }),
  size(),
  duration({ bareUnitNs: 1e6 }),
  duration(),
  fraction(),
  integer(),
  decimal(),
  address({ host: '127.0.0.1' }),
  CONTROL_ADDRESS,
] as readonly unknown[] as ValueKind<unknown>[];

/** A text as any kind of value that people write: what is read, and written, reads as the same. */
export const quantities: Target = {
  name: 'quantities',
  seeds: () =>
    [
      '100mbit',
      '1.5gbit',
      'unlimited',
      '64KiB',
      '20us',
      '5%',
      '0.05',
      '[::1]:7000',
      'host:1',
      ':0',
      'loss 5% delay 1ms',
      '0,0\n100,1\n',
    ].map(bytesOf),
  words: [
    'e9',
    'e-9',
    'e308',
    '.',
    'KiB',
    'mbit',
    'min',
    'µs',
    '%',
    '::',
    '/',
    'unix:',
    'rate ',
    'delay ',
    'down',
    '\n',
    ',',
  ],
  maxBytes: 128,
  run: async (input) => {
    const text = textOf(input);
    for (const kind of KINDS) {
      const value = kind.parse(text);
      if (value === undefined) continue;
      must(!Number.isNaN(value), `'${text}' is a number that is none`);
      const written = kind.format(value);
      const again = kind.parse(written);
      must(
        JSON.stringify(again) === JSON.stringify(value) && again !== undefined,
        `'${text}' is written as '${written}'`,
      );
    }
    await taken(() => linkWords(text, 'the link'));
    await taken(() => parseSizeDistribution('table', text));
  },
};
