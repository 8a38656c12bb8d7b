import type { Usage } from '../workbench.js';
import { LEAST_SAMPLES, type Trend, trendOf } from './trend.js';

/** What is watched of each process. */
const KINDS = ['heap', 'rss'] as const;
type Kind = (typeof KINDS)[number];

/**
 * Growth over the measurement that counts as a leak, as a part of the mean, at a confidence of 95 % (ours). The heap is measured without garbage.
 * RSS follows garbage, so its tolerance is wider.
 */
const TOLERANCE: Readonly<Record<Kind, number>> = { heap: 0.02, rss: 0.1 };

/** How the memory of one process went. */
export interface MemoryTrend extends Trend {
  readonly role: string;
  readonly kind: Kind;
  readonly firstBytes: number;
  readonly lastBytes: number;
  readonly samples: number;
  readonly grew: boolean;
}

interface Series {
  readonly seconds: number[];
  readonly bytes: Record<Kind, number[]>;
}

/** The memory of several processes over time. A soak has few hundred samples, so all are kept. */
export class MemoryLog {
  private readonly series = new Map<string, Series>();

  /** Each process uses so much, so many seconds after the start. */
  add(seconds: number, usage: ReadonlyMap<string, Pick<Usage, 'heapBytes' | 'rssBytes'>>): void {
    for (const [role, { heapBytes, rssBytes }] of usage) {
      const series = this.series.get(role) ?? { seconds: [], bytes: { heap: [], rss: [] } };
      this.series.set(role, series);
      series.seconds.push(seconds);
      series.bytes.heap.push(heapBytes);
      series.bytes.rss.push(rssBytes);
    }
  }

  /** How each went from `fromSeconds` on; of those with too few samples nothing is said. */
  trends(fromSeconds: number): MemoryTrend[] {
    return [...this.series].flatMap(([role, series]) => {
      const first = series.seconds.findIndex((seconds) => seconds >= fromSeconds);
      const seconds = first < 0 ? [] : series.seconds.slice(first);
      if (seconds.length < LEAST_SAMPLES) return [];
      return KINDS.map((kind) => memoryTrend(role, kind, seconds, series.bytes[kind].slice(first)));
    });
  }
}

function memoryTrend(role: string, kind: Kind, seconds: readonly number[], bytes: readonly number[]): MemoryTrend {
  const trend = trendOf(seconds, bytes);
  const lastsS = seconds[seconds.length - 1] - seconds[0];
  const surelyGrownBytes = (trend.slope - trend.slopeError) * lastsS;
  return {
    role,
    kind,
    ...trend,
    firstBytes: bytes[0],
    lastBytes: bytes[bytes.length - 1],
    samples: bytes.length,
    grew: surelyGrownBytes > TOLERANCE[kind] * trend.mean,
  };
}
