// Tested by test/apps/perf/options.test.ts
import { text, type ValueKind } from '../../base/value-kind.js';
import { flag, type OptionSpec, optionalOption } from '../shared/options.js';

/** A flag of iperf3 that has no effect here, or that is refused. */
export interface ForeignFlag {
  readonly alias?: string;
  /** What it takes, for help; absent for a flag. */
  readonly value?: string;
  /** One clause: why. */
  readonly why: string;
}

/** Accepted, said once on standard error, and listed in the document as `ignored_options`. From iperf3 3.12 to 3.20. */
export const IGNORED_FLAGS = {
  tos: { alias: 'S', value: 'a number', why: 'Node.js sets no type of service; switches mark ECN by themselves' },
  dscp: { value: 'a number or a name', why: 'Node.js sets no type of service; switches mark ECN by themselves' },
  flowlabel: { alias: 'L', value: 'a number', why: 'Node.js sets no flow label' },
  dontFragment: { why: 'frames are never larger than --frame-size' },
  zerocopy: { alias: 'Z', why: 'frames are written where they are sent from' },
  skipRxCopy: { why: 'what arrives is counted and let go' },
  setMss: { alias: 'M', value: 'a number', why: '--frame-size bounds the datagrams' },
  noDelay: { alias: 'N', why: 'nothing waits for more data here' },
  'udp-counters-64bit': { why: 'counters have 53 bits already' },
  pacingTimer: { value: 'a time, us', why: 'paced flows are looked at each millisecond' },
  noFqSocketPacing: { why: 'no kernel paces here' },
  rcvTimeout: { value: 'a time, ms', why: '--idle-timeout bounds each wait' },
  sndTimeout: { value: 'a time, ms', why: '--idle-timeout bounds each wait' },
  bindDev: { value: 'a device', why: 'Node.js binds to addresses: see --bind' },
  mptcp: { alias: 'm', why: 'frames spread over equal paths in the network' },
  gsro: { why: 'the datapath mmsg always sends many frames a call' },
  cntlKa: { value: 'times', why: 'the control stream lives as long as its host is heard' },
  forceflush: { why: 'each line is flushed already' },
  debug: { alias: 'd', value: 'a level', why: '--log-level debug says more' },
} as const satisfies Readonly<Record<string, ForeignFlag>>;

/** Refused with 2: who gives them counts on what is not there. */
export const REFUSED_FLAGS = {
  sctp: { why: 'there is no SCTP here' },
  xbind: { alias: 'X', value: 'a name', why: 'there is no SCTP here' },
  nstreams: { value: 'a number', why: 'there is no SCTP here; --parallel has more flows' },
  file: { alias: 'F', value: 'a file', why: 'xpass send and xpass daemon move files' },
  serverBitrateLimit: { value: 'a rate', why: '--rate of the server bounds what it takes' },
  serverMaxDuration: { value: 'seconds', why: 'a server takes tests of up to a day' },
  username: { value: 'a name', why: '--key and --peers say who may talk to a host' },
  rsaPublicKeyPath: { value: 'a file', why: '--key and --peers say who may talk to a host' },
  rsaPrivateKeyPath: { value: 'a file', why: '--key and --peers say who may talk to a host' },
  authorizedUsersPath: { value: 'a file', why: '--key and --peers say who may talk to a host' },
  timeSkewThreshold: { value: 'seconds', why: '--key and --peers say who may talk to a host' },
  usePkcs1Padding: { why: '--key and --peers say who may talk to a host' },
} as const satisfies Readonly<Record<string, ForeignFlag>>;

type Named<F extends Readonly<Record<string, ForeignFlag>>> = { [K in keyof F]: OptionSpec<unknown> };

/** The options of such a table; docs/IPERF3.md has them instead of help. A refused one without a value is a flag too: the command refuses it. */
export function foreignOptions<F extends Readonly<Record<string, ForeignFlag>>>(flags: F, what: string): Named<F> {
  const entries = Object.entries<ForeignFlag>(flags).map(([name, { alias, value, why }]) => {
    const about = { describe: `${what}: ${why}`, ...(alias !== undefined && { alias }) };
    const spec = value === undefined ? flag(about) : optionalOption(maybe(value), about);
    return [name, { ...spec, isHidden: true }];
  });
  return Object.fromEntries(entries) as Named<F>;
}

