import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { TunnelLog } from '../../../src/apps/daemon/tunnel-services.js';
import { Results } from '../../../src/apps/shared/results.js';
import { TunnelPrinter } from '../../../src/apps/tunnel/report.js';
import { said } from '../../harness/said.js';

const NAME = { id: 3, peerName: '192.0.2.7:28400', from: '127.0.0.1:50000', to: 'web:80' };
const DONE = { sentBytes: 2_048, receivedBytes: 5, durationMs: 1_500, broken: null };
const BROKEN = { ...DONE, broken: { by: 'program' as const, code: 'ECONNRESET' } };
const STOPPED = { ...DONE, broken: { by: 'stop' as const, code: 'shutdown' } };
const REFUSED = { code: 'refused', message: 'web:80 refuses \u001b[2J' };
const COUNTERS = {
  opened: 2,
  closed: 2,
  broken: 1,
  refused: 1,
  refusedBy: { refused: 1 },
  sentBytes: 1,
  receivedBytes: 2,
};
const STREAMS = {
  taken: 3,
  tooMany: 0,
  refusedFull: 0,
  refusedShare: 0,
  evicted: 0,
  lateHeaders: 0,
  badHeaders: 0,
  unsupported: 0,
};

function printed(isJson: boolean) {
  const stream = new PassThrough();
  const printer = new TunnelPrinter(new Results(stream), isJson);
  printer.listening({ forward: 'L', address: '127.0.0.1:8080', target: 'web:80' });
  printer.listening({ forward: 'R', address: '127.0.0.1:8081', target: 'web:80' });
  printer.listening({ forward: 'D', address: '127.0.0.1:1080', target: null });
  printer.opened(NAME);
  printer.closed(NAME, DONE);
  printer.closed(NAME, BROKEN);
  printer.closed(NAME, STOPPED);
  printer.refused(NAME, REFUSED);
  printer.lost({ address: '127.0.0.1:8081', code: 'idle', message: 'it is lost', retryMs: 250 });
  printer.summary(COUNTERS);
  return said(stream).trimEnd().split('\n');
}

describe('what a tunnel says', () => {
  it('is a line for each event to people', () => {
    expect(printed(false)).toEqual([
      'listening on 127.0.0.1:8080 for web:80',
      'listening on 127.0.0.1:8081 of the far side for web:80',
      'listening on 127.0.0.1:1080 for SOCKS5 clients',
      '3: 127.0.0.1:50000 to web:80: open',
      '3: 127.0.0.1:50000 to web:80: closed after 1.500 s, 2.000 KiB sent, 5 B received',
      '3: 127.0.0.1:50000 to web:80: reset by the program (ECONNRESET) after 1.500 s, 2.000 KiB sent, 5 B received',
      '3: 127.0.0.1:50000 to web:80: reset by the end of this tunnel (shutdown) after 1.500 s, 2.000 KiB sent, 5 B received',
      '3: 127.0.0.1:50000 to web:80: refused: web:80 refuses \\u001b[2J (refused)',
      '127.0.0.1:8081 of the far side does not listen: it is lost; asking again in 250.0 ms',
      'connections: 2 opened, 1 refused, 1 reset, 1 B sent, 2 B received',
    ]);
  });

  it('is an object for each event to programs', () => {
    const events = printed(true).map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(({ event }) => event)).toEqual([
      ...['listening', 'listening', 'listening', 'opened', 'closed', 'closed', 'closed', 'refused', 'lost', 'summary'],
    ]);
    expect(events[4]).toMatchObject({ id: 3, sent_bytes: 2_048, received_bytes: 5, duration_s: 1.5, reset_by: null });
    expect(events[5]).toMatchObject({ reset_by: 'program', code: 'ECONNRESET' });
    expect(events[6]).toMatchObject({ reset_by: 'stop', code: 'shutdown' });
    expect(events[9]).toMatchObject({ opened: 2, refused_by: { refused: 1 } });
  });
});

describe('what a daemon says of tunnels', () => {
  it('is a line, or an object, for each connection and one at the end', () => {
    for (const isJson of [false, true]) {
      const stream = new PassThrough();
      const log = new TunnelLog(new Results(stream), isJson);
      log.opened();
      log.closed(NAME, DONE);
      log.refused(NAME, REFUSED);
      log.summary(STREAMS, COUNTERS);
      const lines = said(stream).trimEnd().split('\n');
      if (isJson) {
        const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(events[0]).toMatchObject({
          event: 'tunnel',
          opened: true,
          code: 'ok',
          target_bytes: 2_048,
          peer_bytes: 5,
        });
        expect(events[1]).toMatchObject({ event: 'tunnel', opened: false, code: 'refused' });
        expect(events[2]).toMatchObject({ event: 'tunnels', streams: { taken: 3 }, connections: { broken: 1 } });
      } else {
        expect(lines).toEqual([
          'tunnel from 127.0.0.1:50000 to web:80: closed after 1.500 s, 2.000 KiB from web:80, 5 B to it',
          'tunnel from 127.0.0.1:50000 to web:80: refused: web:80 refuses \\u001b[2J (refused)',
          'tunnels: 2 opened, 1 refused, 1 reset',
        ]);
      }
    }
  });
});
