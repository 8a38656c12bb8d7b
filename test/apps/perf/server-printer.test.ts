import { describe, expect, it } from 'vitest';
import { PERF_DOCUMENT_SHAPE } from '../../../src/apps/perf/document-shape.js';
import { ServerPrinter } from '../../../src/apps/perf/server-printer.js';
import type { ServerTest } from '../../../src/apps/perf/server-test.js';
import type { PerfOutcome } from '../../../src/services/perf/session.js';
import { perfReport } from '../../harness/perf-report.js';
import { perfRequest } from '../../harness/perf-request.js';

const REACHED = { address: '127.0.0.1:28400', switchAddress: null, hostId: 0 };
const DONE: PerfOutcome = {
  peerName: '192.0.2.1:9',
  request: perfRequest(1),
  received: perfReport().received,
  sides: null,
};
const INTERVALS = [{ streams: [], sum: { start: 0, end: 1, seconds: 1, bytes: 5, bits_per_second: 40 } }];
const TEST = { stop: () => {}, lines: ['[ ID] ...', '[  5] ...'], documents: INTERVALS } as unknown as ServerTest;
const LOST: PerfOutcome = { ...DONE, received: null };
const SHARES = {
  startS: 1,
  endS: 2,
  clients: [
    { peer: '192.0.2.1:9', bytes: 750_000, share: 0.75 },
    { peer: '192.0.2.2:9', bytes: 250_000, share: 0.25 },
  ],
  jain: 0.8,
};

const NO_OPTIONS = { json: false, jsonStream: false, format: undefined };

function printed(options: { json?: boolean; jsonStream?: boolean }) {
  const said: string[] = [];
  const results = {
    line: (text: string) => said.push(text),
    json: (value: unknown) => said.push(JSON.stringify(value)),
  };
  const printer = new ServerPrinter(results as never, {
    ...NO_OPTIONS,
    ...options,
  });
  printer.listening(REACHED);
  printer.begin(DONE.peerName, DONE.request, TEST);
  printer.shares(SHARES);
  printer.test(DONE);
  printer.test(LOST);
  return said;
}

describe('what a server prints', () => {
  it('is lines for people, with the share of each client', () => {
    expect(printed({})).toEqual([
      'listening on 127.0.0.1:28400, for xpass perf -c',
      'Accepted test a1 from 192.0.2.1:9, 1 flow',
      '[  1]   1.00-2.00   sec   732 KBytes  6.00 Mbits/sec  75.00 % 192.0.2.1:9',
      '[  2]   1.00-2.00   sec   244 KBytes  2.00 Mbits/sec  25.00 % 192.0.2.2:9',
      '[SUM]   1.00-2.00   sec   977 KBytes  8.00 Mbits/sec  Jain 0.800',
      'from 192.0.2.1:9, 1 flow: 11.9 MBytes in 1.00 sec, 100 Mbits/sec',
      'from 192.0.2.1:9, 1 flow: given up, the client is lost or has ended',
    ]);
  });

  it('is an event a line', () => {
    const events = printed({ jsonStream: true }).map((line) => JSON.parse(line));
    expect(events.map(({ event }) => event)).toEqual(['listening', 'start', 'interval', 'end', 'error', 'end']);
    expect(events[0].data).toEqual({ address: '127.0.0.1:28400', switch: null, host_id: null });
    expect(events[2].data).toMatchObject({
      streams: [{ bytes: 750_000, xpass: { share: 0.75 } }, {}],
      sum: { xpass: { jain: 0.8 } },
    });
  });

  it('is one document a test', () => {
    const documents = printed({ json: true }).map((line) => PERF_DOCUMENT_SHAPE.parse(JSON.parse(line)));
    expect(documents).toHaveLength(2);
    expect(documents[0].intervals).toEqual(INTERVALS);
    expect(documents[0].end.sum_received).toMatchObject({ bytes: 12_500_000, bits_per_second: 100e6 });
    expect(documents[1]).toMatchObject({ end: {}, error: 'given up: the client is lost or has ended' });
  });
});

describe('what a server tells its client', () => {
  const outputOf = (output: 'text' | 'json', test: ServerTest) => {
    const request = { ...DONE.request, output };
    const printer = new ServerPrinter({ line: () => {}, json: () => {} } as never, NO_OPTIONS);
    printer.begin(DONE.peerName, request, test);
    return printer.outputOf({ ...DONE, request });
  };

  it('is what it prints', () => {
    expect(String(outputOf('text', TEST)).split('\n')).toEqual([
      'Accepted test a1 from 192.0.2.1:9, 1 flow',
      '[ ID] ...',
      '[  5] ...',
      'from 192.0.2.1:9, 1 flow: 11.9 MBytes in 1.00 sec, 100 Mbits/sec',
    ]);
    expect(outputOf('json', TEST)).toMatchObject({ intervals: INTERVALS, end: { xpass: { intervals_omitted: 0 } } });
  });

  it('has the last of it where it is too long for a message', () => {
    const many = <T>(one: T) => new Array<T>(2_000).fill(one);
    const test = { ...TEST, lines: many('x'.repeat(60)), documents: many(INTERVALS[0]) } as unknown as ServerTest;
    const lines = String(outputOf('text', test)).split('\n');
    expect(lines[1]).toBe(
      `(${2_000 - (lines.length - 3)} lines before these are left out)`.replace(/(\d)(\d{3}) /, '$1,$2 '),
    );
    expect(lines.join('\n').length).toBeLessThan(40_000);
    const { intervals, end } = outputOf('json', test) as { intervals: object[]; end: { xpass: object } };
    expect(end.xpass).toEqual({ intervals_omitted: 2_000 - intervals.length });
    expect(intervals.length).toBeGreaterThan(100);
  });
});