/** `--debug` and `--debug=2`: some may stand alone. */
function maybe(what: string): ValueKind<string> {
  return { ...text(what), parse: String };
}

/** Flags of iperf3 that mean here what they mean there, as its help has them, with what to know; and what a test gives them. */
export const SAME_FLAGS: readonly (readonly [flag: string, note: string, example: string])[] = [
  ['-c, --client', '', '-c 127.0.0.1'],
  ['-s, --server', '', '-s'],
  ['-p, --port', '28400 instead of 5201', '-c 127.0.0.1 -p 5201'],
  ['-f, --format', '', '-c 127.0.0.1 -f m'],
  ['-i, --interval', '0: only the end', '-c 127.0.0.1 -i 0.5'],
  ['-I, --pidfile', '', '-s -I /tmp/pid'],
  ['-A, --affinity', 'of N,M the first alone; Linux, with taskset', '-c 127.0.0.1 -A 0'],
  ['-B, --bind', '', '-c 127.0.0.1 -B 127.0.0.1'],
  ['-V, --verbose', 'histograms, drivers', '-c 127.0.0.1 -V'],
  ['-J, --json', 'one document a test', '-c 127.0.0.1 -J'],
  ['--json-stream', 'an event a line; a server begins with `listening`', '-c 127.0.0.1 --json-stream'],
  [
    '--json-stream-full-output',
    'the document too, as the last line',
    '-c 127.0.0.1 --json-stream --json-stream-full-output',
  ],
  ['--logfile', '', '-c 127.0.0.1 --logfile /tmp/log'],
  ['--timestamps', 'letters %c %F %T %Y %m %d %e %H %M %S %s %a %b', '-c 127.0.0.1 --timestamps=%s'],
  ['-D, --daemon', 'ends with 0 when the server listens', '-s -D'],
  ['-1, --one-off', '', '-s -1'],
  [
    '--idle-timeout',
    'seconds alone; a lost client is given up after it, and with -1 an idle server ends',
    '-s --idle-timeout 5',
  ],
  ['-u, --udp', 'everything here is UDP', '-c 127.0.0.1 -u'],
  ['--connect-timeout', 'milliseconds alone', '-c 127.0.0.1 --connect-timeout 500'],
  ['-b, --bitrate, --bandwidth', 'of each flow; without it no limit', '-c 127.0.0.1 -b 10M/16'],
  ['--fq-rate', 'as -b; the lower one holds', '-c 127.0.0.1 --fq-rate 10M'],
  ['-t, --time', '', '-c 127.0.0.1 -t 2'],
  ['-n, --bytes', 'of all flows, in equal parts', '-c 127.0.0.1 -n 1M'],
  ['-k, --blockcount', 'blocks of --length', '-c 127.0.0.1 -k 100'],
  ['-l, --length', 'of a write, at most 64 MiB; 128K without it', '-c 127.0.0.1 -l 8K'],
  ['--cport', '', '-c 127.0.0.1 --cport 30000'],
  ['-P, --parallel', 'up to 512', '-c 127.0.0.1 -P 4'],
  ['-R, --reverse', '', '-c 127.0.0.1 -R'],
  ['--bidir', '', '-c 127.0.0.1 --bidir'],
  ['-w, --window', "this host's receive window of each flow", '-c 127.0.0.1 -w 4M'],
  ['-C, --congestion', "xpass's algorithms", '-c 127.0.0.1 -C steady'],
  ['-4, --version4', '', '-c 127.0.0.1 -4'],
  ['-6, --version6', '', '-c ::1 -6'],
  ['-O, --omit', 'seconds before the test; their intervals are omitted ones', '-c 127.0.0.1 -O 1'],
  ['-T, --title', '', '-c 127.0.0.1 -T one'],
  ['--extra-data', 'in the documents of the client', '-c 127.0.0.1 --extra-data x'],
  ['--get-server-output', 'with -J as `server_output_json`', '-c 127.0.0.1 --get-server-output'],
  ['--repeating-payload', 'always so', '-c 127.0.0.1 --repeating-payload'],
  ['-v, --version', '', '-v'],
  ['-h, --help', '', '-h'],
];
