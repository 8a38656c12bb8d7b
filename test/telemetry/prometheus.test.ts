import { describe, expect, it } from 'vitest';
import { DAEMON_METRICS, PROGRESS_EVENT } from '../../src/apps/daemon/report.js';
import {
  counter,
  counters,
  type Fields,
  gauge,
  group,
  histogram,
  label,
  list,
  nullable,
} from '../../src/base/metric.js';
import { HOST_METRICS } from '../../src/net/host-metrics.js';
import { TUNNEL_SOURCE_METRICS } from '../../src/services/tunnel/tunnels.js';
import { SWITCH_METRICS } from '../../src/switch/switch.js';
import { familiesOf } from '../../src/telemetry/prometheus.js';

const FIELDS = {
  framesReceived: counter('frames', 'a'),
  unknownFlow: counter('frames', 'a'),
  evictions: counter('events', 'a'),
  bytesIn: counter('bytes', 'a'),
  rateBps: gauge('bit/s', 'a'),
  rttNs: gauge('s', 'a'),
  gapNs: gauge('ns', 'a'),
  drops: counters('frames', 'reason', 'a'),
  known: nullable(counter('frames', 'a')),
  id: gauge('id', 'a'),
  name: label('a'),
  lateness: group('a', { classes: histogram('ns', 'a') }),
  ports: list('a', { name: label('a'), queueBytes: gauge('bytes', 'a') }, { port: 'name' }),
  flows: list('a', { id: gauge('id', 'a'), bytes: counter('bytes', 'a') }),
};

const RECORD = {
  framesReceived: 1,
  unknownFlow: 2,
  evictions: 3,
  bytesIn: 4,
  rateBps: 800,
  rttNs: 2e9,
  gapNs: 5e6,
  drops: { full: 6, lost: 7 },
  known: null,
  id: 8,
  name: 'x',
  lateness: {
    classes: [
      [20_000, 2],
      [Number.POSITIVE_INFINITY, 3],
    ],
  },
  ports: [
    { name: 'a->b', queueBytes: 9 },
    { name: 'b->a', queueBytes: 10 },
  ],
  flows: [{ id: 1, bytes: 11 }],
};

/** Each sample as Prometheus' text has it. */
function lines(fields: Fields, record: object): string[] {
  return familiesOf(fields).flatMap((family) =>
    family.samples(record).map(({ metricName = family.name, labels, value }) => {
      const text = Object.entries(labels).map(([name, each]) => `${name}="${each}"`);
      return `${metricName}{${text}} ${value}`;
    }),
  );
}

describe('a declaration as Prometheus has it', () => {
  it('has the unit at the end of names, base units, labels for what has names, and nothing of single flows', () => {
    expect(lines(FIELDS, RECORD)).toEqual([
      'xpass_received_frames_total{} 1',
      'xpass_unknown_flow_frames_total{} 2',
      'xpass_evictions_total{} 3',
      'xpass_in_bytes_total{} 4',
      'xpass_rate_bytes_per_second{} 100',
      'xpass_rtt_seconds{} 2',
      'xpass_gap_seconds{} 0.005',
      'xpass_drops_frames_total{reason="full"} 6',
      'xpass_drops_frames_total{reason="lost"} 7',
      'xpass_lateness_seconds_bucket{le="0.00002"} 2',
      'xpass_lateness_seconds_bucket{le="+Inf"} 5',
      'xpass_lateness_seconds_count{} 5',
      'xpass_port_queue_bytes{port="a->b"} 9',
      'xpass_port_queue_bytes{port="b->a"} 10',
    ]);
  });
});

const DECLARATIONS: Readonly<Record<string, Fields>> = {
  host: HOST_METRICS,
  switch: SWITCH_METRICS,
  daemon: DAEMON_METRICS,
  tunnel: TUNNEL_SOURCE_METRICS,
};

/** Numbers of a declaration that only grow, those within others included. */
function countersIn(fields: Fields): number {
  return Object.values(fields).reduce(
    (sum, metric) =>
      sum + (metric.kind === 'counter' ? 1 : 0) + (metric.fields === undefined ? 0 : countersIn(metric.fields)),
    0,
  );
}

describe.each(Object.entries(DECLARATIONS))('the metrics of a %s', (_, fields) => {
  const families = familiesOf(fields);

  it('have names of their own, as Prometheus wants them', () => {
    const names = families.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, type } of families) {
      expect(name).toMatch(/^xpass_[a-z0-9_]+$/);
      expect(name.endsWith('_total'), name).toBe(type === 'counter');
    }
  });

  it('are told apart by labels with few values', () => {
    const labels = new Set(families.flatMap(({ labelNames }) => labelNames));
    const few = ['port', 'direction', 'algorithm', 'reason', 'code'];
    expect([...labels].filter((name) => !few.includes(name))).toEqual([]);
  });

  it('hold every counter that is declared', () => {
    expect(families.filter(({ type }) => type === 'counter')).toHaveLength(countersIn(fields));
  });
});

it('leaves out what is declared for each flow', () => {
  expect(familiesOf(PROGRESS_EVENT).map(({ name }) => name)).not.toContainEqual(expect.stringContaining('delivered'));
});
