import { creditShare, Data, DEFAULT_FRAME_BYTES, wireBytes } from '../../../wire/layout.js';

/** Bytes of a full data frame that are the application's. */
export const PAYLOAD_BYTES = DEFAULT_FRAME_BYTES - Data.overheadBytes;

/** What the data share of a link carries for applications: full frames, and nothing but credits beside them. */
export function payloadBps(linkBps: number): number {
  return dataBps(linkBps) * (PAYLOAD_BYTES / wireBytes(DEFAULT_FRAME_BYTES));
}

/** The data share of a link, in wire bits. */
export function dataBps(linkBps: number): number {
  return linkBps * (1 - creditShare(DEFAULT_FRAME_BYTES));
}

/** Wire rate of the full frames that carry this payload: what the papers count. */
export function wireBps(goodputBps: number): number {
  return goodputBps * (wireBytes(DEFAULT_FRAME_BYTES) / PAYLOAD_BYTES);
}
