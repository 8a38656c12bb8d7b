// Tested by test/apps/figures/catalogue/shuffle.test.ts
import { cdfSeries } from '../../shared/plot/cdf.js';
import type { FigureChart } from '../figure.js';

/** Completion times of several runs as the shares of flows that had ended by then; `timesS` in seconds. The only drawing of its figure. */
export function completionCdf(names: readonly string[], timesS: (name: string) => ArrayLike<number>): FigureChart {
  return {
    key: '',
    chart: {
      kind: 'lines',
      x: { name: 'completion time (s)' },
      y: { name: 'share of the flows', max: 1 },
      series: names.map((name) => cdfSeries(name, timesS(name))),
    },
  };
}
