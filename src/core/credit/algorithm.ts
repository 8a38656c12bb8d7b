// Tested by test/core/credit/registry.test.ts
import type { RecordArena } from '../../base/record-arena.js';
import { type Parameter, type ParameterValues, parameter } from '../../base/setting.js';

/**
 * What a credit algorithm is: once per update period it learns what became of the flow's credits and says at which rate the receiver
 * issues the next ones. It knows numbers only: no frames, no clock.
 */

/** Numbers that an algorithm may remember of a flow in a record, at most; `leaning` does. */
export const ALGORITHM_NUMBERS = 10;

export type CreditParameter = Parameter;
export type CreditParameters = ParameterValues;

/** The receiver's link as an algorithm sees it. All flows of a host share the object. Its rate may change, so read it each time. */
export interface CreditLink {
  /** Rate of the link, credits and data together, bit/s; finite. No flow is ever credited above it. */
  readonly maxRateBps: number;
  /** Wire bytes of a mean credit and of the largest data frame that it releases, together: 1626 = 88 + 1538 by default. PROTOCOL §4.4 */
  readonly bytesPerCredit: number;
}

/**
 * The credits of one flow whose fate became known in one update period: `known = used + unused + dropped`. PROTOCOL §4.5
 * The caller may keep one object and fill it again for every update.
 */
export interface CreditSample {
  /** When the period ended, ns. */
  nowNs: number;
  /** Length of the period that ended, ns: since the update before it, or since credits began; above 0. */
  elapsedNs: number;
  /** Smoothed round-trip time from a credit to its echo, ns. */
  rttNs: number;
  /** Shortest round-trip time and variation of the smoothed one, ns (RFC 6298). */
  minRttNs: number;
  rttVariationNs: number;
  /** That of the latest echo, ns; the smoothed one where the latest is not known. */
  latestRttNs: number;
  /**
   * Time over which the known credits were sent, ns, on the receiver's clock: from the last credit of the sample before this one to the last of this
   * one, pauses left out, so that `known / spanNs` is the rate at which these very credits were sent. 0 where it is not known yet.
   */
  spanNs: number;
  /** The flow sent fewer credits than its rate allows, because a window or the host's budget held it back: `known / spanNs` is then not its own choice. */
  heldBack: boolean;
  /** Credits whose fate became known. An algorithm ignores a sample without any. */
  known: number;
  /** Credits that came back with data. */
  used: number;
  /** Credits that reached a sender which had nothing to send; they were not lost. */
  unused: number;
  /** Credits that the network dropped. */
  dropped: number;
  /** Of the used ones, those that counted as dropped until their echo came late: overtaken, not lost. */
  takenBack: number;
  /** Data frames that arrived in the period, late ones too; 0 where every known credit was given up. */
  dataFrames: number;
  /** How many of these carried CE in their own ECN field: they met a data queue above K. PROTOCOL §9.3 */
  marked: number;
  /** How many of these say that the credit which released them had been marked CE. PROTOCOL §3.3 */
  creditMarked: number;
  /** Mean of the explicit rates that came with the period's data, bit/s, and the hop of the latest; 0 and NO_HOP: none came. PROTOCOL §9.7 */
  explicitBps: number;
  hop: number;
  /** Data that arrived in the period, as the link share that the credits which released it fill, bit/s. */
  rateBps: number;
}

/** How the credits of a flow are spread over equal paths (core/path). Times are ns. */
export interface CreditSpray {
  readonly paths: number;
  readonly uniform: boolean;
  readonly probing: boolean;
  readonly slowest: number;
  readonly boardBits: number;
  readonly returns: { readonly waitNs: number; readonly waitRtts: number; readonly longestNs: number };
}

