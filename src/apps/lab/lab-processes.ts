// Tested by test/loopback/lab.test.ts
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Failure } from '../../base/failure.js';
import { MILLISECOND_NS, SECOND_NS } from '../../base/time.js';
import { NIC_CREDIT_BURST_BYTES, NIC_QUEUE_BYTES } from '../../net/assemble.js';
import { compiledModule } from '../../scenario/play/package-files.js';
import type { Bound } from '../../scenario/play/patience.js';
import type { HostSpec, Scenario } from '../../sim/scenario.js';
import type { PortConfig } from '../../switch/port.js';
import type { Topology } from '../../switch/topology.js';
import { type Address, formatAddress } from '../../udp/address.js';
import type { Roster } from '../shared/companion.js';
import { Forked } from '../shared/companion.js';
import type { FromHost, HostOrder, HostReport, OpenFlow, RunOrder, ToHost } from './messages.js';
import { SwitchProcess } from './switch-process.js';

const PROGRAM = compiledModule('apps/lab/host.child');

interface HostProcessOptions {
  /** The host's name in the scenario. */
  readonly name: string;
  /** It is told when the process cannot go on, or ends without being told to. */
  readonly roster: Roster;
  onFlowEnded(id: number): void;
}

/** The parent's end of a process that plays one host. */
class HostProcess {
  private readonly child: Forked;
  private seen: readonly OpenFlow[] = [];
  private isLooking = false;

  constructor({ name, roster, onFlowEnded }: HostProcessOptions) {
    this.child = new Forked(name, PROGRAM, { roster, isServer: true });
    this.child.onSaid((said) => {
      const message = said as FromHost;
      if (message.event === 'flowEnded') onFlowEnded(message.id);
      if (message.event === 'flows') this.see(message.flows);
      if (message.event === 'failed') roster.lose(new Failure(message.exitCode, `${name}: ${message.message}`));
    });
  }

  /** Throws a Failure when the switch does not take it in time. */
  async attach(host: HostOrder): Promise<void> {
    const attached = this.next('attached', { takesMs: host.attachWithinNs / MILLISECOND_NS });
    this.tell({ order: 'attach', host });
    await attached;
  }

  rehearse(to: readonly number[]): void {
    this.tell({ order: 'rehearse', to });
  }

  rest(): void {
    this.tell({ order: 'rest' });
  }

  run(run: RunOrder): void {
    this.tell({ order: 'run', run });
  }

  setReaderRate(rateBps: number): void {
    this.tell({ order: 'reader', rateBps });
  }

  /** Its open flows as it said last, and asks for those of the next look: nobody waits for a process that is late. */
  look(): readonly OpenFlow[] {
    if (!this.isLooking) this.tell({ order: 'look' });
    this.isLooking = true;
    return this.seen;
  }

  /** What it has measured so far. */
  async report(): Promise<HostReport> {
    const reported = this.next('report');
    this.tell({ order: 'report' });
    return (await reported).report;
  }

  /** Rejects with a Failure when it does not answer in time. A process that was killed meanwhile need not. */
  async answer(): Promise<void> {
    const alive = this.next('alive');
    this.tell({ order: 'answer' });
    await Promise.race([alive, this.child.ended]);
  }

  /** Ends the process at once; nothing of it is told to anybody. */
  async kill(): Promise<void> {
    await this.child.kill();
  }

  private see(flows: readonly OpenFlow[]): void {
    this.isLooking = false;
    this.seen = flows;
  }

  private tell(message: ToHost): void {
    this.child.tell(message);
  }

  private next<E extends FromHost['event']>(event: E, bound: Bound = {}): Promise<Extract<FromHost, { event: E }>> {
    return this.child.next((said) => (said as FromHost).event === event, `say '${event}'`, bound);
  }
}

/** How often hosts say that they are there. A port that a dead process had is free after four of these. */
const KEEP_ALIVE = { usual: '1s', withCrashes: '100ms' } as const;
/** How long a host that comes back asks for its port (ours: ten times what the switch keeps it). */
const ATTACH_WITHIN_NS = 4 * SECOND_NS;
/** Seeds of a switch process are 32-bit. */
const SEEDS = 2 ** 32;

export interface ProcessesOptions {
  readonly scenario: Scenario;
  /** Ids of the hosts that take part. */
  readonly hostIds: readonly number[];
  /** Where the switch listens; port 0 lets the system choose. */
  readonly listen: Address;
  onFlowEnded(id: number): void;
  /** Of all its processes. */
  readonly roster: Roster;
}

