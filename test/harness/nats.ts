import { MILLISECOND_NS } from '../../src/base/time.js';
import type { KeyExchange } from '../../src/core/association.js';
import type { EndpointConfig } from '../../src/core/config.js';
import type { Door } from '../../src/core/door.js';
import { PeerTable } from '../../src/udp/peer-table.js';
import { frameType } from '../../src/wire/decode.js';
import { kindOf } from '../../src/wire/frames.js';
import { Sink } from './streams.js';
import { World } from './world.js';

const RATE_BPS = 10e6;
export const SERVER = 0;

export interface NatOptions {
  /** By host; none by default. */
  readonly keys?: ((index: number) => KeyExchange | null) | null;
  readonly changes?: Partial<EndpointConfig>;
}

/** Hosts 1, 2... call host 0, each from an address of its own, which a test may change: its NAT's port. */
export function behindNats(clients: number, { keys = null, changes = {} }: NatOptions = {}) {
  const world = new World(1, MILLISECOND_NS);
  const table = new PeerTable();
  const ports = [0, ...Array.from({ length: clients }, (_, index) => 1_001 + index)];
  const said: { name: string; from: number; bytes: number; port: number }[] = [];
  world.doors = { keys };
  world.holderOf = (index) => (index === SERVER ? table : null);
  world.seenAs = (from, to) => (to === SERVER ? table.number('192.0.2.1', ports[from], world.nowNs) : from);
  world.hostAt = (peer, from) => (from === SERVER ? ports.indexOf(table.port(peer)) : peer);
  world.network = (frame, from) => {
    const port = from === SERVER ? table.port(frame.peer) : ports[from];
    said.push({ name: kindOf(frameType(frame.bytes)).name, from, bytes: frame.length, port });
    return [0];
  };
  const sink = new Sink(world);
  world.addHost({ rateBps: RATE_BPS, ...changes }, sink);
  for (let index = 0; index < clients; index++) world.addHost({ rateBps: RATE_BPS, ...changes });
  return { world, table, ports, said, sink, server: doorOf(world, SERVER) };
}

/** The door of a host that has one. */
export function doorOf(world: World, index: number): Door {
  const { door } = world.hosts[index];
  if (door === null) throw new Error('a host without a door');
  return door;
}
