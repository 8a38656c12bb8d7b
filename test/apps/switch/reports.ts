import type { SwitchReport } from '../../../src/apps/shared/switch-control.js';
import { NO_IMPAIRMENT } from '../../../src/switch/impairment.js';
import type { DirectionSnapshot } from '../../../src/switch/link-direction.js';
import { PortStatistics } from '../../../src/switch/port-statistics.js';
import type { DriverStatistics } from '../../../src/udp/statistics.js';

/** A port that did nothing but what `changes` say. */
export function port(name: string, changes: Partial<DirectionSnapshot> = {}): DirectionSnapshot {
  const [from, to] = name.split('->');
  const place = { name, link: to, from, to, rateBps: null, delayNs: 0, impairment: NO_IMPAIRMENT };
  return { ...place, ...new PortStatistics().snapshot(0), ...changes };
}

/** A switch with two hosts, of which one is attached. */
export function report(changes: Partial<SwitchReport> = {}): SwitchReport {
  return {
    atNs: 0,
    ports: [],
    choices: [],
    unusedLinks: [],
    door: {},
    attachments: { attached: 1, attaches: 1, detaches: 0, expired: 0, refusals: 0 },
    hosts: [
      { id: 1, name: 'h1', attached: true },
      { id: 2, name: 'h2', attached: false },
    ],
    ...changes,
  };
}

export const driver: DriverStatistics = {
  frameCheck: 'vector',
  datagramsIn: 0,
  bytesIn: 0,
  datagramsOut: 0,
  bytesOut: 0,
  receiveCalls: 0,
  sendCalls: 0,
  sendQueueFull: 0,
  congestionMarks: 0,
  bundlesOut: 0,
  bundledFramesOut: 0,
  problems: {},
  kernelDrops: 0,
  lateness: { wakes: 0, maxNs: 0, overMillisecond: 0, classes: [] },
  contentions: 0,
  heldFrames: 0,
  holdOverflows: 0,
  peers: 0,
  peersRefused: 0,
  unknownPeers: 0,
};
