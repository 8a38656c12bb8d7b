// Tested by test/loopback/live-page.test.ts
import type { Host } from '../../net/host.js';
import { NO_CONTROLS } from '../../report/live-data.js';
import type { ServiceHost } from '../../services/service-host.js';
import type { LiveSource } from '../shared/web/live-feed.js';
import { portRow } from '../shared/web/live-switch.js';
import { newRunId } from '../shared/web/web-options.js';
import { type ServedFlow, servedFlows } from './served-flows.js';

/** A daemon for its live page: its flows, and its NIC. Its links are not its own to change. */
export function daemonSource(host: Host, services: ServiceHost, title: string): LiveSource {
  const { hostId } = host.link;
  const name = hostId === 0 ? 'host' : `h${hostId}`;
  const run = newRunId();
  return {
    look: () => {
      const nowNs = host.now();
      const { rateBps, delayNs, dataQueueBytes, creditQueueFrames } = host.nic.settings;
      const direction = { name: `${name}->net`, link: 'NIC', from: name, to: 'net' };
      const scene = {
        ...{ title, run, controls: NO_CONTROLS, flowsAre: 'flows that come here' },
        nodes: [
          { name, isHost: true, isThere: true },
          { name: 'net', isHost: false, isThere: true },
        ],
        directions: [
          {
            ...direction,
            ...{ rateBps: Number.isFinite(rateBps) ? rateBps : null, delayNs, lossRate: 0, isDown: false },
            ...{ queueLimitBytes: dataQueueBytes, markBytes: null, creditLimit: creditQueueFrames },
          },
        ],
      };
      const flows = servedFlows(services.receivers, host.creditAlgorithm).map(liveFlow);
      return { scene, sample: { atMs: nowNs / 1e6, ports: [portRow(host.nic.statistics.snapshot(nowNs))], flows } };
    },
  };
}

function liveFlow({ peerName, flowId, bytesDelivered, ...flow }: ServedFlow) {
  return { name: `${peerName} ${flowId}`, bytes: bytesDelivered, ...flow };
}
