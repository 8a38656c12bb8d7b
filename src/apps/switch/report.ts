import { type Address, formatAddress } from '../../udp/address.js';
import type { DriverStatistics } from '../../udp/statistics.js';
import { type ControlAddress, formatControlAddress } from '../shared/control-address.js';
import { displayDuration } from '../shared/display.js';
import { snakeCase } from '../shared/json-names.js';
import type { Results } from '../shared/results.js';
import type { SwitchReport } from '../shared/switch-control.js';
import { driverLines, hostLines, portLines } from './tables.js';
import type { LabTopology } from './topology-file.js';

export interface ListeningReport {
  readonly lab: LabTopology;
  /** Of the hosts' socket, then of this end of each trunk. */
  readonly addresses: readonly Address[];
  readonly control: ControlAddress;
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
  listening({ lab, addresses, control }: ListeningReport, report: SwitchReport): void {
    const { hosts, switches, links, trunks } = lab.topology;
    const [address, ...trunkAddresses] = addresses.map(formatAddress);
    const controlAddress = formatControlAddress(control);
    this.startNs = report.atNs;
    this.before = report;
    if (this.isJson) {
      this.results.json({
        event: 'listening',
        address,
        control: controlAddress,
        topology: lab.name,
        hosts: hosts.map(({ id, name }) => ({ id, name })),
        links: links.map(({ name }) => name),
        trunks: trunks.map(({ name, address: to }, index) => ({ name, address: trunkAddresses[index], to })),
      });
      return;
    }
    const sizes = [counted(hosts, 'host'), counted(switches, 'switch', 'es'), counted(links, 'link')].join(', ');
    this.results.line(`listening on ${address}, control at ${controlAddress}: ${lab.name}, ${sizes}`);
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
      const event = portsEvent('summary', report);
      this.results.json({ ...event, duration_s: durationNs / 1e9, driver: snakeCase(driver) });
      return;
    }
    const lines = [...portLines(report), ...hostLines(report), ...driverLines(driver)];
    this.results.line(`\n${lines.join('\n')}\nran for ${displayDuration(durationNs)}`);
  }
}

function counted(things: readonly unknown[], name: string, plural = 's'): string {
  return `${things.length} ${name}${things.length === 1 ? '' : plural}`;
}

/** The JSON of a report: times in seconds, names as our JSON has them. */
export function portsEvent(event: string, { atNs, ...statistics }: SwitchReport): object {
  return { event, time_s: atNs / 1e9, ...(snakeCase(statistics) as object) };
}
