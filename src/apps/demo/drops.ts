import type { DirectionSnapshot } from '../../switch/link-direction.js';

/** Frames that ports dropped, by what it means. */
export interface DropCounts {
  /** Credits that the meter dropped: how it tells the receivers' rates. */
  readonly credits: number;
  /** Data dropped by a full queue, speculative data by less than that. */
  readonly data: number;
  /** Frames of any kind lost on the link, by its impairments. */
  readonly lost: number;
  /** Everything else; nothing of that kind is expected here. */
  readonly other: number;
}

/** Of one port. */
export function dropCounts({ drops }: Pick<DirectionSnapshot, 'drops'>): DropCounts {
  const { creditQueueFull = 0, lowCreditQueueFull = 0, dataQueueFull = 0, speculative = 0, ...rest } = drops;
  const { lost = 0, burstLost = 0, corrupted = 0, down = 0, mtu = 0, ...others } = rest;
  // What a port to a host that has left drops is the last ACK to it.
  const { notAttached: _, ...unexpected } = others;
  return {
    credits: creditQueueFull + lowCreditQueueFull,
    data: dataQueueFull + speculative,
    lost: lost + burstLost + corrupted + down + mtu,
    other: Object.values(unexpected).reduce((sum, count) => sum + count, 0),
  };
}

/** Of several. */
export function addDrops(all: readonly DropCounts[]): DropCounts {
  const sum = (count: (drops: DropCounts) => number): number => all.reduce((total, drops) => total + count(drops), 0);
  return {
    credits: sum(({ credits }) => credits),
    data: sum(({ data }) => data),
    lost: sum(({ lost }) => lost),
    other: sum(({ other }) => other),
  };
}
