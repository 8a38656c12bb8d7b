// Tested by test/apps/figures/plan.test.ts
import type { Axis, LineChart, LineSeries } from '../../../report/plot/chart.js';

/** Of flows, as most x axes are. */
export const FLOWS_AXIS: Axis = { name: 'flows', scale: 'log2' };

type Frame = Pick<LineChart, 'title' | 'references' | 'widthPx' | 'heightPx'> & { readonly x: Axis | string; readonly y: Axis | string };

/** A chart of lines; an axis that has no more than a name is its name. */
export function lines(frame: Frame, series: readonly LineSeries[]): LineChart {
  return { ...frame, kind: 'lines', x: axis(frame.x), y: axis(frame.y), series };
}

function axis(of: Axis | string): Axis {
  return typeof of === 'string' ? { name: of } : of;
}
