/** What a row's value is worth: held to its limits, and to a band around the paper's value. */

import type { Verdict } from '../../report/figures-page.js';

export type Values = readonly (number | null)[];
/** One bound for all values, or one for each. */
export type Bound = number | readonly number[];

/**
 * Half of the band: as far as ours may lie from the paper's value on either side, as a part of it. Ours: four times the 6 % by which the authors' own code
 * leaves their papers (parking lot, naive credits). It is the same for every row.
 */
export const BAND = 0.25;

/** What every value has to be within. */
export interface Limits {
  readonly values: Values;
  readonly least?: Bound | undefined;
  readonly most?: Bound | undefined;
  readonly met?: boolean | undefined;
}

/** Our values beside the paper's, which is null where it has no number. */
export interface Beside {
  readonly ours: Values;
  readonly paper: Values;
  /** Which side of the paper's value is the good one; without it neither is. */
  readonly better?: 'less' | 'more' | undefined;
}

/**
 * `missed`: beyond a limit, or outside the band on its bad side. `outside`: within the limits and outside the band, on the good side or where no side is.
 * `met`: within both.
 */
export function verdictOf(limits: Limits, beside: Beside): Exclude<Verdict, 'no claim'> {
  const strays = straysOf(beside);
  if (!isWithin(limits) || strays.some(({ isWorse }) => isWorse)) return 'missed';
  return strays.length > 0 ? 'outside' : 'met';
}

/** `0.29 to 0.8 times the paper's value`: of the values outside the band; '' where there are none. */
export function bandText(beside: Beside): string {
  const times = straysOf(beside).map((stray) => stray.times);
  if (times.length === 0 || !times.every(Number.isFinite)) return '';
  const [least, most] = [Math.min(...times), Math.max(...times)].map((each) => String(Number(each.toPrecision(2))));
  return `${least === most ? least : `${least} to ${most}`} times the paper's value`;
}

/** A value that the band does not hold. */
interface Stray {
  /** Ours over the paper's. */
  readonly times: number;
  readonly isWorse: boolean;
}

function straysOf({ ours, paper, better }: Beside): Stray[] {
  return paper.flatMap((wanted, at) => {
    if (wanted === null) return [];
    const value = ours[at] ?? Number.NaN;
    if (Math.abs(value - wanted) <= BAND * Math.abs(wanted)) return [];
    const isWorse = Number.isNaN(value) || (better !== undefined && (better === 'less') === value > wanted);
    return [{ times: value / wanted, isWorse }];
  });
}

function isWithin({ values, least = -Infinity, most = Infinity, met }: Limits): boolean {
  const of = (bound: Bound, at: number): number => (typeof bound === 'number' ? bound : bound[at]);
  const hasBound = least !== -Infinity || most !== Infinity;
  return met !== false && (!hasBound || values.every((value, at) => value !== null && value >= of(least, at) && value <= of(most, at)));
}

/** What stands beside ours where the paper has a range: the nearest of its values. */
export function nearestOf(value: number, [low, high]: readonly [number, number]): number {
  return Math.min(Math.max(value, low), high);
}
