// Tested by test/loopback/metrics.test.ts
import type { MetricsServer } from '../../services/metrics/server.js';
import type { MetricSource } from '../../services/metrics/source.js';
import { type Address, address, formatAddress } from '../../udp/address.js';
import { optionalOption } from './options.js';
import type { Results } from './results.js';
import { packageVersion } from './version.js';

/** Of the commands that run unattended. */
export const METRICS_OPTION = optionalOption(address({ host: '127.0.0.1', anyPort: true }), {
  describe: 'answer Prometheus at this TCP address: /metrics and /healthz; whoever reaches it may read them',
});

export interface MetricsOptions {
  /** Undefined: no metrics are served. */
  readonly listen: Address | undefined;
  readonly sources: readonly MetricSource[];
  /** Why the command does not do its work now; null while it does. */
  trouble(): string | null;
}

/** Where a command says the address. */
export interface MetricsOutput {
  readonly results: Results;
  readonly isJson: boolean;
}

/** Serves metrics where that is asked for, and says where. The packages for it are loaded then. Throws a Failure that names an address that is in use. */
export async function serveMetrics(options: MetricsOptions, output: MetricsOutput): Promise<MetricsServer | null> {
  const { listen, sources, trouble } = options;
  if (listen === undefined) return null;
  const [{ Exporter }, { MetricsServer }] = await Promise.all([
    import('../../services/metrics/exporter.js'),
    import('../../services/metrics/server.js'),
  ]);
  const exporter = new Exporter(sources, packageVersion());
  const server = await MetricsServer.listen({ listen, trouble, scrape: (isOpen) => exporter.scrape(isOpen) });
  say(server, output);
  return server;
}

/** Before the command says that it listens, for which programs wait. */
function say(server: MetricsServer, { results, isJson }: MetricsOutput): void {
  const at = formatAddress(server.address);
  const [metrics, healthz] = [`http://${at}/metrics`, `http://${at}/healthz`];
  if (isJson) results.json({ event: 'metrics', address: at, metrics, healthz });
  else results.line(`metrics at ${metrics}, health at ${healthz}`);
}
