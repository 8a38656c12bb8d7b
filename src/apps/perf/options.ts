import { duration, formatDuration, rate } from '../../base/quantities.js';
import { choice, integer, text } from '../../base/value-kind.js';
import { ALGORITHM_NAMES } from '../../core/algorithms.js';
import { DEFAULT_CONFIG, LEAST_WINDOW_BYTES } from '../../core/config.js';
import { DEFAULT_HOST_PORT, HOST_SETTINGS } from '../../net/host-settings.js';
import { MAX_DURATION_NS, MAX_FLOWS, MAX_LENGTH_BYTES } from '../../services/perf/messages.js';
import { address } from '../../udp/address.js';
import { METRICS_OPTION } from '../shared/metrics.js';
import { flag, type OptionValues, option, optionalOption } from '../shared/options.js';
import { SHARE_OPTIONS, TRANSPORT_OPTIONS } from '../shared/transport-options.js';
import { foreignOptions, IGNORED_FLAGS, REFUSED_FLAGS } from './iperf3-flags.js';
import { AFFINITY, BITRATE, binarySize, COMPARISON, FORMATS, TIMESTAMPS } from './kinds.js';

/** Loopback unless told otherwise; port 0 is any free one, which the first line of output names. */
const LISTEN_DEFAULTS = { host: '127.0.0.1', port: DEFAULT_HOST_PORT, anyPort: true };

const SECOND_NS = 1e9;
const MILLISECOND_NS = 1e6;
const MIN_TIME_NS = 10e6;
const MAX_OMIT_NS = 60e9;
const MAX_PORT = 65_535;
const MAX_REPEATS = 1_000;

const PORT = integer({ lowest: 1, highest: MAX_PORT });
const seconds = (lowest: number, highest?: number) =>
  duration({ lowest, ...(highest !== undefined && { highest }), bareUnitNs: SECOND_NS });

/** iperf3's, by its names. */
const IPERF3_OPTIONS = {
  server: flag({ describe: 'serve tests until SIGINT or SIGTERM', alias: 's' }),
  client: optionalOption(text('HOST, HOST:PORT or [IPV6]:PORT; behind a switch a host id'), {
    describe: 'run a test with the server or daemon there',
    alias: 'c',
  }),
  port: optionalOption(PORT, { describe: `port of the server; ${DEFAULT_HOST_PORT} without it`, alias: 'p' }),
  time: optionalOption(seconds(MIN_TIME_NS, MAX_DURATION_NS), {
    describe: 'send for this long; 10s without it, --bytes and --blockcount',
    alias: 't',
  }),
  bytes: optionalOption(binarySize(1), { describe: 'send this much in all, however long it takes', alias: 'n' }),
  blockcount: optionalOption(binarySize(1), { describe: 'send so many blocks of --length in all', alias: 'k' }),
  length: optionalOption(binarySize(1, MAX_LENGTH_BYTES), {
    describe: 'of a block, a write, or a message of --rr; 128K without it, 64 with --rr',
    alias: 'l',
  }),
  bitrate: optionalOption(BITRATE, { describe: 'write no faster on each flow; no limit without it', alias: 'b' }),
  omit: optionalOption(seconds(0, MAX_OMIT_NS), {
    describe: 'send for this long before --time begins, and leave it out of all figures; nothing without it',
    alias: 'O',
  }),
  parallel: option(integer({ lowest: 1, highest: MAX_FLOWS }), {
    describe: 'flows at a time',
    alias: 'P',
    defaultText: '1',
  }),
  reverse: flag({ describe: 'let the server send and the client receive', alias: 'R' }),
  bidir: flag({ describe: 'let both send at once' }),
  interval: option(seconds(0), {
    describe: 'say how fast it goes this often; 0: at the end',
    alias: 'i',
    defaultText: '1s',
  }),
  format: optionalOption(choice(FORMATS), { describe: 'unit of all rates; in capitals bytes', alias: 'f' }),
  verbose: flag({ describe: 'say more: histograms, drivers, options', alias: 'V' }),
  json: flag({ describe: "iperf3's document, with ours under the key xpass; a server prints one a test", alias: 'J' }),
  jsonStream: flag({ describe: 'one JSON object an event and line: listening, start, interval, end, error' }),
  jsonStreamFullOutput: flag({ describe: 'with --json-stream the whole document as the last line' }),
  title: optionalOption(text('a text'), { describe: 'begin each line with this', alias: 'T' }),
  extraData: optionalOption(text('a text'), { describe: 'put this into the document' }),
  getServerOutput: flag({ describe: 'print what the server measured, too' }),
  timestamps: optionalOption(TIMESTAMPS, { describe: 'begin each line with the time' }),
  logfile: optionalOption(text('a file'), { describe: 'append what would be printed to this file' }),
  pidfile: optionalOption(text('a file'), { describe: "write the process's number there", alias: 'I' }),
  daemon: flag({ describe: 'serve in the background', alias: 'D' }),
  oneOff: flag({ describe: 'serve one test, then end', alias: '1' }),
  bind: optionalOption(text('an address'), { describe: "use this address of the machine's", alias: 'B' }),
  cport: optionalOption(PORT, { describe: "the client's port; any free one without it" }),
  version4: flag({ describe: 'IPv4 only', alias: '4' }),
  version6: flag({ describe: 'IPv6 only', alias: '6' }),
  window: optionalOption(binarySize(LEAST_WINDOW_BYTES), {
    describe: 'receive window of each flow to this host',
    alias: 'w',
  }),
  affinity: optionalOption(AFFINITY, { describe: 'run on this core', alias: 'A' }),
  udp: flag({ describe: 'nothing else: everything here is UDP', alias: 'u' }),
  repeatingPayload: flag({ describe: 'nothing else: the payload repeats always' }),
  version: flag({ describe: 'print the version', alias: 'v' }),
};

