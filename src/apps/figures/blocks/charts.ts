// Tested by test/apps/figures/plan.test.ts
import type { Axis, LineChart, LineSeries } from '../../../report/plot/chart.js';

/** Of flows, as most x axes are. */
export const FLOWS_AXIS: Axis = { name: 'flows', scale: 'log2' };

/** A chart of lines; an axis that has no more than a name is its name. */
export function lines(x: Axis | string, y: Axis | string, series: readonly LineSeries[], more: Partial<LineChart> = {}): LineChart {
  return { kind: 'lines', x: axis(x), y: axis(y), series, ...more };
}

function axis(of: Axis | string): Axis {
  return typeof of === 'string' ? { name: of } : of;
}
