// Tested by test/apps/figures/blocks/network-document.test.ts

import { formatDuration } from '../../../base/quantities.js';
import type { EndpointConfig } from '../../../core/config.js';
import type { Scenario, TrafficSpec } from '../../../sim/scenario.js';
import type { TopologyLink } from '../../../switch/topology.js';
import { writeLinkFields } from '../../shared/link-settings.js';
import { ENDPOINT_FIELDS } from '../../shared/scenario/endpoint-fields.js';
import type { FigureDocument } from '../figure.js';

/** Settings of links in which random networks differ; the others are the defaults of scenarios. */
const LINK_FIELDS = ['rateBps', 'delayNs', 'dataQueueBytes', 'ecnThresholdBytes', 'lossRate'];

/** A random network (sim/judge) as a scenario file has it, with one algorithm for all flows. */
export function networkDocument(scenario: Scenario, algorithm: string): FigureDocument {
  const { topology, hosts, traffic, durationNs, warmUpNs, jainWindowsNs, slowdowns } = scenario;
  return {
    algorithm,
    duration: formatDuration(durationNs),
    warmUp: formatDuration(warmUpNs),
    topology: {
      hosts: topology.hosts.map(({ id }) => ({ id })),
      switches: topology.switches.map(({ name }) => ({ name })),
      links: topology.links.map(linkDocument),
      spread: topology.spread,
    },
    hosts: [{ endpoint: endpointDocument(hosts[0].endpoint) }],
    flows: traffic.map(flowDocument),
    jainWindows: jainWindowsNs.map(formatDuration),
    slowdowns,
  };
}

function linkDocument({ name, a, b, port, impairment }: TopologyLink): FigureDocument {
  const fields = Object.entries({ ...port, ...impairment }).filter(([field]) => LINK_FIELDS.includes(field));
  return { name, a, b, ...writeLinkFields(Object.fromEntries(fields)) };
}

function endpointDocument(endpoint: Partial<EndpointConfig>): FigureDocument {
  const written = [...ENDPOINT_FIELDS].filter(([, { field }]) => endpoint[field] !== undefined);
  return Object.fromEntries(written.map(([name, { field, kind }]) => [name, kind.format(endpoint[field] as number)]));
}

function flowDocument(spec: TrafficSpec): FigureDocument {
  if (spec.kind !== 'flow') throw new Error('a random network has single flows');
  const { group, from, to, bytes, startNs } = spec;
  return { group, from, to, start: formatDuration(startNs), ...(Number.isFinite(bytes) && { bytes }) };
}
