// Tested by test/sim/fuzz/siege.test.ts
import { MICROSECOND_NS, MILLISECOND_NS, transmissionNs } from '../../../base/time.js';
import { builtinTopology } from '../../../switch/builtin-topologies.js';
import { MIN_WIRE_BYTES } from '../../../wire/layout.js';
import { FlowPaths } from '../../judge/flow-paths.js';
import { lossyShares } from '../../judge/shares.js';
import type { HostileSpec, Scenario, TrafficSpec } from '../../scenario.js';
import { simulate } from '../../simulate.js';
import { AuditedPool } from '../audited-pool.js';
import { Cast } from '../cast.js';
import { Dice } from '../dice.js';
import { TRICKS } from './lies.js';

/** A lab's network: its RTTs of some 30 us are short beside what is measured, which are hundreds of them. */
const RATE_BPS = 1e9;
const DELAY_NS = 5 * MICROSECOND_NS;
const WARM_UP_NS = 10 * MILLISECOND_NS;
const DURATION_NS = 30 * MILLISECOND_NS;
const MOST_FLOWS = 4;
/**
 * A siege does not show that shares are by flow: a liar with 200 flows gets 200 of them. Nor that no meter limits what is sent without credits: a flood of a
 * whole link left 0.29 of its share to the worst of 19 flows.
 */
const MOST_LOAD = 0.5;
const NO_WORK = { delayNs: 0, jitterNs: 0 };

/** A flow between honest hosts under siege. */
export interface BesiegedFlow {
  readonly from: number;
  readonly to: number;
  /** What it got, of what it would have if the liar were honest and had a full flow in each direction of its link. */
  readonly part: number;
}

/** Honest hosts with endless flows, and a liar that fills half of its link with lies, as far as its meter lets it. */
export function siegeScenario(seed: number): Scenario {
  const dice = new Dice(seed);
  const settings = { rateBps: RATE_BPS, delayNs: DELAY_NS };
  const topology = dice.chance(0.5)
    ? builtinTopology('star', { hosts: dice.whole(3, 6), ...settings })
    : builtinTopology('dumbbell', { pairs: dice.whole(2, 3), ...settings });
  const left = topology.hosts.map(({ id }) => id);
  const [liar] = left.splice(dice.whole(0, left.length - 1), 1);
  const traffic = Array.from({ length: dice.whole(1, MOST_FLOWS) }, () => endless(...dice.pair(left)));
  return {
    name: `siege ${seed}`,
    seed,
    durationNs: DURATION_NS,
    warmUpNs: WARM_UP_NS,
    endsWithFlows: false,
    topology,
    bottlenecks: [],
    hosts: topology.hosts.map(({ id }) => ({ id, endpoint: {}, nic: {}, processing: NO_WORK, clockDriftPpm: 0 })),
    traffic,
    faults: [],
    jainWindowsNs: [],
    probes: { intervalNs: 0, links: [], maxFlows: 0 },
    payload: 'bytes',
    slowdowns: false,
    doors: true,
    hostile: [besieger(dice, liar)],
  };
}

function endless(from: number, to: number): TrafficSpec {
  const never = Number.POSITIVE_INFINITY;
  return {
    kind: 'flow',
    group: 'honest',
    from,
    to,
    bytes: never,
    count: 1,
    startNs: 1,
    startJitterNs: 0,
    stopNs: never,
  };
}

/** From idle to more small frames than its link carries. */
function besieger(dice: Dice, host: number): HostileSpec {
  const frameNs = transmissionNs(MIN_WIRE_BYTES, RATE_BPS);
  return {
    host,
    seed: dice.uint32(),
    fromNs: MILLISECOND_NS,
    untilNs: DURATION_NS,
    lateNs: [],
    gapNs: dice.spread(frameNs, 20 * frameNs),
    tricks: dice.chance(0.3) ? TRICKS : Array.from({ length: dice.whole(1, 3) }, () => dice.pick(TRICKS)),
    changeShare: 0,
    load: MOST_LOAD,
    spoofs: dice.chance(0.3),
    isOnPath: false,
    isMetered: true,
  };
}

/** Plays a siege. */
export function besiege(scenario: Scenario): BesiegedFlow[] {
  const cast = new Cast(scenario);
  const { result } = simulate(scenario, {
    makePool: (makeBytes, capacity) => new AuditedPool(makeBytes, capacity),
    makeHost: (parts, port) => cast.makeHost(parts, port),
    makeApplication: (usual, port) => cast.makeApplication(usual, port),
    onStep: (world) => cast.begin(world.network),
  });
  const shares = worstShares(scenario, cast.liars);
  return scenario.traffic.map((spec, at) => {
    const { from, to } = spec as TrafficSpec & { kind: 'flow' };
    return { from, to, part: (result.flows[at].arrivalBps ?? 0) / shares[at] };
  });
}

/** Of each honest flow: its least max-min share over all hosts with which the liar could have a full flow in each direction. */
function worstShares({ topology, traffic }: Scenario, liars: ReadonlySet<number>): number[] {
  const paths = new FlowPaths(topology);
  const [liar] = liars;
  const honest = traffic.map((spec) => {
    const { from, to } = spec as TrafficSpec & { kind: 'flow' };
    return paths.of(from, to, 1);
  });
  const others = topology.hosts.map(({ id }) => id).filter((id) => id !== liar);
  const worst = honest.map(() => Number.POSITIVE_INFINITY);
  for (const other of others) {
    const shares = lossyShares(topology, [...honest, paths.of(liar, other, 1), paths.of(other, liar, 1)]);
    worst.forEach((share, at) => {
      worst[at] = Math.min(share, shares[at]);
    });
  }
  return worst;
}
