import { gauge, nullable } from '../../base/metric.js';
import { RUN_RESULT, type SimulationResult } from '../../sim/result.js';
import { type Document, documentOf } from '../../telemetry/document.js';

/** What `--json` prints of a run. `wall_s`, the only thing that depends on the machine, stands last. */
export const RUN_DOCUMENT = {
  ...RUN_RESULT,
  wallS: nullable(gauge('s', 'Wall time; null: not measured')),
};

/** `wallS` is null where nobody measured it. */
export function resultJson(result: SimulationResult, wallS: number | null): Document {
  return documentOf(RUN_DOCUMENT, { ...result, wallS });
}
