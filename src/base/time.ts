/** Time is nanoseconds in a `number`, counted from the driver's start; 2^53 ns are 104 days. */

/** The deadline of a machine that waits for nothing. */
export const NEVER = Number.POSITIVE_INFINITY;

export const MICROSECOND_NS = 1e3;
export const MILLISECOND_NS = 1e6;
export const SECOND_NS = 1e9;
export const MINUTE_NS = 60 * SECOND_NS;

/** Time that `bytes` take on a link of `rateBps`; 0 on an unlimited link (Infinity). */
export function transmissionNs(bytes: number, rateBps: number): number {
  return (bytes * 8e9) / rateBps;
}
