// Tested by test/sim/fuzz/hostile.fuzz.test.ts
import type { Application } from '../../core/application.js';
import type { Host } from '../../core/host.js';
import { sourceHost } from '../../wire/decode.js';
import type { Frame } from '../../wire/frame.js';
import type { Network } from '../network.js';
import type { HostileSpec, Scenario } from '../scenario.js';
import type { HostParts } from '../world.js';
import { Dice } from './dice.js';
import { DoorWatch, Truth } from './door-watch.js';
import { HostileHost } from './hostile/hostile-host.js';
import { Sight } from './hostile/sight.js';
import { Victim } from './hostile/victim.js';
import { type OwnClock, WatchedHost } from './watched-host.js';

/** Who is who in a world that is checked: honest hosts whose doors are watched, and liars. */
export class Cast {
  /** By host id and by port. */
  readonly liars: ReadonlySet<number>;
  readonly liarPorts: ReadonlySet<number>;
  private readonly scenario: Scenario;
  private readonly specs: ReadonlyMap<number, HostileSpec>;
  private readonly sights: ReadonlyMap<number, Sight>;
  private readonly victims = new Map<number, Victim>();
  private readonly clocks: readonly OwnClock[];
  private readonly truth = new Truth();
  private hasBegun = false;

  constructor(scenario: Scenario) {
    const { hosts, hostile = [] } = scenario;
    this.scenario = scenario;
    this.specs = new Map(hostile.map((spec) => [spec.host, spec]));
    this.sights = new Map(hostile.map(({ host }) => [host, new Sight()]));
    this.liars = new Set(hostile.map(({ host }) => host));
    this.liarPorts = new Set(hosts.flatMap(({ id }, port) => (this.liars.has(id) ? [port] : [])));
    this.clocks = hosts.map(() => ({ nowNs: 0 }));
  }

  makeApplication(usual: Application, port: number): Application {
    if (this.liars.size === 0 || this.liarPorts.has(port)) return usual;
    const victim = new Victim(usual, { liars: this.liars, dice: new Dice(port), clock: this.clocks[port] });
    this.victims.set(port, victim);
    return victim;
  }

  makeHost(parts: HostParts, port: number): Host {
    const { id } = this.scenario.hosts[port];
    const spec = this.specs.get(id);
    if (spec === undefined) return new WatchedHost(parts, this.watchOf(id, parts), this.clocks[port]);
    const victims = this.scenario.hosts.map((host) => host.id).filter((host) => !this.liars.has(host));
    return new HostileHost(parts, { spec, sight: this.sights.get(id) as Sight, victims });
  }

  /** Lets liars' scripts begin: a host is asked for its deadline once it has had something to do. */
  begin(network: Network): void {
    if (this.hasBegun) return;
    this.hasBegun = true;
    for (const port of this.liarPorts) network.drain(port);
  }

  /** A frame goes into the network: liars on the path see it, the others guess of which flow it is. */
  onEnter(frame: Frame): void {
    const source = sourceHost(frame.bytes);
    for (const [id, sight] of this.sights) {
      if (id === source) continue;
      if (this.specs.get(id)?.isOnPath === true) sight.see(frame);
      else sight.noteFlow(frame);
    }
  }

  /** Looks at what liars have made an honest host keep. */
  checkVictim(port: number, { endpoint }: Host): void {
    this.victims.get(port)?.check(endpoint.config);
  }

  private watchOf(hostId: number, { door, endpoint }: HostParts): DoorWatch | null {
    if (door === null) return null;
    const { idleTimeoutNs } = endpoint.config;
    return new DoorWatch({ hostId, door, idleTimeoutNs, truth: this.truth, liars: this.liars });
  }
}
