// Tested by test/loopback/metrics.test.ts
import type { Host } from '../../net/host.js';
import { HOST_METRICS, hostMetrics, hostTrouble } from '../../net/host-metrics.js';
import type { MetricsServer } from '../../services/metrics/server.js';
import { type MetricSource, metricSource } from '../../services/metrics/source.js';
import type { Address } from '../../udp/address.js';
import { serveMetrics } from './metrics.js';
import type { Results } from './results.js';

/** What a command was run with, as far as it matters here. */
interface Invoked {
  readonly options: { readonly metrics: Address | undefined; readonly json: boolean };
  readonly results: Results;
}

/** Serves the metrics of a host and those of its command. A host without the metrics that were asked for is destroyed. */
export async function serveHostMetrics(
  host: Host,
  others: readonly MetricSource[],
  { options, results }: Invoked,
): Promise<MetricsServer | null> {
  const sources = [metricSource(HOST_METRICS, () => hostMetrics(host)), ...others];
  const trouble = (): string | null => hostTrouble(host);
  try {
    return await serveMetrics({ listen: options.metrics, sources, trouble }, { results, isJson: options.json });
  } catch (error) {
    await host.destroy();
    throw error;
  }
}
