import { Ecn, Header } from './layout.js';

/** The hop limit is above the two ECN bits of byte 0. */
const ONE_HOP = 4;
const ECN_MASK = 3;

/** Takes one hop off, in place; false, and nothing is changed, where the frame has none left and is to be dropped. PROTOCOL §2.1 */
export function decrementHopLimit(bytes: Uint8Array): boolean {
  if (bytes[Header.hopLimitAndEcn] < ONE_HOP) return false;
  bytes[Header.hopLimitAndEcn] -= ONE_HOP;
  return true;
}

/** Marks an ECN-capable frame as CE, in place; false where it was not capable or is marked already. PROTOCOL §2.1, §9.3 */
export function markCe(bytes: Uint8Array): boolean {
  const ecn = bytes[Header.hopLimitAndEcn] & ECN_MASK;
  if (ecn !== Ecn.capable0 && ecn !== Ecn.capable1) return false;
  bytes[Header.hopLimitAndEcn] |= Ecn.congestionExperienced;
  return true;
}
