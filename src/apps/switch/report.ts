import { displayDuration } from '../../base/display.js';
import { gauge, group, label } from '../../base/metric.js';
import type { ChosenTopology } from '../../scenario/topology-file.js';
import { type ControlAddress, formatControlAddress } from '../../services/control/address.js';
import type { SwitchReport } from '../../services/control/client.js';
import { SWITCH_METRICS } from '../../switch/switch.js';
import type { CaptureSummary } from '../../telemetry/capture/capture.js';
import { type Document, documentOf } from '../../telemetry/document.js';
import { type Address, formatAddress } from '../../udp/address.js';
import { DRIVER_METRICS, type DriverStatistics } from '../../udp/statistics.js';
import type { Results } from '../shared/results.js';
import { driverLines, hostLines, portLines } from './tables.js';

export interface ListeningReport {
  readonly chosen: ChosenTopology;
  /** Of the hosts' socket, then of this end of each trunk. */
  readonly addresses: readonly Address[];
  readonly control: ControlAddress;
  /** To be told, once; null for none, and for one that a file holds. */
  readonly controlToken: string | null;
  /** Of the live page, with its token; null for none. */
  readonly web: string | null;
}

/** What a switch says on standard output: lines for people, or one JSON object a line with its kind in `event`. docs/decisions/0006 */
export class SwitchPrinter {
  private readonly results: Results;
  private readonly isJson: boolean;
  private startNs = 0;
  private before: SwitchReport | null = null;

  constructor(results: Results, isJson: boolean) {
    this.results = results;
    this.isJson = isJson;
  }

  /** The switch is ready: programs wait for this line. `report` is the first that there is. */
  listening({ chosen, addresses, control, controlToken, web }: ListeningReport, report: SwitchReport): void {
    const { hosts, switches, links, trunks } = chosen.topology;
    const [address, ...trunkAddresses] = addresses.map(formatAddress);
    const controlAddress = formatControlAddress(control);
    this.startNs = report.atNs;
    this.before = report;
    if (this.isJson) {
      this.results.json({
        event: 'listening',
        address,
        control: controlAddress,
        control_token: controlToken,
        web,
        topology: chosen.name,
        hosts: hosts.map(({ id, name }) => ({ id, name })),
        links: links.map(({ name }) => name),
        trunks: trunks.map(({ name, address: to }, index) => ({ name, address: trunkAddresses[index], to })),
      });
      return;
    }
    const sizes = [counted(hosts, 'host'), counted(switches, 'switch', 'es'), counted(links, 'link')].join(', ');
    const told = controlToken === null ? '' : `, token ${controlToken}`;
    this.results.line(`listening on ${address}, control at ${controlAddress}${told}: ${chosen.name}, ${sizes}`);
    if (web !== null) this.results.line(`live page at ${web}`);
    trunks.forEach(({ name, address: to }, index) => {
      this.results.line(`trunk ${name} from ${trunkAddresses[index]} to ${to}`);
    });
  }

  /** What the ports did since the last time. */
  interval(report: SwitchReport): void {
    if (this.isJson) {
      this.results.json(portsEvent('ports', report));
      return;
    }
    this.results.line(`\nafter ${displayDuration(report.atNs - this.startNs)}`);
    this.results.line(portLines(report, this.before).join('\n'));
    this.before = report;
  }

  summary(report: SwitchReport, driver: DriverStatistics): void {
    const durationNs = report.atNs - this.startNs;
    if (this.isJson) {
      this.results.json({ ...portsEvent('summary', report), ...documentOf(SUMMARY_METRICS, { durationNs, driver }) });
      return;
    }
    const lines = [...portLines(report), ...hostLines(report), ...driverLines(driver)];
    this.results.line(`\n${lines.join('\n')}\nran for ${displayDuration(durationNs)}`);
  }

  /** What came of `--capture`; the log has it as a sentence. */
  captured({ paths, seen, written, lost }: CaptureSummary): void {
    if (this.isJson) this.results.json({ event: 'captured', files: paths, seen, written, lost });
  }
}

function counted(things: readonly unknown[], name: string, plural = 's'): string {
  return `${things.length} ${name}${things.length === 1 ? '' : plural}`;
}

/** What a switch prints of its ports; `ports` at each interval, `summary` in the end. */
export const PORTS_EVENT = {
  event: label('ports or summary'),
  timeNs: gauge('s', "The switch's own time since its start"),
  ...SWITCH_METRICS,
};

export function portsEvent(event: string, report: SwitchReport): Document {
  return documentOf(PORTS_EVENT, { ...report, event, timeNs: report.atNs });
}

/** What is in a summary besides. */
export const SUMMARY_METRICS = {
  durationNs: gauge('s', 'Time since it was ready'),
  driver: group('Its sockets and event loop', DRIVER_METRICS),
};
