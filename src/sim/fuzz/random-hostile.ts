// Tested by test/sim/fuzz/hostile.fuzz.test.ts
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS, transmissionNs } from '../../base/time.js';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { wireBytes } from '../../wire/layout.js';
import { SIMULATION_CONFIG } from '../endpoint-defaults.js';
import type { Fault, HostileSpec, HostSpec, Scenario, TrafficSpec } from '../scenario.js';
import { Dice } from './dice.js';
import { TRICKS } from './hostile/lies.js';
import { randomScenario, USUAL_FRAMES, withTimeBound } from './random-scenario.js';

/** Parts the choices of the attack from those of the world, which has the same seed. */
const ATTACK_SEED = 0x5eed_11a5;
/** Two at least are honest. */
const LEAST_HOSTS = 3;
/** Seeds that are tried for a world that has enough hosts and bytes: two of three have. */
const SEED_STEP = 1_000_003;
/** Tricks of one liar in a usual world, about (ours): a flood for the world's few hundred frames. */
const USUAL_TRICKS = 120;
/** Tricks after the attack, and how late: three idle timeouts of random worlds. */
const MOST_LATE = 8;
const LATEST_NS = 12 * SECOND_NS;

/** Tricks of each liar, and messages of all honest hosts, in a longer world (ours: some idle timeouts apart where it lasts minutes). */
const LATER_TRICKS = 60;
const LATER_MESSAGES = 40;
const MOST_MESSAGE_BYTES = 20_000;

/**
 * Credits for a flow that its liar has left, at most, and the shortest time in which a host sees that (ours). Fast hosts send millions in the longest one of
 * `randomHosts`: minutes of events in which nothing else happens.
 */
const MOST_VAIN_CREDITS = 20_000;
const SHORTEST_DATA_TIMEOUT_NS = 2 * MILLISECOND_NS;

/**
 * A random small world of `randomScenario` in which one host, or two, break every rule. The same seed gives the same world. `longerNs`: they go on with tricks
 * now and then for so long after the usual beginning, and honest hosts with messages.
 */
export function hostileScenario(seed: number, frames: number = USUAL_FRAMES, longerNs = 0): Scenario {
  const dice = new Dice(seed + ATTACK_SEED);
  const world = crowdedWorld(seed, frames);
  const count = world.hosts.length > LEAST_HOSTS && dice.chance(0.25) ? 2 : 1;
  const left = world.hosts.map(({ id }) => id);
  const liars = Array.from({ length: count }, () => left.splice(dice.whole(0, left.length - 1), 1)[0]);
  const hostile = liars.map((host) => randomLiar(dice, world, host));
  const faults = dice.chance(0.5) ? [] : world.faults.filter((fault) => isBearable(fault, liars));
  const traffic = honestTraffic(dice, world.traffic, { liars, honest: left });
  const usual: HostileWorld = {
    ...world,
    name: `hostile seed ${seed}`,
    doors: true,
    payload: 'bytes',
    hosts: world.hosts.map((spec) => impatient(spec, world)),
    hostile,
    faults,
    traffic,
  };
  return withTimeBound(longerNs > 0 ? withLater(dice, usual, { honest: left, longerNs }) : usual);
}

type HostileWorld = Omit<Scenario, 'durationNs'> & { readonly hostile: readonly HostileSpec[] };

/** The same world with tricks and messages at random times of `longerNs`: between them peers are forgotten, and prove themselves anew. */
function withLater(
  dice: Dice,
  world: HostileWorld,
  { honest, longerNs }: { honest: readonly number[]; longerNs: number },
): HostileWorld {
  const hostile = world.hostile.map((spec) => {
    const later = Array.from({ length: LATER_TRICKS }, () => spec.untilNs + dice.between(0, longerNs));
    return { ...spec, lateNs: [...spec.lateNs, ...later].sort((one, other) => one - other) };
  });
  const messages = Array.from({ length: LATER_MESSAGES }, () => {
    return message(dice, honest, { bytes: dice.whole(1, MOST_MESSAGE_BYTES), startNs: dice.between(1, longerNs) });
  });
  return { ...world, hostile, traffic: [...world.traffic, ...messages] };
}

function crowdedWorld(seed: number, frames: number): Scenario {
  for (let next = seed; ; next += SEED_STEP) {
    const world = randomScenario(next, frames);
    if (world.hosts.length >= LEAST_HOSTS) return { ...world, seed };
  }
}

