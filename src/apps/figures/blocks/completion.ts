// Tested by test/apps/figures/catalogue.test.ts
import type { SimulationRun, SizeClass } from '../../../sim/result.js';
import type { Quantity } from './comparison.js';

/** Size classes of flows below 1 MB; the last of them has every larger one of the web server's too. */
export const CLASSES = ['S', 'M', 'L', 'XL'] as const satisfies readonly SizeClass[];

/** Mean completion time of a size class, us. */
export function meanTime(size: SizeClass): Quantity {
  return {
    title: `fct_${size.toLowerCase()}_mean_us`,
    digits: 2,
    of: ({ result }: SimulationRun) => {
      const times = result.fct[size];
      return times === undefined ? null : times.meanNs / 1e3;
    },
  };
}

/** Credits that found no data, as a part of those that were sent. */
export const WASTED_SHARE: Quantity = {
  title: 'credits_wasted_share',
  digits: 4,
  of: ({ result }) => creditsOf(result, ({ wasted }) => wasted) / creditsOf(result, ({ sent }) => sent),
};

/** Credits that found no data. */
export const CREDITS_WASTED: Quantity = {
  title: 'credits_wasted',
  digits: 0,
  of: ({ result }) => creditsOf(result, ({ wasted }) => wasted),
};

export const CREDITS_SENT: Quantity = {
  title: 'credits_sent',
  digits: 0,
  of: ({ result }) => creditsOf(result, ({ sent }) => sent),
};

export const UNFINISHED: Quantity = {
  title: 'unfinished',
  digits: 0,
  of: ({ result }) => result.flows.filter(({ fctNs }) => fctNs === null).length,
};

type Result = SimulationRun['result'];

function creditsOf({ flows }: Result, of: (credits: Result['flows'][number]['credits']) => number): number {
  return flows.reduce((sum, { credits }) => sum + of(credits), 0);
}