/** The rate of one flow's credits. One object a flow; nothing is allocated per update. */
export interface CreditAlgorithm {
  readonly name: string;
  /** Share of the link, credits and data together, that the flow's credits shall fill from now on, bit/s. */
  readonly rateBps: number;
  /** Absent: credits carry no path id and follow their flow. */
  readonly spray?: CreditSpray;
  /** A faster rate holds for the gap between two credits that has begun, too; absent or false: from the next gap on. */
  readonly hastens?: boolean;
  /** The hop that limits the flow. Absent: credits ask for no explicit rate. PROTOCOL §9.7 */
  readonly hop?: number;
  /** Credits say the rate of the flow over this. Absent: 1. PROTOCOL §4.9 */
  readonly weight?: number;
  /** How long an update period lasts at this smoothed RTT, ns; an update waits longer where no credit's fate has become known. */
  updatePeriodNs(rttNs: number): number;
  /** Rate of a flow that has sent so many credits and heard of none, bit/s, at most `rateBps`. Absent: `rateBps`. */
  unheardRateBps?(sent: number): number;
  /** Takes the sample of one update period and sets `rateBps`. */
  update(sample: CreditSample): void;
  /** What the algorithm remembers, by the names of the papers; for statistics and traces. Allocates. */
  state(): Record<string, number>;
}

/** An algorithm as the registry holds it. */
export interface CreditAlgorithmDefinition {
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  readonly parameters: readonly CreditParameter[];
  /** A flow gets the share of its weight. Absent: `create` ignores it, and an endpoint refuses flows that want another weight than 1. PROTOCOL §4.9 */
  readonly takesWeights?: true;
  /**
   * `parameters` holds a valid value for each one declared. From `records` it may take one of ALGORITHM_NUMBERS or fewer.
   * `weight`: the flow's share against that of others, a whole number from 1 up.
   */
  create(link: CreditLink, parameters: CreditParameters, records: RecordArena, weight: number): CreditAlgorithm;
}

/** Time from one credit of a flow to the next at a rate, ns. PROTOCOL §4.4 */
export function creditGapNs(link: CreditLink, rateBps: number): number {
  return (link.bytesPerCredit * 8e9) / rateBps;
}

/** Every smoothed RTT, but no sooner than `periodCredits` fit on the link (the parameter `period_credits` says why), ns. PROTOCOL §4.7 */
export function updatePeriodNs(link: CreditLink, rttNs: number, periodCredits: number): number {
  return Math.max(rttNs, periodCredits * creditGapNs(link, link.maxRateBps));
}

/** Lowest rate of a flow, bit/s: one credit each `periodNs`, since a flow without credits learns nothing. (The authors' code: one an RTT.) */
export function floorRateBps(link: CreditLink, periodNs: number): number {
  return (link.bytesPerCredit * 8e9) / periodNs;
}

/** The rate at which the credits of a sample were sent, bit/s; the rate in force where that is not known. */
export function sentBps(link: CreditLink, { known, spanNs }: CreditSample, rateBps: number): number {
  return spanNs > 0 ? (known * link.bytesPerCredit * 8e9) / spanNs : rateBps;
}

/** The same, and at least the rate in force where a window held the credits back. */
export function chosenBps(link: CreditLink, sample: CreditSample, rateBps: number): number {
  const bps = sentBps(link, sample, rateBps);
  return sample.heldBack ? Math.max(bps, rateBps) : bps;
}

/** Part of `unheard_credits` after which the rate of a flow without an echo halves again; 1/8 costs a thousand flows some thousand credits. */
const HALVING_PART = 1 / 10;

/** `rateBps` of a flow without an echo: halved with each tenth that it has sent beyond `unheard_credits`, down to `lowestBps`. */
export function unheardBps(rateBps: number, lowestBps: number, parameters: CreditParameters, sent: number): number {
  // The same time at every rate from a half on, the same credits at a lower one, since few say nothing.
  const patience = parameters.unheard_credits * Math.max(0.5, parameters.initial_rate);
  if (sent <= patience) return rateBps;
  const halvings = Math.ceil((sent - patience) / (patience * HALVING_PART));
  return Math.min(rateBps, Math.max(rateBps / 2 ** halvings, lowestBps));
}

export const UNHEARD_CREDITS = parameter('unheard_credits', [88, 20, 1_000_000], 'credits', {
  meaning:
    'credits sent at an initial rate of 1 before the first echo, half as many at 1/2 and below; with every tenth more the rate halves',
  source: 'ours: docs/decisions/0008-leaning.md',
});