/** The same host, which sends no more than `MOST_VAIN_CREDITS` for nothing. */
function impatient(spec: HostSpec, { topology: { links } }: Scenario): HostSpec {
  const { rateBps, maxFrameBytes } = links.reduce(
    (fastest, { port }) => (port.rateBps > fastest.rateBps ? port : fastest),
    links[0].port,
  );
  const vainNs = MOST_VAIN_CREDITS * transmissionNs(wireBytes(maxFrameBytes), rateBps);
  const { dataTimeoutNs } = { ...DEFAULT_CONFIG, ...SIMULATION_CONFIG, ...spec.endpoint };
  const shorterNs = Math.min(dataTimeoutNs, Math.max(SHORTEST_DATA_TIMEOUT_NS, vainNs));
  return { ...spec, endpoint: { ...spec.endpoint, dataTimeoutNs: shorterNs } };
}

/** A liar's script would begin anew after a crash. */
function isBearable(fault: Fault, liars: readonly number[]): boolean {
  return fault.kind !== 'hostCrash' || !liars.includes(fault.host);
}

function randomLiar(dice: Dice, { topology }: Scenario, host: number): HostileSpec {
  const { rateBps, maxFrameBytes, delayNs } = topology.links[0].port;
  const frameNs = transmissionNs(wireBytes(maxFrameBytes), rateBps);
  const tricks = Math.round(dice.spread(USUAL_TRICKS / 6, USUAL_TRICKS * 4));
  const shortestNs = tricks * Math.min(frameNs, 100 * MICROSECOND_NS);
  const lastsNs = dice.spread(shortestNs, Math.max(2 * shortestNs, 20 * delayNs + 60 * MILLISECOND_NS));
  const fromNs = dice.chance(0.5) ? 1 : dice.between(1, 3 * MILLISECOND_NS);
  const isOnPath = dice.chance(0.25);
  return {
    host,
    seed: dice.uint32(),
    fromNs,
    untilNs: fromNs + lastsNs,
    lateNs: lateTimes(dice, fromNs + lastsNs),
    gapNs: lastsNs / tricks,
    tricks: dice.chance(0.4) ? TRICKS : dice.some(TRICKS, 1),
    changeShare: dice.chance(0.3) ? 0 : dice.spread(0.01, 0.5),
    spoofs: isOnPath || dice.chance(0.5),
    isOnPath,
    isMetered: dice.chance(0.4),
    load: 1,
  };
}

/** Until associations are about to be forgotten, and beyond. */
function lateTimes(dice: Dice, afterNs: number): number[] {
  const count = dice.chance(0.4) ? dice.whole(1, MOST_LATE) : 0;
  return Array.from({ length: count }, () => afterNs + dice.between(0, LATEST_NS)).sort((one, other) => one - other);
}

/** Flows that a liar would open are another's: what it sends is its script's affair. It stays the receiver of others' flows. */
function honestTraffic(
  dice: Dice,
  traffic: readonly TrafficSpec[],
  { liars, honest }: { liars: readonly number[]; honest: readonly number[] },
): TrafficSpec[] {
  const isHonest = (id: number): boolean => !liars.includes(id);
  const mended = traffic.flatMap((spec) => mendedSpec(dice, spec, { isHonest, honest }));
  if (mended.length > 0) return mended;
  return [message(dice, honest, { bytes: MOST_MESSAGE_BYTES, startNs: 1 })];
}

function message(
  dice: Dice,
  honest: readonly number[],
  { bytes, startNs }: { bytes: number; startNs: number },
): TrafficSpec {
  const [from, to] = dice.pair(honest);
  const stopNs = Number.POSITIVE_INFINITY;
  return { kind: 'flow', group: 'flow', from, to, bytes, count: 1, startNs, startJitterNs: 0, stopNs };
}

function mendedSpec(
  dice: Dice,
  spec: TrafficSpec,
  { isHonest, honest }: { isHonest: (id: number) => boolean; honest: readonly number[] },
): TrafficSpec[] {
  switch (spec.kind) {
    case 'flow': {
      if (isHonest(spec.from)) return [spec];
      // The new sender may be one whose flows have no credits.
      const { share: _, ...rest } = spec;
      return [{ ...rest, from: dice.pick(honest.filter((id) => id !== spec.to)) }];
    }
    case 'incast':
      return listed({ ...spec, from: spec.from.filter(isHonest) }, spec.from.some(isHonest));
    case 'permutation':
    case 'shuffle': {
      const hosts = spec.hosts.filter(isHonest);
      return listed({ ...spec, hosts }, hosts.length > 1);
    }
    case 'poisson':
      return [{ ...spec, from: spec.from.filter(isHonest), to: spec.to.filter(isHonest) }];
  }
}

function listed(spec: TrafficSpec, isPlayable: boolean): TrafficSpec[] {
  return isPlayable ? [spec] : [];
}
