import type { LinkSettings, Topology } from '../../switch/topology.js';
import { FAILOVER_DELAY, writeLinkFields } from '../shared/link-settings.js';

/** The topology as a file that `xpass switch --topology` takes. JSON is YAML too. */
export function topologyText({ hosts, switches, links, spread, failoverDelayNs }: Topology): string {
  const written = links.map(({ name, a, b, ...settings }) => ({ name, a, b, ...settingsOf(settings) }));
  const failoverDelay = FAILOVER_DELAY.format(failoverDelayNs);
  return `${JSON.stringify({ hosts, switches, links: written, spread, failoverDelay }, null, 1)}\n`;
}

function settingsOf({ port, impairment }: LinkSettings): Readonly<Record<string, string>> {
  return writeLinkFields({ ...port, ...impairment });
}
