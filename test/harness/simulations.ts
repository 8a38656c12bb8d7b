import type { Fault, HostSpec, Scenario, TrafficSpec } from '../../src/sim/scenario.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import type { Topology } from '../../src/switch/topology.js';

/** A dumbbell as in the authors' experiments: 10 Gbit/s, RTT 100 us. */
export function dumbbell(pairs: number, settings: object = {}): Topology {
  const delays = { edge: { delayNs: 10e3 }, core: { delayNs: 30e3 } };
  return builtinTopology('dumbbell', { pairs, rateBps: 10e9, ...delays, ...settings });
}

export interface Changes extends Partial<Omit<Scenario, 'hosts'>> {
  /** For every host. */
  host?: Partial<HostSpec>;
  /** By host id, over `host`. */
  hosts?: Readonly<Record<number, Partial<HostSpec>>>;
}

/** A scenario of 10 ms in which nothing happens, with changes. */
export function scenarioWith({ host = {}, hosts = {}, ...changes }: Changes = {}): Scenario {
  const topology = changes.topology ?? dumbbell(2);
  return {
    name: 'test',
    seed: 1,
    durationNs: 10e6,
    warmUpNs: 0,
    endsWithFlows: false,
    bottlenecks: [],
    traffic: [],
    faults: [],
    jainWindowsNs: [1e6],
    probes: { intervalNs: 0, links: [], maxFlows: 64 },
    payload: 'lengths',
    ...changes,
    topology,
    hosts: topology.hosts.map(({ id }) => ({
      id,
      endpoint: {},
      nic: {},
      processing: { delayNs: 0, jitterNs: 0 },
      clockDriftPpm: 0,
      ...host,
      ...hosts[id],
    })),
  };
}

/** One flow from a host to another; endless unless told otherwise. */
export function flow(from: number, to: number, changes: Partial<TrafficSpec & { kind: 'flow' }> = {}): TrafficSpec {
  return {
    kind: 'flow',
    group: 'all',
    from,
    to,
    bytes: Number.POSITIVE_INFINITY,
    count: 1,
    startNs: 0,
    startJitterNs: 0,
    stopNs: Number.POSITIVE_INFINITY,
    ...changes,
  };
}

export function linkFault(atNs: number, link: string, impairment: (Fault & { kind: 'link' })['impairment']): Fault {
  return { kind: 'link', atNs, link, port: {}, impairment };
}

/** What a link does to frames, and its impairment. */
export const BAD_LINKS = [
  ['loses', { lossRate: 0.1 }],
  ['doubles', { duplicateRate: 0.3 }],
  ['reorders', { reorderRate: 0.3, reorderDelayNs: 30e3 }],
  ['spoils', { corruptRate: 0.1 }],
] as const;
