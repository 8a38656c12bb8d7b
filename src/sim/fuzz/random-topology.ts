// Tested by test/sim/fuzz/random-scenario.test.ts
import { MICROSECOND_NS, MILLISECOND_NS, transmissionNs } from '../../base/time.js';
import { builtinTopology } from '../../switch/builtin-topologies.js';
import type { PortConfig } from '../../switch/port.js';
import { checkTopology, type LinkDraft, type Topology } from '../../switch/topology.js';
import { wireBytes } from '../../wire/layout.js';
import type { Dice } from './dice.js';

const INFINITE = Number.POSITIVE_INFINITY;
/** Rates of the paper's experiments, from slow lab links to the fastest: bit/s. */
const SLOWEST_BPS = 10e6;
const FASTEST_BPS = 100e9;
/** How much faster or slower than the others a link may be: naive credits of a fast host on a slow link cost events, not insight (ours). */
const FACTORS = [1, 1, 1, 1, 0.25, 0.5, 2, 4, 10];
/** Links of a site and of a town (ours). */
const SHORTEST_DELAY_NS = 100;
const LONGEST_DELAY_NS = 500e3;
/** Frames that a link holds at most: a flow of one byte wastes the credits of a whole round trip, which are events without insight (ours). */
const MOST_FRAMES_ON_LINK = 100;
/** The default, jumbo frames, and small ones, in which the most frames go per byte. */
const FRAME_BYTES = [1472, 1472, 1472, 4000, 8972, 600, 256, 192];

/** Shorter and longer than most faults, and never. */
const FAILOVER_DELAYS_NS = [0, 100 * MICROSECOND_NS, 10 * MILLISECOND_NS, INFINITE];

/** Small worlds of every shape: what goes wrong in a large one goes wrong in a small one, and a small one can be read. */
export function randomTopology(dice: Dice): Topology {
  const common = commonSettings(dice);
  const spread = dice.chance(0.2) ? 'path' : 'flow';
  const failoverDelayNs = dice.pick(FAILOVER_DELAYS_NS);
  if (dice.chance(0.3)) return randomTree(dice, common, { spread, failoverDelayNs });
  const groups = { edge: linkSettings(dice, common), core: linkSettings(dice, common) };
  const [name, counts] = randomShape(dice);
  return builtinTopology(name, { ...counts, ...common, ...groups, spread, failoverDelayNs });
}

function randomShape(dice: Dice): [string, Record<string, number>] {
  switch (dice.whole(0, 5)) {
    case 0:
      return ['star', { hosts: dice.whole(2, 8) }];
    case 1:
      return ['dumbbell', { pairs: dice.whole(1, 4) }];
    case 2:
      return ['parking-lot', { bottlenecks: dice.whole(1, 4) }];
    case 3:
      return ['multi-bottleneck', { bottlenecks: dice.whole(1, 4), receivers: dice.whole(1, 4) }];
    case 4:
      return ['leaf-spine', { leaves: dice.whole(2, 3), spines: dice.whole(1, 3), hostsPerLeaf: dice.whole(1, 3) }];
    default:
      return ['fat-tree', { pods: 2, coreSwitches: 2, aggregationPerPod: 2, torsPerPod: 2, hostsPerTor: 1 }];
  }
}

/** Settings of all links. */
function commonSettings(dice: Dice): PortConfig {
  const maxFrameBytes = dice.pick(FRAME_BYTES);
  const frame = wireBytes(maxFrameBytes);
  const rateBps = dice.spread(SLOWEST_BPS, FASTEST_BPS);
  return {
    rateBps,
    delayNs: randomDelayNs(dice, transmissionNs(frame, rateBps)),
    maxFrameBytes,
    creditQueueFrames: dice.chance(0.6) ? 8 : dice.whole(1, 32),
    creditClassWeight: INFINITE,
    creditBurstBytes: dice.chance(0.7) ? 184 : dice.whole(92, 1000),
    creditMarkFrames: 4,
    dataQueueBytes: frame * (dice.chance(0.7) ? 250 : dice.whole(4, 60)),
    ecnThresholdBytes: dice.chance(0.7) ? INFINITE : frame * dice.whole(0, 20),
    ecnRttNs: dice.chance(0.8) ? 0 : dice.spread(MICROSECOND_NS, MILLISECOND_NS),
    ecnRampBytes: dice.chance(0.9) ? 0 : frame * dice.whole(1, 20),
    phantomDrainShare: dice.chance(0.9) ? 0 : dice.between(0.5, 1),
    speculativeQueueBytes: dice.pick([0, frame, 4 * frame]),
  };
}

/** What one link, or a group of links, has of its own. */
function linkSettings(dice: Dice, { rateBps, maxFrameBytes }: PortConfig): Partial<PortConfig> {
  const frameNs = transmissionNs(wireBytes(maxFrameBytes), rateBps);
  return {
    rateBps: dice.chance(0.5) ? rateBps : rateBps * dice.pick(FACTORS),
    ...dice.maybe(0.4, () => ({ delayNs: randomDelayNs(dice, frameNs) })),
    ...dice.maybe(0.1, () => ({ creditQueueFrames: dice.whole(1, 16) })),
  };
}

function randomDelayNs(dice: Dice, frameNs: number): number {
  const longestNs = Math.min(LONGEST_DELAY_NS, MOST_FRAMES_ON_LINK * frameNs);
  return dice.chance(0.15) ? 0 : dice.spread(SHORTEST_DELAY_NS, longestNs);
}

/** Switches in a random tree, at times with links that close rings and parallel ones, and hosts with any ids at any of them. */
function randomTree(dice: Dice, common: PortConfig, routing: Pick<Topology, 'spread' | 'failoverDelayNs'>): Topology {
  const switches = Array.from({ length: dice.whole(1, 6) }, (_, index) => ({ name: `s${index + 1}` }));
  const hosts = Array.from({ length: dice.whole(2, 8) }, (_, index) => ({ id: index * 5000 + dice.whole(1, 4999) }));
  const own = () => linkSettings(dice, common);
  const links: LinkDraft[] = hosts.map(({ id }) => ({ a: `h${id}`, b: dice.pick(switches).name, ...own() }));
  for (let index = 1; index < switches.length; index++) {
    const [near, far] = [switches[dice.whole(0, index - 1)].name, switches[index].name];
    links.push({ a: near, b: far, ...own() });
  }
  for (let rings = dice.whole(0, switches.length - 1); rings > 0; rings--) {
    const [one, other] = dice.pair(switches);
    links.push({ a: one.name, b: other.name, ...own() });
  }
  return checkTopology({ hosts, switches, links, defaults: { ...common }, ...routing });
}
