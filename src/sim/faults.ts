// Tested by test/sim/faults.test.ts
import type { Action } from './agenda.js';
import type { Network } from './network.js';
import type { Fault, Scenario } from './scenario.js';
import type { TrafficPlayer } from './traffic-player.js';
import type { World } from './world.js';

/** Writes the faults of a scenario into the agenda. */
export function scheduleFaults({ faults, topology }: Scenario, world: World, player: TrafficPlayer): void {
  const names = new Map(topology.hosts.map(({ name }, port) => [name, port]));
  const injector = new FaultInjector(world, player, names);
  for (const fault of faults) world.network.agenda.at(fault.atNs, (nowNs) => injector.apply(fault, nowNs));
}

class FaultInjector {
  private readonly world: World;
  private readonly network: Network;
  private readonly player: TrafficPlayer;
  /** Ports of hosts by name. */
  private readonly names: ReadonlyMap<string, number>;
  /** When what is down is back, by name of a switch or port of a host: of times that overlap, the last counts. */
  private readonly backNs = new Map<string | number, number>();

  constructor(world: World, player: TrafficPlayer, names: ReadonlyMap<string, number>) {
    this.world = world;
    this.network = world.network;
    this.player = player;
    this.names = names;
  }

  apply(fault: Fault, nowNs: number): void {
    switch (fault.kind) {
      case 'link':
        this.changeLink(fault, nowNs);
        break;
      case 'switchRestart':
        this.restartSwitch(fault.switch, fault.forNs, nowNs);
        break;
      case 'hostCrash':
        this.crashHost(this.portOf(fault.host), fault.forNs, nowNs);
        break;
      case 'reader':
        this.player.setReaderRate(this.portOf(fault.host), fault.rateBps);
        break;
      case 'clock':
        this.setDrift(this.portOf(fault.host), fault.driftPpm, nowNs);
        break;
    }
  }

  /** The port that sends from a host into its link is the host's NIC. */
  private changeLink(fault: Fault & { kind: 'link' }, nowNs: number): void {
    const { fabric, hosts } = this.network;
    const changed = fabric.configureLink(fault.link, fault, nowNs);
    this.network.deliver();
    // The link adds its delay where a frame enters it.
    const { delayNs: _, ...changes } = fault.port;
    for (const { place } of changed) {
      const port = this.names.get(place.from);
      if (port === undefined) continue;
      this.world.nics[port].configure(changes, hosts[port].clock.toOwn(nowNs));
      // As a switch process tells it. PROTOCOL §8.2
      if (changes.rateBps !== undefined) hosts[port].host.endpoint.setLinkRate(changes.rateBps);
      this.network.drain(port);
    }
  }

  private restartSwitch(name: string, forNs: number, nowNs: number): void {
    const { fabric } = this.network;
    fabric.stopSwitch(name, nowNs);
    this.network.deliver();
    this.whenBack(name, nowNs + forNs, (laterNs) => fabric.startSwitch(name, laterNs));
  }

  private crashHost(port: number, forNs: number, nowNs: number): void {
    const { hosts } = this.network;
    hosts[port].crash();
    this.player.loseHost(port);
    this.network.drain(port);
    this.whenBack(port, nowNs + forNs, () => {
      hosts[port].restart();
      this.network.drain(port);
    });
  }

  /** Never, where `atNs` is Infinity. */
  private whenBack(what: string | number, atNs: number, restart: Action): void {
    this.backNs.set(what, Math.max(atNs, this.backNs.get(what) ?? 0));
    if (atNs === Number.POSITIVE_INFINITY) return;
    this.network.agenda.at(atNs, (nowNs) => {
      if (this.backNs.get(what) !== nowNs) return;
      this.backNs.delete(what);
      restart(nowNs);
    });
  }

  private setDrift(port: number, driftPpm: number, nowNs: number): void {
    this.network.hosts[port].setDrift(driftPpm, nowNs);
    this.network.drain(port);
  }

  private portOf(host: number): number {
    return this.world.ports.get(host) as number;
  }
}
