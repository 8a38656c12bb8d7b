// Tested by test/loopback/lab.test.ts
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import { writeFields } from '../../scenario/link-text.js';
import { patienceMs } from '../../scenario/play/patience.js';
import { privateControlPath } from '../../services/control/address.js';
import { type LinkSettingChanges, SwitchControl, type SwitchReport } from '../../services/control/client.js';
import { LINK_SETTINGS } from '../../switch/link-settings.js';
import type { PortSample } from '../../switch/switch.js';
import type { Topology } from '../../switch/topology.js';
import { TOPOLOGY_SETTINGS } from '../../switch/topology.js';
import type { Roster } from '../shared/companion.js';
import { Child, END_WITH_PARENT } from '../shared/companion.js';
import { type DirectionCounts, directionCounts, idleFor, noCounts, sumCounts } from './direction-counts.js';
import { systemNs } from './timed-agenda.js';

export interface SwitchOptions {
  readonly topology: Topology;
  /** Of the impairments. */
  readonly seed: number;
  /** For the topology's file. */
  readonly directory: string;
  /** Where hosts find it; port 0 lets the system choose. */
  readonly listen: string;
  readonly keepAlive: string;
  /** It is told when the process ends without being told to. */
  readonly roster: Roster;
}

interface Datagrams {
  readonly arrived: number;
  /** null where the system does not tell. */
  readonly dropped: number | null;
}

/** The `xpass switch` of a lab with all switches of the topology inside, and what it has counted, also before it was restarted. */
export class SwitchProcess {
  private readonly options: SwitchOptions;
  private readonly topologyPath: string;
  private child: Child | null = null;
  /** null while it is down. */
  private control: SwitchControl | null = null;
  private reported: SwitchReport | null = null;
  private readonly changed: { readonly link: string; readonly changes: LinkSettingChanges }[] = [];
  private listenAt: string;
  /** When its counts began, in its own time, ns. */
  private sinceNs = 0;
  /** Of the processes before, since the last reset. */
  private earlier: readonly DirectionCounts[] = [];
  private datagramsBefore: Datagrams = { arrived: 0, dropped: 0 };
  /** Since when it is down. */
  private downSince = 0;
  private launches = 0;
  private isStopping = false;

  constructor(options: SwitchOptions) {
    this.options = options;
    this.topologyPath = join(options.directory, 'topology.yaml');
    this.listenAt = options.listen;
  }

  /** Writes the topology and starts the process. Throws a Failure with the process's own words. */
  async start(): Promise<void> {
    await writeFile(this.topologyPath, topologyText(this.options.topology));
    await this.launch();
  }

  /** Where hosts find it. */
  get address(): string {
    return this.listenAt;
  }

  /** Changes a link, both directions by its name or one by its own, for good: also where the switch is down now or restarted later. */
  async setLink(link: string, changes: LinkSettingChanges): Promise<void> {
    this.changed.push({ link, changes });
    await this.control?.setLink(link, changes);
  }

  /** The switch loses what is inside it, and what comes to it until `startSwitch`: with its process where it is the only one in it. */
  async stopSwitch(name: string): Promise<void> {
    if (this.isAlone) await this.kill();
    else await this.control?.stopSwitch(name);
  }

  /** After `stopSwitch`. */
  async startSwitch(name: string): Promise<void> {
    if (this.isAlone) await this.restart();
    else await this.control?.startSwitch(name);
  }

  /** Both directions of every link, in the topology's order, since the last reset. */
  async counts(): Promise<readonly DirectionCounts[]> {
    if (this.control === null) return this.idled();
    const { ports, atNs } = await this.control.ports();
    const now = ports.map((port) => directionCounts(port, atNs - this.sinceNs));
    return this.earlier.length === 0 ? now : now.map((counts, index) => sumCounts(this.earlier[index], counts));
  }

  /** What a live page shows of it: while it is down, the last that it said. null before it is there. */
  async report(): Promise<SwitchReport | null> {
    const { control } = this;
    try {
      if (control !== null) this.reported = await control.ports();
    } catch (error) {
      // It was stopped meanwhile.
      if (this.control === control) throw error;
    }
    return this.reported;
  }

  get isDown(): boolean {
    return this.control === null;
  }

