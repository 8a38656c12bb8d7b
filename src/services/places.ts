import { counter, initialValues, type Values } from '../base/metric.js';

/**
 * Places that one peer may hold for each that is free, as queues share a switch's buffer: A. K. Choudhury and E. L. Hahne, "Dynamic Queue Length Thresholds
 * for Shared-Memory Packet Switches", 1998. Ours: 1.5 leaves two fifths of the places to others, and a perf test of 512 flows fits into 1,000.
 */
const SHARE_OF_FREE = 1.5;

/** Between the opening of a stream and its whole header (ours: twice the connect timeout, in which a header gets through a path that loses half its frames). */
export const DEFAULT_HEADER_TIMEOUT_MS = 10_000;

/** What became of streams that peers opened and that no service has taken. */
export const OPENING_METRICS = {
  refusedFull: counter('streams', 'Streams refused because all places were taken'),
  refusedShare: counter('streams', 'Streams refused because their peer held its share of the places'),
  lateHeaders: counter('streams', 'Streams reset because their header did not come in time'),
  evicted: counter('streams', 'Streams without a header that made room for another peer'),
};

export type OpeningCounters = Values<typeof OPENING_METRICS>;

export interface PlacesOptions<T> {
  readonly most: number;
  /** Infinity where somebody else gives late ones up. */
  readonly headerTimeoutMs: number;
  /** Places for each free one; SHARE_OF_FREE by default, Infinity where all streams come from one peer. */
  readonly shareOfFree?: number;
  /** A stream without a header is given up; it has no place any more. */
  giveUp(stream: T, why: 'late' | 'evicted'): void;
}

interface Place {
  readonly peer: string;
  readonly openedMs: number;
}

/**
 * Places for the streams that peers open, so that no peer can keep others out: a peer holds a share at most, which shrinks as places get short; streams
 * whose header does not come are given up, the oldest at once when there is no place for a peer that has none.
 */
export class Places<T> {
  readonly counters: OpeningCounters = initialValues(OPENING_METRICS);
  private readonly options: PlacesOptions<T>;
  private readonly places = new Map<T, Place>();
  /** By peer. */
  private readonly counts = new Map<string, number>();
  /** Without a header, the oldest first. */
  private readonly halfOpen = new Set<T>();
  private timer: NodeJS.Timeout | null = null;

  constructor(options: PlacesOptions<T>) {
    this.options = options;
  }

  get size(): number {
    return this.places.size;
  }

  get streams(): Iterable<T> {
    return this.places.keys();
  }

  /** Whether there is a place for another stream of this peer; a half-open one of somebody else may go for it. */
  makeRoom(peer: string): boolean {
    const free = this.options.most - this.places.size;
    const held = this.counts.get(peer) ?? 0;
    if (free > 0 && held < (this.options.shareOfFree ?? SHARE_OF_FREE) * free) return true;
    const [oldest] = this.halfOpen;
    if (held === 0 && oldest !== undefined) {
      this.counters.evicted++;
      this.giveUp(oldest, 'evicted');
      return true;
    }
    if (free > 0) this.counters.refusedShare++;
    else this.counters.refusedFull++;
    return false;
  }

  /** A stream without a header, for which there is room. */
  take(stream: T, peer: string): void {
    this.places.set(stream, { peer, openedMs: performance.now() });
    this.counts.set(peer, (this.counts.get(peer) ?? 0) + 1);
    this.halfOpen.add(stream);
    this.wake();
  }

  /** Its header has come, or it never will: the stream is not given up any more. */
  settle(stream: T): void {
    this.halfOpen.delete(stream);
  }

  /** The stream is closed. May be called again. */
  leave(stream: T): void {
    const place = this.places.get(stream);
    if (place === undefined) return;
    this.places.delete(stream);
    this.halfOpen.delete(stream);
    const left = (this.counts.get(place.peer) ?? 1) - 1;
    if (left === 0) this.counts.delete(place.peer);
    else this.counts.set(place.peer, left);
  }

  private giveUp(stream: T, why: 'late' | 'evicted'): void {
    this.leave(stream);
    this.options.giveUp(stream, why);
  }

  /** One timer for all: the oldest is the first that is late. */
  private wake(): void {
    const [oldest] = this.halfOpen;
    const { headerTimeoutMs } = this.options;
    if (this.timer !== null || oldest === undefined || headerTimeoutMs === Number.POSITIVE_INFINITY) return;
    const leftMs = (this.places.get(oldest) as Place).openedMs + headerTimeoutMs - performance.now();
    this.timer = setTimeout(this.giveUpLate, Math.max(1, Math.ceil(leftMs))).unref();
  }

  private readonly giveUpLate = (): void => {
    this.timer = null;
    const openedBeforeMs = performance.now() - this.options.headerTimeoutMs;
    for (const stream of this.halfOpen) {
      if ((this.places.get(stream) as Place).openedMs > openedBeforeMs) break;
      this.counters.lateHeaders++;
      this.giveUp(stream, 'late');
    }
    this.wake();
  };
}

/** The host of a peer, without its port: all ports of one host share. */
export function hostOf(peerName: string): string {
  return peerName.replace(/:\d+$/, '');
}
