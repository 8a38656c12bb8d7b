// Tested by test/loopback/live-page.test.ts
import { ConfigError, checkObject, showValue } from '../../base/config-error.js';
import type { LiveSource } from '../shared/web/live-feed.js';
import { liveDirections, liveNodes, livePorts, SENDING_HOSTS, sendingHosts } from '../shared/web/live-switch.js';
import { newRunId } from '../shared/web/web-options.js';
import type { SwitchServer } from './switch-server.js';

/** A switch for its live page, which may set links as `ctl link` does and nothing else. */
export function switchSource(running: SwitchServer, title: string): LiveSource {
  const run = newRunId();
  return {
    look: () => {
      const report = running.report();
      const scene = {
        title,
        run,
        nodes: liveNodes(report),
        directions: liveDirections(report.ports),
        flowsAre: SENDING_HOSTS,
        controls: { links: true, senders: null, algorithm: null },
      };
      return {
        scene,
        sample: { atMs: report.atNs / 1e6, ports: livePorts(report.ports), flows: sendingHosts(report) },
      };
    },
    change: (command) => {
      const { verb } = checkObject(command, 'the command', ['verb', 'link', 'changes']);
      if (verb !== 'set') throw new ConfigError(`unknown command ${showValue(verb)}; allowed as verb: set`);
      return running.command(command);
    },
  };
}
