// Tested by test/loopback/net/host.test.ts
import { assert } from '../base/assert.js';
import type { EndpointCounters } from '../core/counters.js';
import type { DoorCounters } from '../core/door.js';
import type { HandshakeCounters } from '../core/handshakes.js';
import type { Host as Machine } from '../core/host.js';
import type { MtuCounters } from '../core/path-mtus.js';
import type { PathCounters } from '../core/paths.js';
import type { UdpHost } from '../udp/host-driver.js';
import type { DriverStatistics } from '../udp/statistics.js';

/** What a host counts; all counts since it was opened. */
export interface HostStatistics {
  /** Streams that are open. */
  readonly streams: number;
  /** Flows that are open in either direction, those of streams included. */
  readonly flows: number;
  /** Flows of peers that nobody took. */
  readonly refusedFlows: number;
  /** Frames that came, went and were dropped, by reason. */
  readonly endpoint: Readonly<EndpointCounters>;
  /** Frames of peers that proved nothing, and frames that waited for handshakes. */
  readonly door: Readonly<DoorCounters>;
  /** Associations with peers, and how they came about. */
  readonly handshakes: Readonly<HandshakeCounters>;
  /** Peers that change their addresses. */
  readonly paths: Readonly<PathCounters>;
  /** Probes for the size of frames that the paths to peers carry. */
  readonly mtu: Readonly<MtuCounters>;
  /** Datagrams, system calls, problems of the socket, lateness of the event loop. */
  readonly driver: DriverStatistics;
}

type MachineStatistics = Omit<HostStatistics, 'streams' | 'flows' | 'refusedFlows'>;

/** A snapshot of what the host's machine and its driver count. */
export function machineStatistics(driver: UdpHost<Machine>): MachineStatistics {
  const { endpoint, door } = driver.machine;
  assert(door !== null, 'a host on a socket has a door');
  return {
    endpoint: { ...endpoint.counters },
    door: { ...door.counters },
    handshakes: { ...door.handshakes.counters },
    paths: { ...door.paths.counters },
    mtu: { ...endpoint.mtuCounters },
    driver: driver.statistics(),
  };
}
