// Tested by test/loopback/perf.test.ts

import type { XpassError } from '../../core/errors.js';
import type { Host } from '../../net/host.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { type Address, formatAddress } from '../../udp/address.js';
import type { Invocation } from '../shared/command.js';
import { openCommandHost } from '../shared/command-host.js';
import { ExitCode } from '../shared/exit-codes.js';
import { failureOf } from '../shared/failure.js';
import { PerfService } from '../shared/perf/service.js';
import { ServiceHost } from '../shared/service-host.js';
import type { PERF_OPTIONS } from './options.js';
import { ServerPrinter } from './server-printer.js';

type PerfInvocation = Invocation<typeof PERF_OPTIONS>;

const DEFAULT_LISTEN: Address = { host: '127.0.0.1', port: DEFAULT_HOST_PORT };

/** Serves tests until SIGINT or SIGTERM, or until the switch takes the host no more. */
export async function runServer({ options, results, logger, onInterrupt }: PerfInvocation): Promise<ExitCode> {
  const interrupted = new Promise<null>((resolve) => {
    onInterrupt(() => resolve(null));
  });
  const printer = new ServerPrinter(results, options.json);
  let host: Host | null = null;
  const service = new PerfService({
    onOutcome: (outcome) => printer.test(outcome),
    driver: () => (host as Host).statistics().driver,
  });
  const services = new ServiceHost({ services: [service], logger });
  const place = { listen: options.listen ?? DEFAULT_LISTEN };
  // An interrupt before the switch has answered ends the process with nothing to close.
  host = await Promise.race([openCommandHost({ settings: options, place, logger }), interrupted]);
  if (host === null) return ExitCode.done;
  services.serve(host);
  printer.listening({
    address: formatAddress(host.info.local),
    switchAddress: options.switch === undefined ? null : formatAddress(options.switch),
    hostId: host.link.hostId,
  });
  const error = await Promise.race([detachment(host), interrupted]);
  await services.close();
  await host.destroy();
  if (error !== null) throw failureOf(error);
  return ExitCode.done;
}

function detachment(host: Host): Promise<XpassError> {
  return new Promise((resolve) => host.once('detached', resolve));
}
