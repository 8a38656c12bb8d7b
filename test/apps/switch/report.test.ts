import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { Results } from '../../../src/apps/shared/results.js';
import { SwitchPrinter } from '../../../src/apps/switch/report.js';
import type { SwitchReport } from '../../../src/services/control/client.js';
import { builtinTopology } from '../../../src/switch/builtin-topologies.js';
import type { DriverStatistics } from '../../../src/udp/statistics.js';
import { said } from '../../harness/said.js';
import { driver, port, report } from './reports.js';

const chosen = { name: 'star', topology: builtinTopology('star', { hosts: 2 }), trunks: [] };
const listening = {
  chosen,
  addresses: [{ host: '127.0.0.1', port: 5 }],
  control: { host: '127.0.0.1', port: 6 },
  controlToken: null,
  web: null,
};

function print(isJson: boolean, act: (printer: SwitchPrinter) => void): string {
  const stdout = new PassThrough();
  act(new SwitchPrinter(new Results(stdout), isJson));
  return said(stdout);
}

const lines = (text: string): unknown[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const busy: SwitchReport = report({
  atNs: 3e9,
  ports: [port('s1->h1', { data: { frames: 5, wireBytes: 7690 }, drops: { creditQueueFull: 3 } })],
});
const troubled: DriverStatistics = { ...driver, kernelDrops: 7, problems: { ECONNREFUSED: 2 } };

describe('what a switch says in JSON', () => {
  it('is a line when it is ready, with its addresses', () => {
    const [line] = lines(print(true, (printer) => printer.listening(listening, report())));
    expect(line).toEqual({
      event: 'listening',
      address: '127.0.0.1:5',
      control: '127.0.0.1:6',
      control_token: null,
      web: null,
      topology: 'star',
      hosts: [
        { id: 1, name: 'h1' },
        { id: 2, name: 'h2' },
      ],
      links: ['h1', 'h2'],
      trunks: [],
    });
  });

  it('names both ends of each trunk', () => {
    const trunks = [{ name: 't', address: '10.0.0.2:9' }];
    const trunked = { ...chosen, topology: { ...chosen.topology, trunks: trunks as never } };
    const addresses = [...listening.addresses, { host: '::1', port: 7 }];
    const act = (printer: SwitchPrinter) => printer.listening({ ...listening, addresses, chosen: trunked }, report());
    expect(lines(print(true, act))).toMatchObject([{ trunks: [{ name: 't', address: '[::1]:7', to: '10.0.0.2:9' }] }]);
    expect(print(false, act)).toContain('trunk t from [::1]:7 to 10.0.0.2:9\n');
  });

  it('has the ports at each interval and in the summary, with names as our JSON has them', () => {
    const said = lines(
      print(true, (printer) => {
        printer.listening(listening, report({ atNs: 1e9 }));
        printer.interval(busy);
        printer.summary(busy, driver);
      }),
    );
    const ports = [{ name: 's1->h1', rate_bps: null, data: { wire_bytes: 7690 }, drops: { credit_queue_full: 3 } }];
    expect(said).toMatchObject([
      { event: 'listening' },
      { event: 'ports', time_s: 3, ports, attachments: { attached: 1 }, hosts: [{ id: 1, attached: true }, {}] },
      { event: 'summary', time_s: 3, duration_s: 2, ports, driver: { datagrams_in: 0, kernel_drops: 0 } },
    ]);
  });
});

describe('what a switch says to people', () => {
  it('is a line when it is ready', () => {
    const text = print(false, (printer) => printer.listening(listening, report()));
    expect(text).toBe('listening on 127.0.0.1:5, control at 127.0.0.1:6: star, 2 hosts, 1 switch, 2 links\n');
  });

  it('is a table of rates at each interval, and of sums in the end', () => {
    const text = print(false, (printer) => {
      printer.listening(listening, report({ atNs: 1e9, ports: [port('s1->h1')] }));
      printer.interval(busy);
      printer.interval({ ...busy, atNs: 4e9 });
      printer.summary(busy, troubled);
    });
    const rows = text.split('\n').filter((line) => line.startsWith('s1->h1'));
    expect(rows.map((row) => row.split(/ {2,}/).slice(1, 4))).toEqual([
      ['unlimited', '30.76 kbit/s', '5'],
      ['unlimited', '0 bit/s', '0'],
      ['unlimited', '7.510 KiB', '5'],
    ]);
    expect(rows.every((row) => row.endsWith('creditQueueFull 3'))).toBe(true);
    expect(text).toContain('after 2.000 s\n');
    expect(text).toContain('attached: h1 (1), of 2 hosts');
    expect(text).toContain('sockets: kernel receive drops 7; socket errors ECONNREFUSED 2');
  });
});
