/** CRC-32 of `bytes[start .. end)`, unsigned: polynomial 0x04C11DB7, reflected, as in IEEE 802.3 and zlib. */
export type Crc32 = (bytes: Uint8Array, start: number, end: number) => number;

/** 0x04C11DB7 with its bits reversed. IEEE 802.3 */
const POLYNOMIAL = 0xedb88320;
/** Bytes that one step of the long loop takes. */
const SLICES = 8;

/** Eight tables of 256; signed, since V8 keeps int32 in registers where uint32 above 2^31 would become doubles. */
const TABLE = makeTables();

/** By the upper byte of an entry of the first 256, the index of that entry: no two share one. */
const INDEX_OF = makeIndex();

function makeIndex(): Uint8Array {
  const indices = new Uint8Array(256);
  for (let byte = 0; byte < 256; byte++) indices[TABLE[byte] >>> 24] = byte;
  return indices;
}

function makeTables(): Int32Array {
  const tables = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    tables[byte] = crc;
  }
  for (let index = 256; index < tables.length; index++) {
    const previous = tables[index - 256];
    tables[index] = tables[previous & 0xff] ^ (previous >>> 8);
  }
  return tables;
}

/**
 * CRC without Node, "slicing by 8" (Kounavis and Berry, 2005): on Node 20, 17 ns for 15 bytes and 1.2 us for 1472. `zlib.crc32` of a subarray takes 105 ns and
 * 0.49 us, and is faster from 256 bytes.
 */
export function crc32(bytes: Uint8Array, start: number, end: number): number {
  return crc32Bits(bytes, start, end) >>> 0;
}

/** The same 32 bits, signed: V8 puts a returned number above 2^31 on the heap, 16 bytes a call, but not an int32. */
export function crc32Bits(bytes: Uint8Array, start: number, end: number): number {
  let crc = -1;
  let at = start;
  const longEnd = end - SLICES;
  for (; at <= longEnd; at += SLICES) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc =
      TABLE[1792 + (crc & 0xff)] ^
      TABLE[1536 + ((crc >>> 8) & 0xff)] ^
      TABLE[1280 + ((crc >>> 16) & 0xff)] ^
      TABLE[1024 + (crc >>> 24)] ^
      TABLE[768 + bytes[at + 4]] ^
      TABLE[512 + bytes[at + 5]] ^
      TABLE[256 + bytes[at + 6]] ^
      TABLE[bytes[at + 7]];
  }
  for (; at < end; at++) crc = TABLE[(crc ^ bytes[at]) & 0xff] ^ (crc >>> 8);
  return ~crc;
}

/** Removes `bytes[start .. end)` from the end of what `crc` covers: the unsigned CRC of the bytes before them. */
export function crc32Before(crc: number, bytes: Uint8Array, start: number, end: number): number {
  let register = ~crc;
  for (let at = end - 1; at >= start; at--) {
    const index = INDEX_OF[register >>> 24];
    register = ((register ^ TABLE[index]) << 8) | (index ^ bytes[at]);
  }
  return ~register >>> 0;
}
