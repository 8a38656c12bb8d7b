import { describe, expect, it } from 'vitest';
import { DAEMON_METRICS, FILE_EVENT, PROGRESS_EVENT, SUMMARY_EVENT } from '../../src/apps/daemon/report.js';
import { PERF_DOCUMENT } from '../../src/apps/perf/report.js';
import { TEST_METRICS } from '../../src/apps/perf/server-printer.js';
import { SENT_FILE, SENT_SUMMARY } from '../../src/apps/send/report.js';
import { PORTS_EVENT, SUMMARY_METRICS } from '../../src/apps/switch/report.js';
import type { Fields, Metric } from '../../src/base/metric.js';
import { ENDPOINT_METRICS } from '../../src/core/counters.js';
import { DOOR_METRICS } from '../../src/core/door.js';
import { HANDSHAKE_METRICS } from '../../src/core/handshakes.js';
import { MTU_METRICS } from '../../src/core/path-mtus.js';
import { PATH_METRICS } from '../../src/core/paths.js';
import { RECEIVER_METRICS } from '../../src/core/receiver-statistics.js';
import { SENDER_METRICS } from '../../src/core/sender-requests.js';
import { TRAFFIC_METRICS } from '../../src/core/traffic.js';
import { QUEUE_SAMPLE, RATE_SAMPLE, STATE_SAMPLE } from '../../src/report/output/result-csv.js';
import { RUN_DOCUMENT } from '../../src/report/output/result-json.js';
import { escapeMarkdown, markdownTable } from '../../src/report/table.js';
import { PERCENTILE_METRICS } from '../../src/services/perf/histogram.js';
import { DRIVER_FIGURES } from '../../src/services/perf/results.js';
import { TUNNEL_METRICS } from '../../src/services/tunnel/tunnels.js';
import { DIRECTION_METRICS } from '../../src/switch/link-direction.js';
import { type Column, tableOf, text } from '../../src/telemetry/columns.js';
import { documentKey } from '../../src/telemetry/document.js';
import { DRIVER_METRICS } from '../../src/udp/statistics.js';

interface Section {
  readonly title: string;
  readonly about: string;
  readonly fields: Fields;
}

/** What several documents have stands in a section of its own. */
const SHARED: readonly Section[] = [
  { title: 'Door', about: '`statistics().door` of a `Host` (PROTOCOL §7)', fields: DOOR_METRICS },
  { title: 'Handshakes', about: '`statistics().handshakes` of a `Host` (PROTOCOL §7.2)', fields: HANDSHAKE_METRICS },
  { title: 'Paths', about: '`statistics().paths` of a `Host` (PROTOCOL §7.8)', fields: PATH_METRICS },
  { title: 'Path MTU', about: '`statistics().mtu` of a `Host` (PROTOCOL §7.9)', fields: MTU_METRICS },
  { title: 'Endpoint', about: '`statistics().endpoint` of a `Host`, and in documents', fields: ENDPOINT_METRICS },
  { title: 'Driver', about: '`statistics().driver` of a `Host`, and in documents', fields: DRIVER_METRICS },
  { title: 'Port', about: 'One direction of a link, at a switch', fields: DIRECTION_METRICS },
  { title: 'Distribution', about: 'Of durations', fields: PERCENTILE_METRICS },
  { title: 'Driver during a test', about: 'Of one side of `xpass perf`', fields: DRIVER_FIGURES },
];
const SECTIONS: readonly Section[] = [
  ...SHARED,
  { title: 'Sender of a flow', about: '`statistics` of a `Sender`', fields: SENDER_METRICS },
  { title: 'Receiver of a flow', about: '`statistics` of a `Receiver`', fields: RECEIVER_METRICS },
  { title: 'Simulation', about: '`xpass sim --json`, `xpass lab --json`; flows.csv, links.csv', fields: RUN_DOCUMENT },
  { title: 'Rates', about: 'rates.csv of `--csv`', fields: RATE_SAMPLE },
  { title: 'States', about: 'states.csv of `--csv`', fields: STATE_SAMPLE },
  { title: 'Queues', about: 'queues.csv of `--csv`', fields: QUEUE_SAMPLE },
  { title: 'Perf, client', about: '`end.xpass` of `xpass perf -c --json`', fields: PERF_DOCUMENT },
  { title: 'Daemon, file', about: '`file` of `xpass daemon --json`', fields: FILE_EVENT },
  { title: 'Daemon, progress', about: '`progress` of `xpass daemon --json`', fields: PROGRESS_EVENT },
  { title: 'Daemon, summary', about: '`summary` of `xpass daemon --json`', fields: SUMMARY_EVENT },
  { title: 'Send', about: 'Each of `files` of `xpass send --json`', fields: SENT_FILE },
  { title: 'Send, all files', about: '`summary` of `xpass send --json`', fields: SENT_SUMMARY },
  { title: 'Switch', about: '`ports` and `summary` of `xpass switch --json`', fields: PORTS_EVENT },
  { title: 'Switch, summary', about: 'Besides, in its `summary`', fields: SUMMARY_METRICS },
  { title: 'Traffic', about: 'All flows of a host together, in `--metrics`', fields: TRAFFIC_METRICS },
  { title: 'Daemon, services', about: 'In `--metrics` of `xpass daemon`', fields: DAEMON_METRICS },
  { title: 'Perf, tests', about: '`perf` in `--metrics` of `xpass perf -s`', fields: TEST_METRICS },
  { title: 'Tunnel', about: '`summary` of `xpass tunnel --json`', fields: TUNNEL_METRICS },
];

