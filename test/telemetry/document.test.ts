import { expect, it } from 'vitest';
import {
  counter,
  counters,
  gauge,
  group,
  histogram,
  label,
  list,
  map,
  nullable,
  renamed,
} from '../../src/base/metric.js';
import { documentOf } from '../../src/telemetry/document.js';

const FLOW = { startNs: gauge('s', 'Start'), unused: renamed(counter('credits', 'Unused'), 'wasted') };
const METRICS = {
  kernelDrops: nullable(counter('datagrams', 'Dropped')),
  maxNs: gauge('ns', 'Latest'),
  problems: counters('errors', 'code', 'Errors'),
  classes: histogram('ns', 'Classes'),
  settings: label('Settings', {}),
  flows: list('Flows', FLOW),
  first: nullable(group('The first', FLOW)),
  byName: map('By name', FLOW),
};
const FLOW_VALUES = { startNs: 1.5e9, unused: 2, notDeclared: 3 };
const FLOW_JSON = { start_s: 1.5, wasted: 2 };

it('writes what is declared in snake case at every depth, times in seconds where they are declared so', () => {
  const document = documentOf(METRICS, {
    kernelDrops: null,
    maxNs: Number.POSITIVE_INFINITY,
    problems: { ECONNREFUSED: 2, notAttached: 1 },
    classes: [
      [10, 1],
      [Number.POSITIVE_INFINITY, 3],
    ],
    settings: { reorderDelayNs: 5 },
    flows: [FLOW_VALUES],
    first: null,
    byName: { aB: FLOW_VALUES },
  });
  expect(document).toEqual({
    kernel_drops: null,
    max_ns: null,
    problems: { ECONNREFUSED: 2, not_attached: 1 },
    classes: [
      [10, 1],
      [null, 3],
    ],
    settings: { reorder_delay_ns: 5 },
    flows: [FLOW_JSON],
    first: null,
    by_name: { aB: FLOW_JSON },
  });
});
