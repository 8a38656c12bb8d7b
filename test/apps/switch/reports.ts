import { initialValues } from '../../../src/base/metric.js';
import type { SwitchReport } from '../../../src/services/control/client.js';
import { NO_IMPAIRMENT } from '../../../src/switch/impairment.js';
import type { DirectionSnapshot } from '../../../src/switch/link-direction.js';
import { PortStatistics } from '../../../src/switch/port-statistics.js';
import { DRIVER_METRICS, type DriverStatistics } from '../../../src/udp/statistics.js';

/** A port that did nothing but what `changes` say. */
export function port(name: string, changes: Partial<DirectionSnapshot> = {}): DirectionSnapshot {
  const [from, to] = name.split('->');
  const place = { name, link: to, from, to, rateBps: null, delayNs: 0, impairment: NO_IMPAIRMENT };
  const limits = { dataQueueBytesLimit: 384_500, markThresholdBytes: null, creditQueueFramesLimit: 8 };
  return { ...place, ...limits, ...new PortStatistics().snapshot(0), ...changes };
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

export const driver: DriverStatistics = { ...initialValues(DRIVER_METRICS), kernelDrops: 0 };
