// Tested by test/sim/judge/random-network.test.ts
import { transmissionNs } from '../../base/time.js';
import type { Topology, TopologyLink } from '../../switch/topology.js';
import { Data, DEFAULT_FRAME_BYTES, wireBytes } from '../../wire/layout.js';
import { Paths } from '../paths.js';
import type { Crossing } from './flow-paths.js';
import { lossyShares } from './shares.js';

/** Round trips of the slowest flow in a run, and full frames of the flow with the least share (ours): half of them are measured. */
const LEAST_RTTS = 40;
const LEAST_FRAMES = 400;
/** Events of one run, about: half a second of a core (ours). */
const MOST_EVENTS = 1e6;
/** A data frame and its credit are two events a link, and there are as many deadlines of their hosts. */
const EVENTS_PER_LINK = 2;
const EVENTS_PER_FRAME = 1.3;
const SMALLER = 0.8;
const FRAME = wireBytes(DEFAULT_FRAME_BYTES);
const PAYLOAD_BITS = 8 * (DEFAULT_FRAME_BYTES - Data.overheadBytes);

/** What differs from link to link. */
export interface LinkDraft {
  readonly rateBps: number;
  readonly delayNs: number;
  readonly lossRate: number;
}

/** Ids of the hosts of a flow. */
export interface Ends {
  readonly from: number;
  readonly to: number;
}

/** A network, with how long it has to run. */
export interface NetworkSize {
  /** In the order of the topology's links. */
  readonly drafts: readonly LinkDraft[];
  /** The longest round trip. */
  readonly rttNs: number;
  readonly durationNs: number;
  /** Of all flows at the same time, on shortest paths. */
  readonly sharesBps: Float64Array;
  readonly events: number;
  /** The round trip makes the run as long as it is, not the flow with the least share. */
  readonly isFar: boolean;
}

export interface Wanted {
  /** Delays in any unit. */
  readonly drafts: readonly LinkDraft[];
  readonly ends: readonly Ends[];
  /** The longest round trip without transmission times. */
  readonly longestNs: number;
  readonly leastRateBps: number;
}

/**
 * Links with delays scaled to the wanted round trip, and the run's length: 40 of the longest round trips and 400 frames of the least share. Above a million
 * events, steps of a fifth lower all rates and then delays, or the fastest links' rate.
 */
export function fitted(topology: Topology, { drafts, ends, longestNs, leastRateBps }: Wanted): NetworkSize {
  const places = new Map(topology.links.map((link, index) => [link.name, index]));
  const paths = new Paths(topology);
  const ways = ends.map(({ from, to }) => crossings(paths.between(from, to), { topology, from, places }));
  const longest = Math.max(...ways.map((way) => way.reduce((sum, { link }) => sum + drafts[link].delayNs, 0)));
  const scaled = drafts.map((draft) => ({ ...draft, delayNs: (draft.delayNs * longestNs) / (2 * longest) }));
  let size = sized(topology, scaled, ways);
  for (let next = smaller(size, leastRateBps); next !== null; next = smaller(size, leastRateBps)) {
    size = sized(topology, next, ways);
  }
  return sized(topology, size.drafts.map(whole), ways);
}

/** Rates of four digits and whole nanoseconds, as somebody would write them. */
function whole({ rateBps, delayNs, lossRate }: LinkDraft): LinkDraft {
  return { rateBps: Number(rateBps.toPrecision(4)), delayNs: Math.round(delayNs), lossRate };
}

/** null: it is small enough, or as small as it gets. */
function smaller({ drafts, events, isFar }: NetworkSize, leastRateBps: number): LinkDraft[] | null {
  if (events <= MOST_EVENTS) return null;
  const rates = drafts.map(({ rateBps }) => rateBps);
  const [slowest, fastest] = [Math.min(...rates), Math.max(...rates)];
  if (isFar && slowest > leastRateBps) {
    const factor = Math.max(SMALLER, leastRateBps / slowest);
    return drafts.map((draft) => ({ ...draft, rateBps: draft.rateBps * factor }));
  }
  if (isFar) return drafts.map((draft) => ({ ...draft, delayNs: draft.delayNs * SMALLER }));
  if (fastest <= slowest) return null;
  const most = Math.max(slowest, fastest * SMALLER);
  return drafts.map((draft) => ({ ...draft, rateBps: Math.min(draft.rateBps, most) }));
}

function sized(topology: Topology, drafts: readonly LinkDraft[], ways: readonly (readonly Crossing[])[]): NetworkSize {
  const links = topology.links.map((link, index) => drafted(link, drafts[index]));
  const sharesBps = lossyShares({ ...topology, links }, ways);
  const rttNs = Math.max(...ways.map((way) => roundTripNs(way.map(({ link }) => drafts[link]))));
  const framesNs = (LEAST_FRAMES * PAYLOAD_BITS * 1e9) / Math.min(...sharesBps);
  const durationNs = 2 * Math.ceil(Math.max(LEAST_RTTS * rttNs, framesNs) / 2);
  const events = ways.reduce((sum, way, flow) => {
    const frames = (sharesBps[flow] * durationNs) / (PAYLOAD_BITS * 1e9);
    return sum + frames * (EVENTS_PER_LINK * way.length + EVENTS_PER_FRAME);
  }, 0);
  return { drafts, rttNs, durationNs, sharesBps, events, isFar: LEAST_RTTS * rttNs > framesNs };
}

function drafted(link: TopologyLink, { rateBps, lossRate }: LinkDraft): TopologyLink {
  return { ...link, port: { ...link.port, rateBps }, impairment: { lossRate } };
}

/** Of a data frame and its credit, which is small. */
export function roundTripNs(drafts: readonly LinkDraft[]): number {
  return drafts.reduce((sum, { rateBps, delayNs }) => sum + 2 * delayNs + transmissionNs(FRAME, rateBps), 0);
}

interface Placed {
  readonly topology: Topology;
  readonly from: number;
  readonly places: ReadonlyMap<string, number>;
}

function crossings(path: readonly TopologyLink[], { topology, from, places }: Placed): Crossing[] {
  let at = topology.hosts.find(({ id }) => id === from)?.name as string;
  return path.map((link) => {
    const forward = link.a === at;
    at = forward ? link.b : link.a;
    return { link: places.get(link.name) as number, forward };
  });
}