  /** A change of a link as a live page writes it: the switch looks at it. Throws a Failure with its sentence. */
  async changeLink(link: string, changes: object): Promise<object> {
    const { control } = this;
    if (control === null) throw usageFailure('the switch is down: change links when it is back');
    const result = await control.request({ verb: 'set', link, changes });
    this.changed.push({ link, changes });
    return result;
  }

  /** Datagrams that have come to its sockets since the lab began, and those that the kernel dropped for want of buffer. */
  async datagrams(): Promise<Datagrams> {
    const { arrived, dropped } = this.datagramsBefore;
    if (this.control === null) return this.datagramsBefore;
    const { datagramsIn, kernelDrops } = await this.control.driver();
    const isKnown = dropped !== null && kernelDrops !== null;
    return { arrived: arrived + datagramsIn, dropped: isKnown ? dropped + kernelDrops : null };
  }

  /** One point of a series for every direction; nothing while it is down. */
  async sample(): Promise<readonly PortSample[]> {
    const { control } = this;
    if (control === null) return [];
    try {
      return await control.sample();
    } catch (error) {
      // It was stopped meanwhile.
      if (this.control !== control) return [];
      throw error;
    }
  }

  /** Rejects with a Failure when it does not answer in time. One that is down need not. */
  async answer(): Promise<void> {
    const { control } = this;
    try {
      await control?.driver();
    } catch (error) {
      if (this.control === control) throw error;
    }
  }

  /** Starts all counts anew. */
  async reset(): Promise<void> {
    if (this.control === null) {
      this.earlier = this.earlier.map((counts) => noCounts(counts));
      this.downSince = systemNs();
      return;
    }
    this.earlier = [];
    await this.control.reset();
    this.sinceNs = (await this.control.ports()).atNs;
  }

  async stop(): Promise<void> {
    this.isStopping = true;
    const { child } = this;
    this.forget();
    await child?.stop();
  }

  private get isAlone(): boolean {
    return this.options.topology.switches.length === 1;
  }

  private async kill(): Promise<void> {
    const counts = await this.counts();
    this.datagramsBefore = await this.datagrams();
    this.earlier = counts;
    this.downSince = systemNs();
    const { child } = this;
    this.forget();
    await child?.kill();
  }

  /** At the same address. */
  private async restart(): Promise<void> {
    await this.launch();
    this.earlier = this.idled();
  }

  private async launch(): Promise<void> {
    const { seed, keepAlive, roster } = this.options;
    const what = ['--topology', this.topologyPath, '--seed', String(seed), '--keep-alive', keepAlive];
    if (this.isStopping) throw new Failure(ExitCode.failed, 'the lab was ended');
    // A process that was killed leaves its socket behind.
    const control = privateControlPath(this.options.directory, ++this.launches);
    const how = ['--listen', this.listenAt, '--control', control, '--json', '--spin', 'never'];
    const child = new Child('the switch', ['switch', ...what, ...how], END_WITH_PARENT, { roster, isServer: true });
    this.child = child;
    const { address } = await child.event('listening');
    this.listenAt = String(address);
    this.control = await SwitchControl.connect(control, {
      timeoutMs: patienceMs(),
      lastHeard: () => roster.lastHeard(),
    });
    this.sinceNs = 0;
    for (const { link, changes } of this.changed) await this.control.setLink(link, changes);
  }

  /** What there was before it went down, and the time since. */
  private idled(): readonly DirectionCounts[] {
    const downNs = systemNs() - this.downSince;
    return this.earlier.map((counts) => idleFor(counts, downNs));
  }

  private forget(): void {
    this.control?.close();
    this.control = null;
    this.child = null;
  }
}

/** The topology as a file that `xpass switch --topology` takes. JSON is YAML too. */
export function topologyText({ hosts, switches, links, ...routing }: Topology): string {
  const written = links.map(({ name, a, b, port, impairment }) => {
    return { name, a, b, ...writeFields(LINK_SETTINGS, { ...port, ...impairment }) };
  });
  const settings = writeFields(Object.values(TOPOLOGY_SETTINGS), routing);
  return `${JSON.stringify({ hosts, switches, links: written, ...settings }, null, 1)}\n`;
}
