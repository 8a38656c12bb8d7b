// Tested by test/sim/fuzz/random-scenario.test.ts
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../../base/time.js';
import type { EndpointConfig } from '../../core/config.js';
import { CREDIT_ALGORITHMS } from '../../core/credit/registry.js';
import type { PortConfig } from '../../switch/port.js';
import type { Topology } from '../../switch/topology.js';
import type { HostSpec, Scenario, TrafficSpec } from '../scenario.js';
import type { Dice } from './dice.js';

type World = Omit<Scenario, 'durationNs'>;

/** In half of the worlds some flows have credits of the low class, and the ports serve the classes strictly or by weight. */
export function withClasses(dice: Dice, world: World): World {
  if (dice.chance(0.5)) return world;
  const creditClassWeight = dice.chance(0.5) ? Number.POSITIVE_INFINITY : dice.spread(0.1, 10);
  const windows = new Set(world.hosts.filter(({ endpoint }) => endpoint.windowAlgorithm).map(({ id }) => id));
  const traffic = world.traffic.map((spec) =>
    hasCredits(spec, windows) && dice.chance(0.4) ? { ...spec, share: { creditClass: 'low' } as const } : spec,
  );
  return { ...world, topology: withPorts(world.topology, { creditClassWeight }), traffic };
}

function hasCredits(spec: TrafficSpec, windows: ReadonlySet<number>): boolean {
  const senders = spec.kind === 'permutation' || spec.kind === 'shuffle' ? spec.hosts : [spec.from].flat();
  return !senders.some((id) => windows.has(id));
}

function withPorts(topology: Topology, changes: Partial<PortConfig>): Topology {
  const links = topology.links.map((link) => ({ ...link, port: { ...link.port, ...changes } }));
  return { ...topology, links };
}

/** Shorter than the 10 s of the protocol, so that flows whose peer crashed are soon over, and far longer than all faults together. */
const IDLE_TIMEOUT_NS = 4 * SECOND_NS;
/** Beyond what cheap oscillators do, parts per million. */
const MOST_DRIFT_PPM = 200;
const ALGORITHMS = CREDIT_ALGORITHMS.map(({ name }) => name);

/** Not TIMELY, and Swift with a target that no path here exceeds: what follows the delay crawls for seconds where faults make the delay jump. */
const WINDOWS: readonly Partial<EndpointConfig>[] = [
  { windowAlgorithm: 'dctcp' },
  { windowAlgorithm: 'cubic' },
  { windowAlgorithm: 'hull' },
  { windowAlgorithm: 'swift', windowParameters: { base_target: 1e6 } },
];

/** One for each host: alike in some worlds, each its own in others. */
export function randomHosts(dice: Dice, { hosts, links }: Topology): HostSpec[] {
  const algorithm = dice.pick(ALGORITHMS);
  const isMixed = dice.chance(0.4);
  const frameBytes = links[0].port.maxFrameBytes;
  const common = randomEndpoint(dice, frameBytes);
  const isReactive = dice.chance(0.3);
  const isVaried = dice.chance(0.4);
  return hosts.map(({ id }) => ({
    id,
    endpoint: {
      ...(isVaried ? randomEndpoint(dice, frameBytes) : common),
      creditAlgorithm: isMixed ? dice.pick(ALGORITHMS) : algorithm,
      ...(isReactive && dice.chance(0.6) && dice.pick(WINDOWS)),
    },
    nic: dice.maybe(0.1, () => ({ creditQueueFrames: dice.whole(1, 64) })),
    processing: dice.chance(0.4)
      ? { delayNs: dice.between(0, 10 * MICROSECOND_NS), jitterNs: dice.between(0, 20 * MICROSECOND_NS) }
      : { delayNs: 0, jitterNs: 0 },
    clockDriftPpm: dice.chance(0.3) ? dice.between(-MOST_DRIFT_PPM, MOST_DRIFT_PPM) : 0,
  }));
}

/** Settings within what people set: each is left alone in most worlds. */
function randomEndpoint(dice: Dice, frameBytes: number): Partial<EndpointConfig> {
  const smallestWindow = Math.max(65_536, 2 * frameBytes);
  return {
    idleTimeoutNs: IDLE_TIMEOUT_NS,
    connectTimeoutNs: IDLE_TIMEOUT_NS,
    ...dice.maybe(0.2, () => ({ jitter: dice.between(0, 0.5) })),
    ...dice.maybe(0.2, () => ({ catchUpNs: dice.pick([10 * MICROSECOND_NS, MILLISECOND_NS]) })),
    ...dice.maybe(0.4, () => ({ receiveWindowBytes: Math.round(dice.spread(smallestWindow, 8 * smallestWindow)) })),
    ...dice.maybe(0.3, () => ({ sendBufferBytes: Math.round(dice.spread(65_536, 1e6)) })),
    ...dice.maybe(0.2, () => ({ maxOutstandingCredits: Math.round(dice.spread(1, 1000)) })),
    ...dice.maybe(0.4, () => ({ hostCredits: Math.round(dice.spread(2, dice.pick([12, 1000]))) })),
    ...dice.maybe(0.2, () => ({ queueBoundNs: dice.pick([0, 20 * MICROSECOND_NS, MILLISECOND_NS]) })),
    ...dice.maybe(0.4, () => ({ backlogWaitNs: dice.pick([10 * MICROSECOND_NS, 2 * MILLISECOND_NS]) })),
    ...dice.maybe(0.2, () => ({ maxLingering: dice.whole(0, 4) })),
    ...dice.maybe(0.3, () => randomAcknowledgement(dice)),
    ...dice.maybe(0.3, () => randomTimeouts(dice)),
    ...dice.maybe(0.3, () => ({
      speculativeRttNs: dice.spread(MICROSECOND_NS, 2 * MILLISECOND_NS),
      ...dice.maybe(0.5, () => ({ unprovedFrames: dice.whole(1, 16) })),
    })),
    ...dice.maybe(0.4, () => ({ frameChunks: dice.pick([1, 4, 64]) })),
  };
}

function randomAcknowledgement(dice: Dice): Partial<EndpointConfig> {
  return {
    ackFrames: dice.whole(1, 64),
    ackFramesWithHoles: dice.whole(1, 16),
    ackDelayNs: dice.pick([0, 10 * MICROSECOND_NS, MILLISECOND_NS]),
  };
}

function randomTimeouts(dice: Dice): Partial<EndpointConfig> {
  return {
    retransmitMarginNs: dice.spread(10 * MICROSECOND_NS, 10 * MILLISECOND_NS),
    initialRetransmitNs: dice.spread(MILLISECOND_NS, 50 * MILLISECOND_NS),
    maxBackoffNs: dice.spread(20 * MILLISECOND_NS, 500 * MILLISECOND_NS),
    creditTimeoutNs: dice.spread(200 * MICROSECOND_NS, 50 * MILLISECOND_NS),
    stopTimeoutNs: dice.pick([0, 100 * MICROSECOND_NS, MILLISECOND_NS]),
    dataTimeoutNs: dice.spread(2 * MILLISECOND_NS, 200 * MILLISECOND_NS),
    creditLifeNs: dice.spread(2 * MILLISECOND_NS, 100 * MILLISECOND_NS),
    lingerNs: dice.pick([0, MILLISECOND_NS, 20 * MILLISECOND_NS, 500 * MILLISECOND_NS]),
  };
}
