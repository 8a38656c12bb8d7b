// Tested by test/apps/perf/report.test.ts

import { displayCount } from './display.js';

/** What a host whose link has no rate says of data that was lost; null when none was. Without a rate nothing meters credits, so data overflows the path's narrowest queue. */
export function unlimitedLossWarning(lostFrames: number): string | null {
  if (lostFrames === 0) return null;
  const frames = lostFrames === 1 ? '1 data frame was' : `${displayCount(lostFrames)} data frames were`;
  return `${frames} lost, and the rate is unlimited: where the path is slower than the hosts, give both its rate, as --rate 100mbit`;
}
