import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import type { ExitCode } from '../shared/exit-codes.js';
import { usageFailure } from '../shared/failure.js';
import { PERF_OPTIONS } from './options.js';

type PerfInvocation = Invocation<typeof PERF_OPTIONS>;

export const command = defineCommand({
  description:
    'Measures between two hosts, in the manner of iperf3: goodput, round-trip times, gaps between credits, and what became of the credits. The server is ' +
    '`xpass perf -s`, or any `xpass daemon`; the client says what both sides measured. What arrived is what its receiver says; in between the client shows ' +
    'what has been acknowledged, or with --reverse what has arrived.',
  options: PERF_OPTIONS,
  examples: [
    { line: 'xpass perf -s', meaning: `Serve at 127.0.0.1:${DEFAULT_HOST_PORT}` },
    { line: 'xpass perf -c 127.0.0.1', meaning: 'Send for ten seconds' },
    { line: 'xpass perf -c 192.0.2.7 -t 30 -P 4 -R', meaning: 'Receive on four flows for half a minute' },
    { line: 'xpass perf -c 2 --switch 127.0.0.1 -n 1GiB --json', meaning: 'Send one GiB to host 2 behind a switch' },
  ],
  run,
});

async function run(invocation: PerfInvocation): Promise<ExitCode> {
  const { client, server } = invocation.options;
  checkUsage(invocation.options);
  if (client !== undefined && !server) return (await import('./run-client.js')).runClient(invocation, client);
  return (await import('./run-server.js')).runServer(invocation);
}

/** Throws a usage Failure for options that do not go together. */
function checkUsage(options: PerfInvocation['options']): void {
  const { client, server, listen, time, bytes, omit, reverse, weight, class: creditClass } = options;
  if (server === (client !== undefined)) {
    throw usageFailure('exactly one of --server (-s) and --client (-c) HOST must be given');
  }
  if (time !== undefined && bytes !== undefined)
    throw usageFailure('--time and --bytes are both given: one is allowed');
  if (omit !== undefined && bytes !== undefined)
    throw usageFailure('--omit is for tests with --time: leave it out beside --bytes');
  if (server && (time !== undefined || bytes !== undefined || omit !== undefined || reverse)) {
    throw usageFailure(
      '--time, --bytes, --omit and --reverse are for the client: the server does what each client asks for',
    );
  }
  if (server && (weight !== undefined || creditClass !== undefined))
    throw usageFailure('--weight and --class are for the client: the server does what each client asks for');
  if (listen !== undefined && (!server || options.switch !== undefined)) {
    throw usageFailure('--listen is for a server without a switch: leave it out beside --client and --switch');
  }
}
