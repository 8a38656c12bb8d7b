import { read16, write16 } from './bytes.js';
import { Credit, Ecn, Header, HOP_BITS } from './layout.js';

/** The hop limit is above the two ECN bits of byte 0. */
const HOPS_SHIFT = 2;
const ECN_MASK = 3;

/** Writes what switches have left of the hop limit, in place. PROTOCOL §2.1 */
export function setHopLimit(bytes: Uint8Array, hops: number): void {
  bytes[Header.hopLimitAndEcn] = (hops << HOPS_SHIFT) | (bytes[Header.hopLimitAndEcn] & ECN_MASK);
}

/** Marks an ECN-capable frame as CE, in place; false where it was not capable or is marked already. PROTOCOL §2.1, §9.3 */
export function markCe(bytes: Uint8Array): boolean {
  const ecn = bytes[Header.hopLimitAndEcn] & ECN_MASK;
  if (ecn !== Ecn.capable0 && ecn !== Ecn.capable1) return false;
  bytes[Header.hopLimitAndEcn] |= Ecn.congestionExperienced;
  return true;
}

/** Lowers the explicit rate of a CREDIT that asks for one, in place, where `rateCode` is below it; `hop`: of the port that does. PROTOCOL §9.7 */
export function lowerExplicitRate(bytes: Uint8Array, rateCode: number, hop: number): void {
  if (read16(bytes, Credit.explicitRate) >>> HOP_BITS <= rateCode) return;
  write16(bytes, Credit.explicitRate, (rateCode << HOP_BITS) | hop);
}
