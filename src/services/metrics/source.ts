// Tested by test/services/metrics/exporter.test.ts
import type { Fields, Values } from '../../base/metric.js';

/** Records of a declaration, read once a scrape. */
export interface MetricSource {
  readonly fields: Fields;
  read(): object;
}

/** A source whose declaration and records belong together. */
export function metricSource<F extends Fields>(fields: F, read: () => Values<F>): MetricSource {
  return { fields, read };
}
