// Tested by test/loopback/lab.test.ts

import { setTimeout as sleep } from 'node:timers/promises';
import { MILLISECOND_NS } from '../../base/time.js';
import type { Scenario } from '../../sim/scenario.js';
import type { FlowPlan } from '../../sim/traffic/plan-flows.js';
import type { Address } from '../../udp/address.js';
import { Roster } from '../shared/roster.js';
import { takingPart } from './feasibility.js';
import { LabProcesses } from './lab-processes.js';
import type { LabPhase } from './lab-progress.js';
import { type LabMeasurements, LabRun } from './lab-run.js';
import { planRehearsal } from './rehearsal.js';

/** What is under way when a rehearsal ends has arrived by then (ours). */
const REST_MS = 300;

export interface PlayOptions {
  readonly scenario: Scenario;
  readonly flows: readonly FlowPlan[];
  /** Where the switch listens; port 0 lets the system choose. */
  readonly listen: Address;
  /** How long all hosts send to nowhere before the run. */
  readonly rehearsalNs: number;
  /** Rejects to end the lab early. */
  readonly interrupted: Promise<never>;
  /** What the lab does now, and how far the run is, ns. */
  onPhase(phase: LabPhase, run: { readonly nowNs: number } | null): void;
}

/**
 * Starts the processes of a lab, rehearses, plays the run and ends them again, however it goes. Throws a Failure when a process is lost, and what `interrupted`
 * rejects with.
 */
export async function playLab(options: PlayOptions): Promise<LabMeasurements> {
  const { scenario, flows, listen, interrupted } = options;
  const roster = new Roster();
  let run: LabRun | null = null;
  const processes = await LabProcesses.create({
    scenario,
    hostIds: takingPart(scenario, flows),
    listen,
    roster,
    onFlowEnded: (id) => run?.onFlowEnded(id),
  });
  run = new LabRun({ scenario, flows, processes, onFailed: (error) => roster.lose(error) });
  const played = playSteps(options, processes, run);
  // Where something else ends the lab, what this waits for will not come.
  played.catch(() => {});
  try {
    return await Promise.race([roster.unlessLost(played), interrupted]);
  } finally {
    await processes.stop();
  }
}

async function playSteps(
  { flows, rehearsalNs, onPhase }: PlayOptions,
  processes: LabProcesses,
  run: LabRun,
): Promise<LabMeasurements> {
  onPhase('starting', null);
  await processes.start();
  onPhase('rehearsing', null);
  for (const [from, to] of planRehearsal(flows)) processes.host(from)?.rehearse(to);
  await sleep(rehearsalNs / MILLISECOND_NS);
  for (const [, host] of processes.attachedHosts) host.rest();
  await sleep(REST_MS);
  onPhase('running', run);
  return run.play();
}
