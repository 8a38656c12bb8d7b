import { Routes } from '../../switch/forwarding.js';
import { directionOf } from '../../switch/shortest-paths.js';
import type { Topology } from '../../switch/topology.js';
import { encodeCredit } from '../../wire/encode.js';
import { Credit } from '../../wire/layout.js';

/** One link as a flow crosses it: its place in the topology, and whether from its `a` to its `b`. */
export interface Crossing {
  readonly link: number;
  readonly forward: boolean;
}

/** Where each host is attached. */
interface HostLink {
  readonly link: number;
  /** The host is its end `a`. */
  readonly isFirst: boolean;
}

/** The way of each flow through a fabric that spreads by flow, as its switches choose it: by hosts and flow id. */
export class FlowPaths {
  private readonly routes: Routes;
  private readonly attached: ReadonlyMap<number, HostLink>;
  private readonly ports: ReadonlyMap<number, number>;
  private readonly bytes = new Uint8Array(Credit.bytes + Credit.maxPaddingBytes);

  constructor(topology: Topology) {
    this.routes = new Routes(topology);
    this.ports = new Map(topology.hosts.map(({ id }, port) => [id, port]));
    this.attached = new Map(topology.hosts.map(({ id, name }) => [id, hostLink(topology, name)]));
  }

  /** The links that data of the flow crosses, from its sender's to its receiver's. Its credits cross them in reverse. */
  of(from: number, to: number, flowId: number): Crossing[] {
    const [first, last] = [this.attached.get(from) as HostLink, this.attached.get(to) as HostLink];
    return [
      { link: first.link, forward: first.isFirst },
      ...this.between(from, to, flowId),
      { link: last.link, forward: !last.isFirst },
    ];
  }

  private between(source: number, destination: number, flowId: number): Crossing[] {
    const { routes, bytes } = this;
    encodeCredit(
      bytes,
      { source, destination, flowId },
      { sequence: 0, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 15 },
      null,
    );
    const crossings: Crossing[] = [];
    const at = routes.switchAt(this.ports.get(source) as number);
    let offset = routes.find(bytes, at);
    for (let direction = routes.hop(offset); direction >= 0; direction = routes.hop(++offset)) {
      const link = direction >>> 1;
      crossings.push({ link, forward: direction === directionOf(link, true) });
    }
    return crossings;
  }
}

function hostLink({ links }: Topology, host: string): HostLink {
  const link = links.findIndex(({ a, b }) => a === host || b === host);
  return { link, isFirst: links[link].a === host };
}
