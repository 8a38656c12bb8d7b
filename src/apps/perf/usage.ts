// Tested by test/apps/perf/command.test.ts
import { isIPv4, isIPv6 } from 'node:net';
import { usageFailure } from '../../base/failure.js';
import { longName } from '../../base/value-kind.js';
import { IGNORED_FLAGS, REFUSED_FLAGS } from './iperf3-flags.js';
import type { PerfOptions } from './options.js';

/** Options that a server leaves to its clients. */
const CLIENT_ONLY = [
  'time',
  'bytes',
  'blockcount',
  'length',
  'bitrate',
  'bandwidth',
  'fqRate',
  'omit',
  'reverse',
  'bidir',
  'rr',
  'weight',
  'class',
  'cport',
  'getServerOutput',
  'extraData',
  'compare',
  'report',
] as const;

const SERVER_ONLY = ['daemon', 'oneOff', 'listen', 'metrics'] as const;

/** Throws a usage Failure for options that do not go together. */
export function checkUsage(options: PerfOptions): void {
  const { client, server } = options;
  for (const [name, { why }] of Object.entries(REFUSED_FLAGS))
    if (isGiven(options, name))
      throw usageFailure(`--${longName(name)} is an option of iperf3 that is refused here: ${why}`);
  if (server === (client !== undefined))
    throw usageFailure('exactly one of --server (-s) and --client (-c) HOST must be given');
  const misplaced = (server ? CLIENT_ONLY : SERVER_ONLY).find((name) => isGiven(options, name));
  if (misplaced !== undefined) {
    const whose = server
      ? 'the client: the server does what each client asks for'
      : 'a server: leave it out beside --client';
    throw usageFailure(`--${longName(misplaced)} is for ${whose}`);
  }
  if (server) checkServer(options);
  else checkTest(options);
  checkAddress(options);
}

function checkServer({ listen, port, bind, ...options }: PerfOptions): void {
  if (options.repeat !== 1) throw usageFailure('--repeat is for the client: the server does what each client asks for');
  if (listen !== undefined && options.switch !== undefined)
    throw usageFailure('--listen is for a server without a switch: leave it out beside --switch');
  if (listen !== undefined && (port !== undefined || bind !== undefined))
    throw usageFailure('--listen and --port or --bind are both given: one is allowed');
}

function checkTest(options: PerfOptions): void {
  const { time, bytes, blockcount, omit, reverse, bidir, rr } = options;
  const isSized = bytes !== undefined || blockcount !== undefined;
  const given = (['time', 'bytes', 'blockcount'] as const).filter((name) => isGiven(options, name));
  if (given.length > 1) throw usageFailure(`--${given[0]} and --${given[1]} are both given: one is allowed`);
  if (omit !== undefined && isSized && time === undefined)
    throw usageFailure('--omit is for tests with --time: leave it out beside --bytes and --blockcount');
  if (options.compare !== undefined && (rr || options.switch !== undefined))
    throw usageFailure(
      rr
        ? '--compare and --rr are both given: iperf3 exchanges no messages'
        : '--compare is for a server with an address: behind a switch TCP takes another path',
    );
  const ways = Object.entries({ reverse, bidir, rr }).filter(([, isOn]) => isOn);
  if (ways.length > 1) throw usageFailure(`--${ways[0][0]} and --${ways[1][0]} are both given: one is allowed`);
}

function checkAddress({ version4, version6, client = '', bind }: PerfOptions): void {
  if (version4 && version6) throw usageFailure('--version4 and --version6 are both given: one is allowed');
  const names = [client.replace(/^\[(.*)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1'), bind ?? ''];
  const wrong = names.find((name) => (version4 && isIPv6(name)) || (version6 && isIPv4(name)));
  if (wrong !== undefined)
    throw usageFailure(
      `'${wrong}' is no address of IPv${version4 ? 4 : 6}, which --version${version4 ? 4 : 6} asks for`,
    );
}

function isGiven(options: PerfOptions, name: string): boolean {
  const value = (options as Readonly<Record<string, unknown>>)[name];
  return value !== undefined && value !== false;
}

/** What was given and has no effect, by long name, with why. */
export function ignoredOptions(options: PerfOptions): (readonly [name: string, why: string])[] {
  const ignored = Object.entries(IGNORED_FLAGS)
    .filter(([name]) => isGiven(options, name))
    .map(([name, { why }]) => [`--${longName(name)}`, why] as const);
  const { switch: behind, port, cport, bind, version4, version6, affinity } = options;
  const place = Object.entries({ port, cport, bind, version4: version4 || undefined, version6: version6 || undefined });
  const placed = behind === undefined ? [] : place.filter(([, value]) => value !== undefined);
  return [
    ...ignored,
    ...placed.map(([name]) => [`--${name}`, 'behind a switch hosts have numbers'] as const),
    ...(affinity !== undefined && affinity.serverCpu !== null
      ? [['--affinity of the server', 'a client binds no other process'] as const]
      : []),
  ];
}
