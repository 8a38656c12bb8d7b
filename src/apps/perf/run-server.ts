// Tested by test/loopback/perf.test.ts

import type { XpassError } from '../../core/errors.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { type Address, formatAddress } from '../../udp/address.js';
import type { Invocation } from '../shared/command.js';
import { ExitCode } from '../shared/exit-codes.js';
import { failureOf } from '../shared/failure.js';
import { PerfService } from '../shared/perf/service.js';
import { ServiceHost } from '../shared/service-host.js';
import { openTransport, type Transport } from '../shared/transport.js';
import type { PERF_OPTIONS } from './options.js';
import { ServerPrinter } from './server-printer.js';

type PerfInvocation = Invocation<typeof PERF_OPTIONS>;

const DEFAULT_LISTEN: Address = { host: '127.0.0.1', port: DEFAULT_HOST_PORT };

/** Serves tests until SIGINT or SIGTERM, or until the switch takes the host no more. */
export async function runServer({ options, results, logger, onInterrupt }: PerfInvocation): Promise<ExitCode> {
  const interrupted = new Promise<null>((resolve) => {
    onInterrupt(() => resolve(null));
  });
  let handleDetached: (error: XpassError) => void = () => {};
  const detached = new Promise<XpassError>((resolve) => {
    handleDetached = resolve;
  });
  const printer = new ServerPrinter(results, options.json);
  let transport: Transport | null = null;
  const service = new PerfService({
    onOutcome: (outcome) => printer.test(outcome),
    driver: () => (transport as Transport).statistics(),
  });
  const host = new ServiceHost({ services: [service], logger });
  const listen = options.listen ?? DEFAULT_LISTEN;
  const opening = openTransport({ values: options, application: host, logger, listen, onDetached: handleDetached });
  // An interrupt before the switch has answered ends the process with nothing to close.
  transport = await Promise.race([opening, interrupted]);
  if (transport === null) return ExitCode.done;
  host.start(transport);
  printer.listening({
    address: formatAddress(transport.info.local),
    switchAddress: options.switch === undefined ? null : formatAddress(options.switch),
    hostId: transport.link.hostId,
  });
  const error = await Promise.race([detached, interrupted]);
  await host.close();
  transport.run((nowNs, { endpoint }) => endpoint.closeAll(nowNs));
  await transport.close();
  if (error !== null) throw failureOf(error);
  return ExitCode.done;
}
