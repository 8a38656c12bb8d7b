import { crc32 as zlibCrc32 } from 'node:zlib';
import { crc32 as pureCrc32 } from '../base/crc32.js';

/**
 * From here on zlib is faster than the pure table: 108 against 179 ns at 128 bytes, 208 against 219 at 256, 413 against 309 at 512,
 * 1157 against 503 at 1472, 7024 against 1986 at 8972 (Node 20, 2-core lab machine).
 */
const NATIVE_FROM_BYTES = 288;

/** CRC-32 of `bytes[start .. end)`, unsigned; a `Crc32` by whichever of the two is faster for the length. PROTOCOL §2.6 */
export function fastCrc32(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < NATIVE_FROM_BYTES) return pureCrc32(bytes, start, end);
  return zlibCrc32(bytes.subarray(start, end));
}