/** Other names that iperf3 has for an option. */
const SYNONYMS = {
  bandwidth: optionalOption(BITRATE, { describe: 'as --bitrate' }),
  fqRate: optionalOption(rate(), { describe: 'as --bitrate; the lower one holds' }),
  congestion: optionalOption(choice(ALGORITHM_NAMES), { describe: 'as --algorithm' }),
};

/** What iperf3 has not. */
const OWN_OPTIONS = {
  listen: optionalOption(address(LISTEN_DEFAULTS), {
    describe: `take flows at this address, 127.0.0.1:${DEFAULT_HOST_PORT} without it; for a server without --switch`,
  }),
  rr: flag({ describe: 'exchange messages of --length in a row, and say how long each took there and back' }),
  repeat: option(integer({ lowest: 1, highest: MAX_REPEATS }), {
    describe: 'run the test so often, and say the mean with its 95 % confidence interval',
    defaultText: '1',
  }),
  compare: optionalOption(COMPARISON, {
    describe: 'before each test run TCP over the same path by the installed iperf3, with iperf3 -s on the server',
  }),
  report: optionalOption(text('a file'), { describe: 'write a page about the test there, as HTML' }),
  metrics: METRICS_OPTION,
  schema: flag({ describe: 'print the JSON Schema of the document' }),
};

export const PERF_OPTIONS = {
  ...IPERF3_OPTIONS,
  ...OWN_OPTIONS,
  ...SYNONYMS,
  ...SHARE_OPTIONS,
  ...TRANSPORT_OPTIONS,
  // As iperf3 has them: a number alone counts milliseconds, or seconds.
  connectTimeout: option(duration({ lowest: MILLISECOND_NS, highest: MAX_DURATION_NS, bareUnitNs: MILLISECOND_NS }), {
    describe: HOST_SETTINGS.connectTimeout.meaning,
    defaultText: formatDuration(DEFAULT_CONFIG.connectTimeoutNs),
  }),
  idleTimeout: optionalOption(seconds(MILLISECOND_NS, MAX_DURATION_NS), {
    describe: `${HOST_SETTINGS.idleTimeout.meaning}, and with --one-off how long it waits for a client; 10s without it`,
  }),
  ...foreignOptions(IGNORED_FLAGS, 'of iperf3, without effect'),
  ...foreignOptions(REFUSED_FLAGS, 'of iperf3, refused'),
};

export type PerfOptions = OptionValues<typeof PERF_OPTIONS>;

/** With the host's settings as iperf3's names for them say. */
export type PerfSettings = PerfOptions & { readonly idleTimeout: number };
