import type { PortConfig } from '../../switch/port.js';
import { creditShare } from '../../wire/layout.js';

/**
 * Data on the wire as a part of what the link's data share (PROTOCOL §9.1) carries in `spanNs`: 1 when data fills all that credits leave. Data that queued
 * before the span, and credits smaller than the mean, can bring it a little above 1. 0 on an unlimited link and in no time.
 */
export function dataUtilisation(
  dataWireBytes: number,
  spanNs: number,
  { rateBps, maxFrameBytes }: Pick<PortConfig, 'rateBps' | 'maxFrameBytes'>,
): number {
  if (spanNs <= 0) return 0;
  return (dataWireBytes * 8e9) / (spanNs * dataRateBps({ rateBps, maxFrameBytes }));
}

/** What credits leave of a link's rate to data frames, in wire bytes. PROTOCOL §9.1 */
export function dataRateBps({ rateBps, maxFrameBytes }: Pick<PortConfig, 'rateBps' | 'maxFrameBytes'>): number {
  return rateBps * (1 - creditShare(maxFrameBytes));
}
