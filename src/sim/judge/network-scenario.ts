// Tested by test/sim/judge/random-network.test.ts
import { MILLISECOND_NS } from '../../base/time.js';
import type { EndpointConfig } from '../../core/config.js';
import { checkTopology, type Topology } from '../../switch/topology.js';
import { DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import type { Fault, HostSpec, Scenario, TrafficSpec } from '../scenario.js';
import type { LinkDraft } from './network-size.js';

/** Frames that a queue holds beside a round trip of the network. */
const QUEUE_FRAMES = 250;
/** It marks above a seventh of a round trip, by which DCTCP keeps a link full (RFC 8257 section 3.1, Alizadeh 2010), and some frames for bursts of hosts. */
const MARK_RTTS = 1 / 7;
const MARK_FRAMES = 20;
const FRAME = wireBytes(DEFAULT_FRAME_BYTES);

/** The skeleton with these rates, delays and losses. Queues hold a round trip: flows with credits lose nothing there, flows with windows can fill the link. */
export function networkTopology(
  { hosts, switches, links, spread }: Topology,
  drafts: readonly LinkDraft[],
  rttNs: number,
): Topology {
  const made = links.map(({ name, a, b }, index) => ({ name, a, b, ...settings(drafts[index], rttNs) }));
  return checkTopology({ hosts, switches, links: made, spread });
}

function settings({ rateBps, delayNs, lossRate }: LinkDraft, rttNs: number): object {
  const roundTripBytes = (rateBps * rttNs) / 8e9;
  return {
    rateBps,
    delayNs,
    dataQueueBytes: Math.ceil(QUEUE_FRAMES * FRAME + roundTripBytes),
    ecnThresholdBytes: Math.ceil(MARK_FRAMES * FRAME + MARK_RTTS * roundTripBytes),
    ...(lossRate > 0 && { lossRate }),
  };
}

export interface NetworkParts {
  readonly topology: Topology;
  readonly traffic: readonly TrafficSpec[];
  readonly faults?: readonly Fault[];
  /** The longest round trip. */
  readonly rttNs: number;
  readonly durationNs: number;
  readonly warmUpNs: number;
}

/** A scenario of lengths, with hosts of the default algorithm whose timers suit the network. */
export function networkScenario(seed: number, { rttNs, faults = [], ...parts }: NetworkParts): Scenario {
  const endpoint = timers(rttNs);
  return {
    name: `network ${seed}`,
    seed,
    endsWithFlows: false,
    bottlenecks: [],
    hosts: parts.topology.hosts.map(({ id }) => plainHost(id, endpoint)),
    faults,
    jainWindowsNs: [MILLISECOND_NS],
    probes: { intervalNs: 0, links: [], maxFlows: 0 },
    payload: 'lengths',
    slowdowns: false,
    ...parts,
  };
}

/** The same with an algorithm for all flows. */
export function withEndpoints({ hosts, ...rest }: Scenario, endpoint: Partial<EndpointConfig>): Scenario {
  return { ...rest, hosts: hosts.map((host) => ({ ...host, endpoint: { ...host.endpoint, ...endpoint } })) };
}

function plainHost(id: number, endpoint: Partial<EndpointConfig>): HostSpec {
  return { id, endpoint, nic: {}, processing: { delayNs: 0, jitterNs: 0 }, clockDriftPpm: 0 };
}

/**
 * Timers before the first RTT sample follow the network's round trip: the simulator's own would outlast a run of 10 us round trips, and give up credits under
 * way at 20 ms.
 */
function timers(rttNs: number): Partial<EndpointConfig> {
  const some = Math.ceil(4 * rttNs);
  return {
    initialRetransmitNs: some,
    creditTimeoutNs: some,
    creditLifeNs: some,
    dataTimeoutNs: 4 * some,
    maxBackoffNs: 4 * some,
    retransmitMarginNs: Math.ceil(rttNs),
  };
}