/** The processes of a lab: a switch, and one for each host that takes part. */
export class LabProcesses {
  readonly switchProcess: SwitchProcess;
  private readonly options: ProcessesOptions;
  private readonly directory: string;
  private readonly hosts = new Map<number, HostProcess>();
  /** Everything that was started, also what has been replaced since. */
  private readonly started = new Set<HostProcess>();

  private constructor(options: ProcessesOptions, directory: string) {
    const { scenario, listen, roster } = options;
    const hasCrashes = scenario.faults.some(({ kind }) => kind === 'hostCrash');
    this.options = options;
    this.directory = directory;
    this.switchProcess = new SwitchProcess({
      topology: scenario.topology,
      seed: scenario.seed % SEEDS,
      directory,
      listen: formatAddress(listen),
      keepAlive: hasCrashes ? KEEP_ALIVE.withCrashes : KEEP_ALIVE.usual,
      roster,
    });
  }

  /** Makes the temporary directory. Throws an error of the system when that cannot be. */
  static async create(options: ProcessesOptions): Promise<LabProcesses> {
    return new LabProcesses(options, await mkdtemp(join(tmpdir(), 'xpass-lab-')));
  }

  /** Resolves when every host is attached. Throws a Failure with the words of what does not start. */
  async start(): Promise<void> {
    const spawned = this.options.hostIds.map((id) => [id, this.spawn(id)] as const);
    await this.switchProcess.start();
    await Promise.all(spawned.map(([id, host]) => this.attach(id, host, { rehearses: true })));
  }

  /** The process of a host; null while it is down. */
  host(id: number): HostProcess | null {
    return this.hosts.get(id) ?? null;
  }

  get attachedHosts(): readonly (readonly [id: number, host: HostProcess])[] {
    return [...this.hosts];
  }

  /** Rejects with a Failure when a process that should be there does not answer in time. */
  async answer(): Promise<void> {
    await Promise.all([this.switchProcess.answer(), ...[...this.hosts.values()].map((host) => host.answer())]);
  }

  /** Starts a process for a host, which waits until it is attached. */
  spawn(id: number): HostProcess {
    const { onFlowEnded, roster } = this.options;
    const host = new HostProcess({ name: `host '${this.nameOf(id)}'`, onFlowEnded, roster });
    this.started.add(host);
    return host;
  }

  async attach(id: number, host: HostProcess, phase: Pick<HostOrder, 'rehearses'>): Promise<void> {
    await host.attach({ ...this.orderFor(id), ...phase });
    this.hosts.set(id, host);
  }

  /** Kills the process of a host that is up. */
  async kill(id: number): Promise<void> {
    const host = this.hosts.get(id);
    this.hosts.delete(id);
    await host?.kill();
  }

  /** Resolves when nothing is left of it, on the disk neither. */
  async stop(): Promise<void> {
    await Promise.all([this.switchProcess.stop(), ...[...this.started].map((host) => host.kill())]);
    await rm(this.directory, { recursive: true, force: true });
  }

  private nameOf(id: number): string {
    return this.options.scenario.topology.hosts.find((host) => host.id === id)?.name ?? String(id);
  }

  private orderFor(id: number): Omit<HostOrder, 'rehearses'> {
    const { scenario } = this.options;
    const spec = scenario.hosts.find((host) => host.id === id) as HostSpec;
    return {
      hostId: id,
      switchAddress: this.switchProcess.address,
      endpoint: spec.endpoint,
      nic: deployedNic(spec, linkOf(scenario.topology, this.nameOf(id))),
      isChecked: scenario.payload === 'bytes',
      windowsNs: scenario.jainWindowsNs,
      attachWithinNs: ATTACH_WITHIN_NS,
    };
  }
}

/** The NIC of a host as the commands run it, at the rate of its link, with what the scenario says instead. The switch adds the delay. */
function deployedNic({ nic }: HostSpec, link: PortConfig): PortConfig {
  return { ...link, creditBurstBytes: NIC_CREDIT_BURST_BYTES, dataQueueBytes: NIC_QUEUE_BYTES, ...nic, delayNs: 0 };
}

/** A host has exactly one link. */
function linkOf({ links }: Topology, host: string): PortConfig {
  return (links.find(({ a, b }) => a === host || b === host) as Topology['links'][number]).port;
}
