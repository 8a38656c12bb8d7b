// Tested by test/apps/perf/report.test.ts
import { displayCount } from '../base/display.js';

/** Warning for data lost while the link has no rate; null when none was lost. Without a rate nothing meters credits, and data overflows a queue. */
export function unlimitedLossWarning(lostFrames: number): string | null {
  if (lostFrames === 0) return null;
  const frames = lostFrames === 1 ? '1 data frame was' : `${displayCount(lostFrames)} data frames were`;
  return `${frames} lost, and the rate is unlimited: where the path is slower than the hosts, give both its rate, as --rate 100mbit`;
}
