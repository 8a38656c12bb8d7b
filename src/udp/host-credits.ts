/** What the kernel counts for a datagram beyond its bytes: the sk_buff and its shared info, 256 + 320 bytes on x86-64 Linux. */
const BOOKKEEPING_BYTES = 576;
/** Socket buffer memory is given out in pages. */
const PAGE_BYTES = 4_096;
/** Part of the buffer that data frames may fill; the rest is for frames that need no credit, and for what our estimate misses (ours). */
const SHARE = 0.5;
const LEAST_CREDITS = 8;
/**
 * More are of no use: at 100,000 frames a second, which is what a process does, they stand for 1.3 ms, longer than a round trip on one site. Fewer frames under way stay
 * in the processor's caches (ours).
 */
const MOST_CREDITS = 128;

/**
 * Credits that a host may have outstanding: as many data frames of `frameBytes` as its socket's receive buffer holds while the process is away. The kernel charges
 * a datagram with the memory that it occupies; a full frame of 1472 bytes takes 2,304, one of 8,972 is spread over pages.
 */
export function hostCredits(receiveBufferBytes: number, frameBytes: number): number {
  const occupied = frameBytes + BOOKKEEPING_BYTES;
  const charged =
    occupied <= PAGE_BYTES ? 2 ** Math.ceil(Math.log2(occupied)) : Math.ceil(occupied / PAGE_BYTES) * PAGE_BYTES;
  // The size that the kernel uses is twice the one that it was asked for, just because of this bookkeeping (socket(7)).
  const fitting = Math.floor((2 * receiveBufferBytes * SHARE) / charged);
  return Math.min(Math.max(fitting, LEAST_CREDITS), MOST_CREDITS);
}
