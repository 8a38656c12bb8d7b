// Tested by test/services/metrics/exporter.test.ts
import { collectDefaultMetrics, Gauge, type Metric, type OpenMetricsContentType, Registry } from 'prom-client';
import { type Family, familiesOf } from '../../telemetry/prometheus.js';
import type { MetricSource } from './source.js';

/** A scrape as text. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** What prom-client asks of a metric when it writes text. Its own classes hold values; ours stand where they are counted. */
interface Collected {
  readonly name: string;
  readonly type: Family['type'];
  get(): Promise<object>;
}

const TOTAL = '_total';
/** Gauges of prom-client that are called as counters are: `promtool check metrics` refuses them. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** Writes the metrics of a process with prom-client: those of `sources`, `xpass_build_info`, and prom-client's own of the process and Node.js. */
export class Exporter {
  private readonly plain = new Registry();
  private readonly open = new Registry<OpenMetricsContentType>();
  private readonly sources: readonly MetricSource[];
  private records: object[] = [];

  constructor(sources: readonly MetricSource[], version: string) {
    this.sources = sources;
    this.open.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    collectDefaultMetrics({ register: this.plain });
    for (const name of MISNAMED) this.plain.removeSingleMetric(name);
    const build = new Gauge({
      name: 'xpass_build_info',
      help: 'Always 1; the labels say what runs',
      labelNames: ['version', 'node'],
      registers: [this.plain],
    });
    build.set({ version, node: process.versions.node }, 1);
    for (const [at, { fields }] of sources.entries()) {
      for (const family of familiesOf(fields)) register(this.plain, this.collected(family, at));
    }
    for (const metric of this.plain.getMetricsAsArray())
      register(this.open, openMetric(metric as unknown as Collected));
  }

  /** One scrape; all its numbers are of one moment. */
  async scrape(isOpenMetrics: boolean): Promise<Exposition> {
    const registry = isOpenMetrics ? this.open : this.plain;
    this.records = this.sources.map((source) => source.read());
    // prom-client asks all metrics before it waits for anything.
    const text = await registry.metrics();
    return { contentType: registry.contentType, text };
  }

  private collected({ name, help, type, samples }: Family, at: number): Collected {
    return {
      name,
      type,
      get: async () => ({ name, help, type, values: samples(this.records[at]), aggregator: 'sum' }),
    };
  }
}

/** OpenMetrics names the family of a counter without `_total`, and prom-client puts it behind the samples' names then. */
function openMetric(metric: Collected): Collected {
  const { type } = metric;
  if (type !== 'counter') return metric;
  const name = metric.name.endsWith(TOTAL) ? metric.name.slice(0, -TOTAL.length) : metric.name;
  return { name, type, get: async () => ({ ...(await metric.get()), name }) };
}

/** Types say that only prom-client's classes are metrics; it calls `get` of whatever was registered. */
function register(registry: Pick<Registry, 'registerMetric'>, metric: Collected): void {
  registry.registerMetric(metric as unknown as Metric);
}
