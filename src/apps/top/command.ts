// Tested by test/loopback/top.test.ts
import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf, usageFailure } from '../../base/failure.js';
import { duration } from '../../base/quantities.js';
import { choice, integer, type ValueKind } from '../../base/value-kind.js';
import { LiveRegion } from '../../report/terminal.js';
import { formatControlAddress, isPipe } from '../../services/control/address.js';
import { findControlPath, thisSystem } from '../../services/control/default-path.js';
import { type Address, address } from '../../udp/address.js';
import { defineCommand, type Invocation } from '../shared/command.js';
import { flag, option, optionalOption } from '../shared/options.js';
import { LiveTop } from './live.js';
import type { Reading } from './reading.js';
import { onceLines, SORTS } from './screen.js';
import { controlSource, metricsSource, type ReadingSource } from './source.js';
import { viewDocument, viewOf } from './view.js';

const METRICS_ADDRESS: ValueKind<Address> = address({ host: '127.0.0.1' });
const WHERE = `the address of --metrics (${METRICS_ADDRESS.allowed}), or a path with a slash: the control socket of a switch; without it the socket of this user's switch`;

const TOP_OPTIONS = {
  interval: option(duration({ lowest: 100e6, highest: 3_600e9, bareUnitNs: 1e9 }), {
    describe: 'look this often; rates are over this time',
    alias: 'i',
    defaultText: '1s',
  }),
  sort: option(choice(SORTS), { describe: 'by what ports are sorted, largest first', defaultText: 'load' }),
  once: flag({ describe: 'print one table and end, as wherever standard output is no terminal' }),
  json: flag({ describe: 'one JSON object and end' }),
  port: optionalOption(integer({ lowest: 1, highest: 65_535 }), {
    describe: 'UDP port of the switch whose socket is meant, where this user has several',
    alias: 'p',
  }),
  timeout: option(duration({ lowest: 100e6, highest: 3_600e9 }), {
    describe: 'how long a process has to answer: at the start, and with --once; a live table waits on',
    defaultText: '5s',
  }),
};

type TopInvocation = Invocation<typeof TOP_OPTIONS>;

export const command = defineCommand({
  description:
    'Shows what a running switch, daemon, perf server or tunnel does: ports by load, flows by algorithm, credits, marks, drops by reason, RTT, processor and memory. ' +
    'It asks the address that --metrics of the process names, or the control socket of a switch.',
  positionals: { label: '[ADDRESS]', describe: WHERE, least: 0, most: 1 },
  options: TOP_OPTIONS,
  examples: [
    { line: 'xpass top', meaning: "This user's switch, through its control socket" },
    { line: 'xpass top :9100', meaning: 'The process that serves metrics at 127.0.0.1:9100' },
    { line: 'xpass top :9101 --once --sort drops', meaning: 'One table, by drops' },
    { line: 'xpass top :9101 --json', meaning: 'The same numbers for a program' },
  ],
  run,
});

async function run(invocation: TopInvocation): Promise<ExitCode> {
  const source = openSource(invocation);
  const { options, screen } = invocation;
  try {
    const first = await patiently(source, options.timeout / 1e6);
    if (options.once || options.json || !new LiveRegion(screen).isLive) await showOnce(source, first, invocation);
    else await showLive(source, first, invocation);
  } finally {
    source.close();
  }
  return ExitCode.done;
}

function openSource({ options, positionals: [given] }: TopInvocation): ReadingSource {
  const timeoutMs = options.timeout / 1e6;
  if (given === undefined) return controlSource(findControlPath(options.port, thisSystem()), timeoutMs);
  if (options.port !== undefined)
    throw usageFailure('--port is for the socket of a switch: leave it out beside ADDRESS');
  if (given.includes('/') || isPipe(given)) return controlSource(formatControlAddress({ path: given }), timeoutMs);
  const at = METRICS_ADDRESS.parse(given);
  if (at === undefined) throw usageFailure(`ADDRESS '${given}' is not allowed; allowed: ${WHERE}`);
  return metricsSource(at, timeoutMs);
}

/** How often a process that does not answer is asked again (ours). */
const RETRY_MS = 250;

/** A reading, as soon as there is one. Throws the last Failure when the time is over. */
async function patiently(source: ReadingSource, patienceMs: number): Promise<Reading> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await source.read();
    } catch (error) {
      const failure = failureOf(error);
      if (failure === null) throw error;
      if (failure.exitCode !== ExitCode.peer || performance.now() + RETRY_MS >= end) {
        throw new Failure(failure.exitCode, failure.message);
      }
    }
    await sleep(RETRY_MS);
  }
}

async function showOnce(source: ReadingSource, first: Reading, { options, results }: TopInvocation): Promise<void> {
  await sleep(options.interval / 1e6);
  const view = viewOf(first, await patiently(source, options.timeout / 1e6), Date.now() / 1e3);
  const { address: at } = source;
  if (options.json) results.json({ event: 'top', address: at, ...viewDocument(view) });
  else results.line(onceLines(view, { address: at, sort: options.sort }).join('\n'));
}

async function showLive(source: ReadingSource, first: Reading, invocation: TopInvocation): Promise<void> {
  const { options, screen, onInterrupt } = invocation;
  const keys = process.stdin.isTTY ? process.stdin : null;
  const live = new LiveTop({ source, intervalMs: options.interval / 1e6, sort: options.sort, screen, keys }, first);
  const leave = onInterrupt(() => live.quit());
  await live.over;
  leave();
}
