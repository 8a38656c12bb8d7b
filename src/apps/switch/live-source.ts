// Tested by test/loopback/live-page.test.ts
import { ConfigError, checkObject, showValue } from '../../base/config-error.js';
import type { LiveFlow } from '../../report/live-data.js';
import type { SwitchReport } from '../../services/control/client.js';
import type { LiveSource } from '../shared/web/live-feed.js';
import { liveDirections, liveNodes, livePorts } from '../shared/web/live-switch.js';
import { RUN_ID } from '../shared/web/web-options.js';
import type { SwitchServer } from './switch-server.js';

/** A switch for its live page, which may set links as `ctl link` does and nothing else. */
export function switchSource(running: SwitchServer, title: string): LiveSource {
  return {
    look: () => {
      const report = running.report();
      const scene = {
        title,
        run: RUN_ID,
        nodes: liveNodes(report),
        directions: liveDirections(report.ports),
        flowsAre: 'hosts, by the data that their links bring to the switch',
        controls: { links: true, senders: null, algorithm: null },
      };
      return { scene, sample: { atMs: report.atNs / 1e6, ports: livePorts(report.ports), flows: sendingHosts(report) } };
    },
    change: (command) => {
      const { verb } = checkObject(command, 'the command', ['verb', 'link', 'changes']);
      if (verb !== 'set') throw new ConfigError(`unknown command ${showValue(verb)}; allowed as verb: set`);
      return running.command(command);
    },
  };
}

/** A switch looks into no flow; what it knows is what each host sends. */
function sendingHosts({ ports, hosts }: SwitchReport): LiveFlow[] {
  const names = new Set(hosts.map(({ name }) => name));
  return ports
    .filter(({ from, data }) => names.has(from) && data.frames > 0)
    .map(({ from, data }) => ({ name: from, algorithm: '', bytes: data.wireBytes, rateBps: 0, rttNs: 0, state: {} }));
}
