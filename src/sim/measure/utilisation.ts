import type { PortConfig } from '../../switch/port.js';
import { creditShare } from '../../wire/layout.js';
import type { LinkResult } from '../result.js';

/**
 * Data on the wire over what the link's data share (PROTOCOL §9.1) carries in `spanNs`; 0 on an unlimited link or in no time. Earlier queues and small credits
 * can bring it a little above 1.
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

/** That of a run: the lowest of its bottlenecks, or the highest of all links where it names none. */
export function overallUtilisation(
  links: readonly Pick<LinkResult, 'name' | 'utilisation'>[],
  bottlenecks: readonly string[],
): number {
  const named = links.filter(({ name }) => bottlenecks.includes(name)).map(({ utilisation }) => utilisation);
  return named.length > 0 ? Math.min(...named) : Math.max(0, ...links.map(({ utilisation }) => utilisation));
}
