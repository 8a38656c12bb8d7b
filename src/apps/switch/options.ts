// Tested by test/apps/switch/command.test.ts and test/loopback/switch-command.test.ts

import { duration, formatDuration } from '../../base/quantities.js';
import { MILLISECOND_NS } from '../../base/time.js';
import { integer, text } from '../../base/value-kind.js';
import { address } from '../../net/address-kind.js';
import { DEFAULT_SWITCH_PORT } from '../../net/host-settings.js';
import { DEFAULT_KEEP_ALIVE_MS } from '../../switch/switch.js';
import { CONTROL_ADDRESS } from '../shared/control-address.js';
import { flag, mapOption, option, optionalOption } from '../shared/options.js';
import { TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { TOPOLOGY_OPTIONS } from './topology-options.js';

/** Ours; the field of ATTACHED takes 65.535 s. PROTOCOL §3.9 */
const MAX_KEEP_ALIVE_NS = 60_000 * MILLISECOND_NS;
/** One forwards for all ports: docs/decisions/0016-one-thread.md. */
const MAX_WORKERS = 1;
/** Seeds of the generator are 32-bit. */
const MAX_SEED = 2 ** 32 - 1;

export const SWITCH_OPTIONS = {
  listen: option(address({ host: '127.0.0.1', port: DEFAULT_SWITCH_PORT, anyPort: true }), {
    describe: 'UDP address at which hosts find the switch',
    alias: 'l',
    defaultText: `127.0.0.1:${DEFAULT_SWITCH_PORT}`,
  }),
  control: optionalOption(CONTROL_ADDRESS, {
    describe: 'where `xpass switch ctl` finds the switch; TCP on loopback with the number of the UDP port without it',
  }),
  ...TOPOLOGY_OPTIONS,
  link: mapOption(text('settings as `ctl link` takes them, such as "rate 10mbit loss 5%"'), {
    describe: 'settings of one link from the start',
  }),
  seed: optionalOption(integer({ highest: MAX_SEED }), {
    describe: 'have loss, duplication and so on meet the same frames in every run',
  }),
  keepAlive: option(duration({ lowest: MILLISECOND_NS, highest: MAX_KEEP_ALIVE_NS }), {
    describe: 'how often hosts say that they are there; a port is freed after four times this',
    defaultText: formatDuration(DEFAULT_KEEP_ALIVE_MS * MILLISECOND_NS),
  }),
  workers: option(integer({ lowest: 1, highest: MAX_WORKERS }), {
    describe:
      'threads that forward; more than one would cost more than it brings, see docs/decisions/0016-one-thread.md',
    defaultText: '1',
  }),
  spin: TRANSPORT_OPTIONS.spin,
  datapath: TRANSPORT_OPTIONS.datapath,
  interval: optionalOption(duration({ lowest: 10 * MILLISECOND_NS }), {
    describe: 'print the ports this often',
    alias: 'i',
  }),
  json: flag({ describe: 'one JSON object a line: listening, ports at each interval, summary' }),
};
