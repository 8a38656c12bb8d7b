// Tested by test/sim/fuzz/random-scenario.test.ts
import { MICROSECOND_NS, MILLISECOND_NS } from '../../base/time.js';
import { type FrameTypeName, type ImpairmentConfig, NO_IMPAIRMENT } from '../../switch/impairment.js';
import type { PortConfig } from '../../switch/port.js';
import type { Topology, TopologyLink } from '../../switch/topology.js';
import type { Fault } from '../scenario.js';
import type { Dice } from './dice.js';

const MOST_FAULTS = 8;
/** A fault lasts no longer, so that all of them together are over long before an idle timeout. */
const LONGEST_NS = 60 * MILLISECOND_NS;
const SHORTEST_NS = MICROSECOND_NS;
/** Half of all frames is the worst that a link may do and still count as there (ours). */
const MOST_LOSS = 0.5;
const RARE = 0.001;
/** Slower than any link, and not so slow that reading a window takes seconds. */
const READER_BPS = [1e6, 20e6, 1e9];
const READER_LASTS_NS = 30 * MILLISECOND_NS;
const AT_ONCE = Number.POSITIVE_INFINITY;
const TYPES: readonly FrameTypeName[] = ['creditRequest', 'credit', 'data', 'ack', 'creditStop', 'fin'];

/** Faults within the first `spanNs`, by time. Every one of them ends: what a link, a reader or a clock was before, it is again. */
export function randomFaults(dice: Dice, topology: Topology, spanNs: number): Fault[] {
  const faults: Fault[] = [];
  const count = dice.chance(0.2) ? 0 : dice.whole(1, MOST_FAULTS);
  for (let index = 0; index < count; index++) faults.push(...randomFault(dice, topology, spanNs));
  return faults.sort((one, other) => one.atNs - other.atNs);
}

function randomFault(dice: Dice, topology: Topology, spanNs: number): Fault[] {
  const atNs = dice.between(0, spanNs);
  const forNs = Math.min(dice.spread(SHORTEST_NS, LONGEST_NS), Math.max(SHORTEST_NS, spanNs));
  const host = dice.pick(topology.hosts).id;
  switch (dice.whole(0, 11)) {
    case 0:
      return [{ kind: 'switchRestart', atNs, forNs, switch: dice.pick(topology.switches).name }];
    case 1:
      return [{ kind: 'hostCrash', atNs, forNs, host }];
    case 2:
      return [
        { kind: 'reader', atNs, host, rateBps: dice.pick(READER_BPS) },
        { kind: 'reader', atNs: atNs + Math.min(forNs, READER_LASTS_NS), host, rateBps: AT_ONCE },
      ];
    case 3:
      return [
        { kind: 'clock', atNs, host, driftPpm: dice.between(-1000, 1000) },
        { kind: 'clock', atNs: atNs + forNs, host, driftPpm: 0 },
      ];
    default:
      return linkFault(dice, dice.pick(topology.links), { atNs, forNs });
  }
}

/** On both directions of a link, or on one. */
function linkFault(dice: Dice, link: TopologyLink, { atNs, forNs }: { atNs: number; forNs: number }): Fault[] {
  const base = { kind: 'link', link: dice.pick([link.name, `${link.a}->${link.b}`, `${link.b}->${link.a}`]) } as const;
  const { port, impairment } = linkTrouble(dice, link.port);
  const portBefore = Object.fromEntries(Object.keys(port).map((key) => [key, link.port[key as keyof PortConfig]]));
  const mended = Object.keys(impairment).map((key) => [key, NO_IMPAIRMENT[key as keyof ImpairmentConfig]]);
  return [
    { ...base, atNs, port, impairment },
    { ...base, atNs: atNs + forNs, port: portBefore, impairment: Object.fromEntries(mended) },
  ];
}

function linkTrouble(
  dice: Dice,
  { rateBps }: PortConfig,
): { port: Partial<PortConfig>; impairment: Partial<ImpairmentConfig> } {
  const share = dice.spread(RARE, MOST_LOSS);
  const some = dice.maybe(0.3, () => ({ frameTypes: dice.some(TYPES, 1) }));
  switch (dice.whole(0, 8)) {
    case 0:
      return { port: {}, impairment: { down: true } };
    case 1:
      return { port: { rateBps: rateBps * dice.between(0.1, 0.9) }, impairment: {} };
    case 2:
      return { port: {}, impairment: { lossRate: share, ...some } };
    case 3:
      return {
        port: {},
        impairment: { burstEnterRate: share / 4, burstLeaveRate: dice.between(0.05, 0.5), burstLossRate: 1, ...some },
      };
    case 4:
      return { port: {}, impairment: { duplicateRate: share, ...some } };
    case 5:
      return {
        port: {},
        impairment: { reorderRate: share, reorderDelayNs: dice.spread(MICROSECOND_NS, 2 * MILLISECOND_NS), ...some },
      };
    case 6:
      return { port: {}, impairment: { corruptRate: share, ...some } };
    case 7:
      return { port: {}, impairment: { extraDelayNs: dice.spread(MICROSECOND_NS, 5 * MILLISECOND_NS) } };
    default:
      return { port: {}, impairment: { jitterNs: dice.spread(MICROSECOND_NS, MILLISECOND_NS) } };
  }
}
