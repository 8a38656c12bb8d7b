import { ExitCode } from '../../base/exit-codes.js';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { defineCommand } from '../shared/command.js';
import { packageVersion } from '../shared/version.js';
import { bindToCore, isInBackground, startInBackground } from './background.js';
import type { PerfInvocation } from './client-run.js';
import { runClient } from './client-series.js';
import { PERF_OPTIONS, type PerfOptions, type PerfSettings } from './options.js';
import { openOutput, writePidfile } from './output.js';
import { ServerRun } from './server-run.js';
import { checkUsage, ignoredOptions } from './usage.js';

export const command = defineCommand({
  description:
    "Measures between two hosts, with iperf3's options and output: goodput, round-trip times, gaps between credits, and what became of the credits. The " +
    'server is `xpass perf -s`, or any `xpass daemon`; the client says what both sides measured. What arrived is what its receiver says; in between the ' +
    'client shows what has been acknowledged, or with --reverse what has arrived.',
  options: PERF_OPTIONS,
  everyday: ['server', 'client', 'time', 'bytes', 'parallel', 'reverse', 'interval', 'switch', 'algorithm', 'json'],
  examples: [
    { line: 'xpass perf -s', meaning: `Serve at 127.0.0.1:${DEFAULT_HOST_PORT}` },
    { line: 'xpass perf -s --metrics :9102', meaning: 'The same, and let Prometheus watch at 127.0.0.1:9102' },
    { line: 'xpass perf -c 127.0.0.1', meaning: 'Send for ten seconds' },
    { line: 'xpass perf -c 192.0.2.7 -t 30 -P 4 -R', meaning: 'Receive on four flows for half a minute' },
    { line: 'xpass perf -c 2 --switch 127.0.0.1 -n 1G -J', meaning: 'Send one GiB to host 2 behind a switch' },
    { line: 'xpass perf -c 192.0.2.7 --rr -k 10000 -l 64', meaning: 'Exchange 10,000 small messages' },
  ],
  run,
});

async function run(invocation: PerfInvocation): Promise<ExitCode> {
  const given = invocation.options;
  const { results } = invocation;
  if (given.version) {
    results.line(packageVersion());
    return ExitCode.done;
  }
  if (given.schema) {
    results.json((await import('./document-shape.js')).perfJsonSchema());
    return ExitCode.done;
  }
  checkUsage(given);
  if (given.daemon && !isInBackground()) {
    await startInBackground();
    return ExitCode.done;
  }
  return measure(invocation);
}

async function measure(invocation: PerfInvocation): Promise<ExitCode> {
  const { options: given, logger, results } = invocation;
  const ignored = ignoredOptions(given);
  if (given.udp) logger.warn('--udp changes nothing: everything here is UDP');
  for (const [name, why] of ignored) logger.warn(`${name} has no effect: ${why}`);
  if (given.affinity !== undefined) bindToCore(given.affinity.cpu);
  const options = withHostSettings(given);
  const output = openOutput(results, given);
  const removePid = writePidfile(given.pidfile);
  try {
    if (given.client === undefined) return await new ServerRun(invocation, options, output).run();
    const names = ignored.map(([name]) => name);
    return await runClient({ invocation, options, output, version: packageVersion(), ignored: names }, given.client);
  } finally {
    removePid();
    output.close();
  }
}

/** The host's settings that have other names with iperf3. */
function withHostSettings(options: PerfOptions): PerfSettings {
  const { window, receiveWindow, algorithm, congestion, idleTimeout = DEFAULT_CONFIG.idleTimeoutNs } = options;
  const named = algorithm ?? congestion;
  return {
    ...options,
    ...(named !== undefined && { algorithm: named }),
    receiveWindow: window ?? receiveWindow,
    idleTimeout,
  };
}
