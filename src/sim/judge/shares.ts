import { directionOf } from '../../switch/shortest-paths.js';
import type { Topology, TopologyLink } from '../../switch/topology.js';
import { Data, wireBytes } from '../../wire/layout.js';
import { maxMinShares } from '../measure/max-min.js';
import { dataRateBps } from '../measure/utilisation.js';
import type { Crossing } from './flow-paths.js';

/**
 * Max-min shares of what loss leaves, in bit/s of payload that arrives, for flows that are there all the time. Each has one path, from its sender to its
 * receiver.
 *
 * A link carries as many data frames as its meter lets credits pass, `dataRateBps` of it. Credits cross the path from the receiver to the sender, data back.
 * A credit that passes the meter of a link brings a frame to the receiver if it is lost neither on that link nor on those nearer to the sender, and if its data
 * is lost on no link. So a bit that arrives takes of a link's capacity
 *
 *     1 / (product of the parts of credits that survive, from this link to the sender's * product of the parts of data that survive on all links)
 *
 * Shares are filled by these costs. Flows without credits lose data only, so a bit costs them less: they can get more than their share.
 */
export function lossyShares(topology: Topology, paths: readonly (readonly Crossing[])[]): Float64Array {
  const capacities = topology.links.flatMap(({ port }) => [payloadBps(port), payloadBps(port)]);
  const indices = paths.map((path) => path.map(({ link, forward }) => directionOf(link, forward)));
  const costs = paths.map((path) => costsOf(path.map(({ link }) => survival(topology.links[link]))));
  return maxMinShares(capacities, indices, costs);
}

/** `survivals`: the part of the frames that each link of the path leaves, in both directions, from the sender's link on. */
function costsOf(survivals: readonly number[]): number[] {
  const data = survivals.reduce((product, survives) => product * survives, 1);
  let credits = 1;
  return survivals.map((survives) => {
    credits *= survives;
    return 1 / (credits * data);
  });
}

function survival({ impairment }: TopologyLink): number {
  return 1 - (impairment.lossRate ?? 0);
}

/** Payload that full frames on the data share of a link carry. */
function payloadBps(port: TopologyLink['port']): number {
  const { maxFrameBytes } = port;
  return (dataRateBps(port) * (maxFrameBytes - Data.overheadBytes)) / wireBytes(maxFrameBytes);
}
