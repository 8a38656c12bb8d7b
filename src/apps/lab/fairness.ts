import { jainIndex } from '../../sim/measure/jain.js';
import type { WindowCounts } from './window-counts.js';

/** When a flow was there, and what it delivered in each window. */
export interface CountedFlow {
  readonly startNs: number;
  /** When it was over; NEVER: it was not. */
  readonly overNs: number;
  readonly counts: WindowCounts | undefined;
}

/**
 * Jain's index over windows of one length that follow each other from `fromNs` on, averaged over those in which two flows or more lasted from beginning to end, as the
 * simulator has it; null without any.
 */
export function meanJain(
  flows: readonly CountedFlow[],
  windowNs: number,
  { fromNs, endNs }: { fromNs: number; endNs: number },
): number | null {
  const indices: number[] = [];
  for (let window = 0; fromNs + (window + 1) * windowNs <= endNs; window++) {
    const startNs = fromNs + window * windowNs;
    const lasting = flows.filter((flow) => flow.startNs <= startNs && flow.overNs > startNs + windowNs);
    const index = lasting.length < 2 ? Number.NaN : jainIndex(lasting.map((flow) => bytesIn(flow, window)));
    // A window in which nothing arrived anywhere says nothing about shares.
    if (!Number.isNaN(index)) indices.push(index);
  }
  return indices.length === 0 ? null : indices.reduce((sum, index) => sum + index, 0) / indices.length;
}

function bytesIn({ counts }: CountedFlow, window: number): number {
  return counts?.bytes[window - counts.first] ?? 0;
}