interface Entry {
  readonly name: string;
  readonly metric: Metric;
  readonly section: Section | undefined;
}

const SUFFIX: Partial<Record<Metric['kind'], string>> = { list: '[]', map: '.*' };

/** The entries of a declaration, those within others behind them; not those of a shared section. */
function entriesOf(fields: Fields, path = ''): Entry[] {
  return Object.entries(fields).flatMap(([field, metric]) => {
    const name = `${path}${documentKey(field, metric)}${SUFFIX[metric.kind] ?? ''}`;
    const section = SHARED.find((each) => each.fields === metric.fields);
    const inner = metric.fields === undefined || section !== undefined ? [] : entriesOf(metric.fields, `${name}.`);
    return [{ name, metric, section }, ...inner];
  });
}

const COLUMNS: readonly Column<Entry>[] = [
  text('name', ({ name }) => name),
  text('kind', ({ metric }) => metric.kind),
  text('unit', ({ metric }) => metric.unit),
  text('meaning', ({ metric, section }) => metric.help + (section === undefined ? '' : `: see ${section.title}`)),
];

function sectionText({ title, about, fields }: Section): string {
  return `## ${escapeMarkdown(title)}\n\n${about}.\n\n${markdownTable(tableOf(COLUMNS, entriesOf(fields)))}\n`;
}

const HEAD = `# Metrics

What xpass counts and measures, made from the declarations in the code (src/base/metric.ts). Names are those of JSON; in programs they are camelCase, and times in
seconds are nanoseconds there (\`rttNs\` for \`rtt_s\`). A number that is null is not known. \`npm run docs:metrics\` writes this file, and a test compares it.

## Prometheus

\`--metrics ADDRESS\` of daemon, switch, perf server and tunnel serves the same numbers. A name there is \`xpass\`, the groups around a metric, its own name, its unit, and
\`total\` for a counter, with \`_\` between them. A word that is the unit stands at the end alone: \`endpoint.frames_received\` is \`xpass_endpoint_received_frames_total\`.

| here | there |
| --- | --- |
| s, us, ns | seconds |
| bit/s | bytes_per_second |
| share, ratio | ratio |
| events | no unit: the name says what happens |
| any other unit | the same word |
| counters by reason or code | label \`reason\` or \`code\` |
| \`ports[]\` of a switch | label \`port\`: the direction, as from->to |
| \`flow[]\` of a host | labels \`direction\` and \`algorithm\` |
| \`classes\` | the buckets of a histogram that has its group's name |
| label, summary, id, other lists | left out: no label ever names a flow |

\`xpass_build_info\` has the versions; \`process_\` and \`nodejs_\` are prom-client's own.
`;

describe('docs/METRICS.md', () => {
  it('is what the declarations say', async () => {
    await expect([HEAD, ...SECTIONS.map(sectionText)].join('\n')).toMatchFileSnapshot('../../docs/METRICS.md');
  });

  it.each(SECTIONS)('has a unit and a meaning for each number: $title', ({ fields }) => {
    for (const { name, metric } of entriesOf(fields)) {
      const isNumber = ['counter', 'gauge', 'histogram'].includes(metric.kind);
      expect(metric.unit !== '', name).toBe(isNumber);
      expect(metric.help, name).toMatch(/^\S.*[^.]$/s);
    }
  });
});
