/** Serial numbers (PROTOCOL §1.3, after RFC 1982). Arguments may be 16-bit or 32-bit wire values or wide counters: only lower bits count, except in `near`. */

/** Whether `a` is after `b`: `(a - b) mod 2^32` is 1 to 2^31 - 1. Values exactly 2^31 apart are after each other in neither order. */
export function serialAfter(a: number, b: number): boolean {
  return ((a - b) | 0) > 0;
}

/** `a - b` as a signed 32-bit number: how far `a` is ahead. */
export function serialDistance(a: number, b: number): number {
  return (a - b) | 0;
}

/** The integer nearest to `near` with these lower 32 bits. Below zero for a value before the counter's start, which the caller drops. */
export function widen(value32: number, near: number): number {
  return near + ((value32 - near) | 0);
}

/** `serialAfter` for 16-bit counters. */
export function serialAfter16(a: number, b: number): boolean {
  return serialDistance16(a, b) > 0;
}

/** `serialDistance` for 16-bit counters. */
export function serialDistance16(a: number, b: number): number {
  return ((a - b) << 16) >> 16;
}

/** `serialDistance` for credit sequence numbers, of 20 bits. */
export function serialDistance20(a: number, b: number): number {
  return ((a - b) << 12) >> 12;
}

/** `widen` for credit sequence numbers, of 20 bits. */
export function widen20(value20: number, near: number): number {
  return near + serialDistance20(value20, near);
}
