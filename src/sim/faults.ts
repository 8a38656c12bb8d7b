// Tested by test/sim/faults.test.ts
import type { Action } from './agenda.js';
import type { Network } from './network.js';
import type { Fault, Scenario } from './scenario.js';
import type { TrafficPlayer } from './traffic-player.js';

/** Writes the faults of a scenario into the agenda. */
export function scheduleFaults({ faults }: Scenario, network: Network, player: TrafficPlayer): void {
  const ports = new Map(network.hosts.map(({ id }, port) => [id, port]));
  const injector = new FaultInjector(network, player, ports);
  for (const fault of faults) network.agenda.at(fault.atNs, (nowNs) => injector.apply(fault, nowNs));
}

class FaultInjector {
  private readonly network: Network;
  private readonly player: TrafficPlayer;
  private readonly ports: ReadonlyMap<number, number>;
  /** When what is down is back, by name of a switch or port of a host: of times that overlap, the last counts. */
  private readonly backNs = new Map<string | number, number>();

  constructor(network: Network, player: TrafficPlayer, ports: ReadonlyMap<number, number>) {
    this.network = network;
    this.player = player;
    this.ports = ports;
  }

  apply(fault: Fault, nowNs: number): void {
    switch (fault.kind) {
      case 'link':
        this.network.fabric.configureLink(fault.link, fault, nowNs);
        this.network.settleFabric();
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

  private restartSwitch(name: string, forNs: number, nowNs: number): void {
    const { fabric } = this.network;
    fabric.stopSwitch(name, nowNs);
    this.network.settleFabric();
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
    this.network.hosts[port].clock.setDrift(driftPpm, nowNs);
    this.network.drain(port);
  }

  private portOf(host: number): number {
    return this.ports.get(host) as number;
  }
}
