// Tested by test/loopback/lab-page.test.ts
/** A lab for its live page: the links of its switch, which may be changed, and the flows that its hosts receive. */
import { ConfigError, checkObject, showValue } from '../../base/config-error.js';
import type { LiveFlow, LiveNode } from '../../report/live-data.js';
import type { Scenario } from '../../sim/scenario.js';
import type { LiveLook, LiveSource } from '../shared/web/live-feed.js';
import { liveDirections, liveNodes, livePorts } from '../shared/web/live-switch.js';
import { newRunId } from '../shared/web/web-options.js';
import type { LabProcesses } from './lab-processes.js';
import type { LabPhase } from './lab-progress.js';
import type { OpenFlow } from './messages.js';
import { systemNs } from './timed-agenda.js';

export class LabPage implements LiveSource {
  /** Resolves when somebody looks for the first time. */
  readonly looked: Promise<void>;
  phase: LabPhase = 'starting';
  private readonly name: string;
  private readonly processes: LabProcesses;
  private readonly hostNames: ReadonlyMap<number, string>;
  private readonly run = newRunId();
  private resolveLooked: () => void = () => {};

  constructor({ name, topology }: Scenario, processes: LabProcesses) {
    this.name = name;
    this.processes = processes;
    this.hostNames = new Map(topology.hosts.map(({ id, name }) => [id, name]));
    this.looked = new Promise((resolve) => {
      this.resolveLooked = resolve;
    });
  }

  async look(): Promise<LiveLook> {
    this.resolveLooked();
    const { switchProcess } = this.processes;
    const { ports, hosts } = (await switchProcess.report()) ?? NOTHING_YET;
    const isThere = (node: LiveNode): boolean => !switchProcess.isDown && node.isThere;
    const scene = {
      ...{ title: `xpass lab ${this.name}: ${this.phase}`, run: this.run, flowsAre: 'flows, by their receivers' },
      nodes: liveNodes({ ports, hosts }).map((node) => ({ ...node, isThere: isThere(node) })),
      directions: liveDirections(ports),
      controls: { links: true, senders: null, algorithm: null },
    };
    // The switch's own time begins anew when it is restarted.
    return { scene, sample: { atMs: systemNs() / 1e6, ports: livePorts(ports), flows: this.flows() } };
  }

  change(command: unknown): Promise<object> {
    const { verb, link, changes } = checkObject(command, 'the command', ['verb', 'link', 'changes']);
    if (verb !== 'set') throw new ConfigError(`unknown command ${showValue(verb)}; allowed as verb: set`);
    if (typeof link !== 'string' || typeof changes !== 'object' || changes === null) {
      throw new ConfigError('a set command has a link, and changes by the names of settings');
    }
    return this.processes.switchProcess.changeLink(link, changes);
  }

  private flows(): LiveFlow[] {
    return this.processes.attachedHosts.flatMap(([id, host]) => host.look().map((flow) => this.liveFlow(id, flow)));
  }

  private liveFlow(to: number, { from, flowId, ...flow }: OpenFlow): LiveFlow {
    return { name: `${this.hostNames.get(from)}->${this.hostNames.get(to)} #${flowId}`, ...flow };
  }
}

const NOTHING_YET = { ports: [], hosts: [] };
