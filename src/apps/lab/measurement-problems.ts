// Tested by test/apps/lab/lab-result.test.ts
import type { FlowPlan } from '../../sim/traffic/plan-flows.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';
import type { LabMeasurements } from './lab-run.js';

/** Late starts of the measured time that still do not show in a result (ours): a hundredth of a short run. */
const MOST_LATE_NS = 50e6;

/** Sentences about what the machine did to the result. Throws a Failure where bytes arrived that had not been sent: then there is no result. */
export function measurementProblems(flows: readonly FlowPlan[], measured: LabMeasurements): string[] {
  checkBytes(flows, measured);
  return [...droppedByKernel(measured), ...latePlan(flows, measured)];
}

function checkBytes(flows: readonly FlowPlan[], { reports }: LabMeasurements): void {
  const plans = new Map(flows.map((plan) => [plan.id, plan]));
  const sent = reports.flatMap(({ hostId, sent }) =>
    sent.map((flow) => [`${hostId}:${flow.flowId}`, flow.id] as const),
  );
  const ids = new Map<string, number>(sent);
  for (const { from, flowId, wrongAtByte } of reports.flatMap(({ received }) => received)) {
    if (wrongAtByte === null) continue;
    const id = ids.get(`${from}:${flowId}`);
    const to = plans.get(id ?? -1)?.to;
    throw new Failure(
      ExitCode.failed,
      `flow ${id} from host ${from} to host ${to} delivered other bytes than were sent, at byte ${wrongAtByte} or soon after`,
    );
  }
}

function droppedByKernel({ reports, switchDrops }: LabMeasurements): string[] {
  const drops = [switchDrops, ...reports.map(({ kernelDrops }) => kernelDrops)].filter((count) => count !== null);
  if (drops.length <= reports.length) {
    return ['this system does not tell which datagrams its kernel dropped; they are in no count of a link'];
  }
  const dropped = drops.reduce((sum, count) => sum + count, 0);
  if (dropped === 0) return [];
  return [
    `the kernel dropped ${dropped} datagrams that a process was too late to read; they are in no count of a link`,
  ];
}

/** Processes that wake late start flows late. */
function latePlan(flows: readonly FlowPlan[], { reports }: LabMeasurements): string[] {
  const planned = new Map(flows.map(({ id, startNs }) => [id, startNs]));
  const late = reports.flatMap(({ sent }) => sent.map(({ id, startNs }) => startNs - (planned.get(id) ?? startNs)));
  const latestNs = late.reduce((most, each) => Math.max(most, each), 0);
  if (latestNs < MOST_LATE_NS) return [];
  return [`a flow started ${Math.round(latestNs / 1e6)} ms late: the machine is busy with other things`];
}
