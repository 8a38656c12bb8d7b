// Tested by test/loopback/metrics.test.ts
import { counter, gauge, group, type Values } from '../base/metric.js';
import { ENDPOINT_METRICS } from '../core/counters.js';
import { DOOR_METRICS } from '../core/door.js';
import { HANDSHAKE_METRICS } from '../core/handshakes.js';
import { PATH_METRICS } from '../core/paths.js';
import { TRAFFIC_METRICS, type TrafficSnapshot } from '../core/traffic.js';
import { DRIVER_METRICS } from '../udp/statistics.js';
import type { Host } from './host.js';

/** What a host counts, all flows together: for Prometheus. */
export const HOST_METRICS = {
  hostStreams: gauge('streams', 'Streams that are open'),
  hostRefusedFlows: counter('flows', 'Flows of peers that nobody took'),
  ...TRAFFIC_METRICS,
  endpoint: group('Its endpoint', ENDPOINT_METRICS),
  door: group('Its door', DOOR_METRICS),
  handshakes: group('Its handshakes', HANDSHAKE_METRICS),
  paths: group('Addresses of its peers', PATH_METRICS),
  driver: group('Its sockets and event loop', DRIVER_METRICS),
};

/** A snapshot. Its time and what it allocates do not depend on the number of flows, but for a walk over them. */
export function hostMetrics(host: Host): Values<typeof HOST_METRICS> {
  const { streams, refusedFlows, endpoint, door, handshakes, paths, driver } = host.statistics();
  return {
    hostStreams: streams,
    hostRefusedFlows: refusedFlows,
    ...(host.driver.machine.endpoint.trafficSnapshot() as TrafficSnapshot),
    endpoint,
    door,
    handshakes,
    paths,
    driver,
  };
}

/** Why no flow can reach the host now, as a sentence; null where nothing is known to be wrong. */
export function hostTrouble(host: Host): string | null {
  const trouble = host.driver.trouble();
  return trouble === null ? null : `${trouble.who}: ${trouble.reason}`;
}
