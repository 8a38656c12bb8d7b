/** What the kernel counts for a datagram beyond its bytes: the sk_buff and its shared info, 256 + 320 bytes on x86-64 Linux. */
const BOOKKEEPING_BYTES = 576;
/** Socket buffer memory is given out in pages. */
const PAGE_BYTES = 4_096;
/** Part of the buffer that data frames may fill; the rest is for frames that need no credit, and for what our estimate misses (ours). */
const SHARE = 0.5;
const LEAST_CREDITS = 8;
/**
 * At 100,000 frames a second, which is what a process does, these stand for 3.2 ms, two bursts that each of three processes in a row works on at a time. With 128 the cores were idle for a quarter of the time through a switch: 320 carry 1.1 and 1.3
 * times as much with 16 and 256 flows of 1,472 bytes, and directly 0.94 to 1.06 times (docs/PERF-LOG.md).
 */
const MOST_CREDITS = 320;
/** Frames under way stay in the processor's caches: with 320 of 8,972 bytes two hosts pass 0.92 times as many directly, 1.08 times through a switch, and three pairs of hosts overflow the switch's socket (measured, docs/PERF-LOG.md). */
const MOST_BYTES = 1024 * 1024;

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
  return Math.max(LEAST_CREDITS, Math.min(fitting, MOST_CREDITS, Math.floor(MOST_BYTES / frameBytes)));
}
