import { describe, expect, it } from 'vitest';
import { parseExposition, type Reading } from '../../../src/apps/top/reading.js';
import { onceLines, type ScreenState, SORTS, scaled, screenLines, sortedPorts } from '../../../src/apps/top/screen.js';
import { viewDocument, viewOf } from '../../../src/apps/top/view.js';

/** A process after `n` seconds: port `a->b` is full, `c->d` idle. */
function reading(n: number, extra = ''): Reading {
  return {
    atNs: n * 1e9,
    families: parseExposition(`process_cpu_seconds_total ${n * 0.25}
process_start_time_seconds 1000
process_resident_memory_bytes 104857600
xpass_handshakes_associations_peers 2
xpass_driver_in_datagrams_total ${n * 2000}
xpass_driver_out_datagrams_total ${n * 10}
xpass_port_rate_bytes_per_second{port="c->d"} 1000000
xpass_port_rate_bytes_per_second{port="a->b"} 1000000
xpass_port_data_frames_total{port="c->d"} 0
xpass_port_data_frames_total{port="a->b"} ${n * 600}
xpass_port_data_wire_bytes_total{port="a->b"} ${n * 900_000}
xpass_port_credit_wire_bytes_total{port="a->b"} ${n * 50_000}
xpass_port_control_wire_bytes_total{port="a->b"} ${n * 10_000}
xpass_port_credit_frames_total{port="a->b"} ${n * 500}
xpass_port_drops_frames_total{port="a->b",reason="creditQueueFull"} ${n * 30}
xpass_port_drops_frames_total{port="a->b",reason="loss"} ${n * 2}
xpass_port_ecn_marks_frames_total{port="a->b"} ${n * 4}
xpass_port_data_queue_bytes{port="a->b"} 41526
xpass_flow_open_flows{direction="received",algorithm="steady"} 3
xpass_flow_payload_bytes_total{direction="received",algorithm="steady"} ${n * 500_000}
xpass_flow_credits_total{direction="received",algorithm="steady"} ${n * 480}
xpass_endpoint_short_frames_total 7
xpass_endpoint_received_frames_total ${n}
xpass_flow_rtt_seconds_bucket{le="0.001"} ${n * 60}
xpass_flow_rtt_seconds_bucket{le="0.01"} ${n * 99}
xpass_flow_rtt_seconds_bucket{le="+Inf"} ${n * 100}
${extra}`),
  };
}

const view = viewOf(reading(2), reading(4), 1062);
const STATE: ScreenState = {
  address: '127.0.0.1:9100',
  sort: 'load',
  isPaused: false,
  trouble: null,
  from: 0,
  rows: 23,
  hasColors: false,
};

describe('what a process did between two readings', () => {
  it('is rates over the interval', () => {
    expect(view).toMatchObject({ intervalS: 2, upS: 62, cpu: 0.25, associations: 2, attached: null, inPerS: 2000 });
    expect(view.ports[1]).toEqual({
      name: 'a->b',
      load: 0.96,
      rateBps: 7_680_000,
      queueBytes: 41_526,
      creditsPerS: 500,
      creditDropsPerS: 30,
      marksPerS: 4,
      dropsPerS: 2,
    });
    expect(view.flows).toMatchObject([{ algorithm: 'steady', open: 3, payloadBps: 4e6, creditsPerS: 480 }]);
  });

  it('names drops by reason, the most frequent first', () => {
    expect(view.drops).toEqual([
      { reason: 'creditQueueFull', total: 120, perS: 30 },
      { reason: 'loss', total: 8, perS: 2 },
      { reason: 'endpoint short', total: 7, perS: 0 },
    ]);
  });

  it('has quantiles of the interval, or of all time where the interval has none', () => {
    expect(view.rtt).toEqual({ count: 200, p50: 0.001, p90: 0.01, p99: 0.01 });
    expect(viewOf(reading(2), { ...reading(2), atNs: 3e9 }, 0).rtt?.count).toBe(200);
    expect(viewOf(reading(0), reading(0), 0).rtt).toBeNull();
  });

  it('counts from zero where the process began anew', () => {
    expect(viewOf(reading(9), { ...reading(1), atNs: 10e9 }, 0).ports[1].creditsPerS).toBe(500);
  });

  it('is a document with names as elsewhere', () => {
    expect(viewDocument(view)).toMatchObject({ up_s: 62, ports: [{ name: 'c->d' }, { rate_bps: 7_680_000 }] });
  });
});

describe('the screen', () => {
  it('says all of it in 80 columns', () => {
    const lines = screenLines(view, STATE);
    expect(lines.slice(0, 4)).toEqual([
      'xpass top  127.0.0.1:9100',
      'up 1:02  cpu 25%  memory 100 MiB  associations 2  in 2.00k/s  out 10/s',
      'port   LOAD  bit/s  queue  credits/s  c-drops/s  marks/s  drops/s',
      'a->b  96.0%  7.68M  41.5k        500         30        4        2',
    ]);
    expect(lines).toContain('drops: creditQueueFull 120 (30/s), loss 8 (2/s), endpoint short 7 (0/s)');
    expect(lines).toContain('RTT below: p50 1.000 ms  p90 10.00 ms  p99 10.00 ms');
  });

  it('fits 80x24 whatever there is, and scrolls', () => {
    const ports = Array.from({ length: 300 }, (_, at) => ({
      ...view.ports[1],
      name: `switch-with-a-long-name-${at}->another-one`,
      rateBps: 123_456_789_012,
      load: 1.2345,
    }));
    const flows = Array.from({ length: 17 }, () => ({ ...view.flows[0], algorithm: 'expresspass-literal' }));
    const full = { ...view, ports, flows, upS: 1e7, inPerS: 123_456, outPerS: 123_456, attached: 300 };
    for (const sort of SORTS) {
      const lines = screenLines(full, { ...STATE, sort, isPaused: true, trouble: 'no answer '.repeat(9), from: 290 });
      expect(lines.length).toBeLessThanOrEqual(23);
      expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
      expect(lines.at(-1)).toMatch(/^q quit/);
    }
    expect(screenLines(full, { ...STATE, sort: 'name', from: 5 }).join()).toContain('switch-w..ther-one');
    expect(screenLines(full, { ...STATE, rows: 4 })).toHaveLength(4);
  });

  it('says that a process is lost, and what it waits for', () => {
    expect(screenLines(view, { ...STATE, trouble: 'no metrics (ECONNREFUSED)' })[0]).toContain(
      '[no metrics (ECONNREFUSED)]',
    );
    expect(screenLines(null, STATE)[1]).toBe('waiting for two readings');
    expect(screenLines(view, { ...STATE, hasColors: true })[0]).toContain('\u001b[1m');
  });

  it('sorts ports by what is asked for', () => {
    for (const sort of SORTS) expect(sortedPorts(view.ports, sort)[0].name).toBe(sort === 'name' ? 'c->d' : 'a->b');
  });

  it('shows nothing that moves the cursor', () => {
    const odd = { ...view, ports: [{ ...view.ports[0], name: 'x\u001b[2J' }] };
    expect(onceLines(odd, { address: 'a', sort: 'load' }).join('')).not.toContain('\u001b');
  });

  it.each([
    [0, '0'],
    [12.4, '12'],
    [999.4, '999'],
    [999.6, '1.00k'],
    [3_880, '3.88k'],
    [47_600_000, '47.6M'],
    [999_600, '1.00M'],
    [123e9, '123G'],
  ])('writes %d as %s', (value, text) => {
    expect(scaled(value)).toBe(text);
  });
});
