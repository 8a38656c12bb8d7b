// Tested by test/loopback/lab.test.ts
// Tested by test/apps/lab/lab-result.test.ts

import { setTimeout as sleep } from 'node:timers/promises';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import { MILLISECOND_NS } from '../../base/time.js';
import { commandLine } from '../../report/output/command-line.js';
import { resultJson } from '../../report/output/result-json.js';
import { resultLines } from '../../report/output/result-lines.js';
import { prepareOutputs, wantsSeries, writeOutputs } from '../../report/output/run-files.js';
import { sampled } from '../../report/output/samples.js';
import { readScenario } from '../../scenario/scenario-file.js';
import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { type FlowPlan, planFlows } from '../../sim/traffic/plan-flows.js';
import { chancesOf } from '../../sim/world.js';
import type { Address } from '../../udp/address.js';
import type { Invocation } from '../shared/command.js';
import { Roster } from '../shared/companion.js';
import type { LiveSource } from '../shared/web/live-feed.js';
import type { LiveServer } from '../shared/web/live-server.js';
import { openWeb } from '../shared/web/web-options.js';
import { checkFeasible, sampledSlowly, takingPart } from './feasibility.js';
import { LabPage } from './lab-page.js';
import { LabProcesses } from './lab-processes.js';
import { type LabPhase, LabProgress } from './lab-progress.js';
import { labRun } from './lab-result.js';
import { type LabMeasurements, LabRun } from './lab-run.js';
import type { LAB_OPTIONS } from './options.js';

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

type LabInvocation = Invocation<typeof LAB_OPTIONS>;

/** Plays a scenario over processes and says what came of it; throws a Failure where bytes did not arrive as they were sent. */
export async function runLab(invocation: LabInvocation): Promise<ExitCode> {
  const { options, positionals, results } = invocation;
  const changes = { sets: options.set, ...(options.seed !== undefined && { seed: options.seed }) };
  const scenario = await readScenario(positionals[0], changes);
  await prepareOutputs(options);
  const startMs = performance.now();
  const samples = wantsSeries(options) ? sampled(scenario) : scenario;
  const run = await play(sampledSlowly(samples), invocation);
  const wallS = (performance.now() - startMs) / 1e3;
  await writeOutputs({ run, scenario, command: commandLine(positionals[0], changes, 'lab') }, options);
  const { bottlenecks } = scenario;
  if (options.json) results.json(resultJson(run.result, wallS));
  else
    for (const line of resultLines(run.result, { wallS, bottlenecks, isReal: true, columnsWide: results.columnsWide }))
      results.line(line);
  return ExitCode.done;
}

async function play(scenario: Scenario, invocation: LabInvocation): Promise<SimulationRun> {
  const { options, logger, terminal, onInterrupt } = invocation;
  const flows = planFlows(scenario.traffic, chancesOf(scenario.seed).traffic);
  for (const warning of checkFeasible(scenario, flows)) logger.warn(warning);
  const interrupted = new Promise<never>((_, reject) => {
    onInterrupt((signal) => reject(new Failure(ExitCode.failed, `interrupted by ${signal}`)));
  });
  const progress = new LabProgress(terminal, scenario);
  const serve = async (source: LiveSource): Promise<LiveServer | null> => {
    const web = await openWeb(options, { source, logger, title: `xpass lab ${scenario.name}` });
    // Standard output is the result's.
    if (web !== null) terminal.write(`live page at ${web.url}\nthe run begins when somebody looks\n`);
    return web;
  };
  try {
    const { listen, rehearsal: rehearsalNs } = options;
    const onPhase = progress.show.bind(progress);
    const measured = await playLab({ scenario, flows, listen, rehearsalNs, interrupted, onPhase, serve });
    for (const problem of measurementProblems(flows, measured)) logger.warn(problem);
    return labRun(scenario, flows, measured);
  } finally {
    progress.clear();
  }
}

/** For each host that sends in a rehearsal: the hosts that it sends to. */
type Rehearsal = ReadonlyMap<number, readonly number[]>;

/** As few flows as it takes for every host to do what it will do: who sends in the plan sends to one host at least, who receives gets something. */
export function planRehearsal(flows: readonly FlowPlan[]): Rehearsal {
  const sending = new Map<number, number[]>();
  const receiving = new Set<number>();
  for (const { from, to } of flows) {
    if (sending.has(from) && receiving.has(to)) continue;
    sending.set(from, [...(sending.get(from) ?? []), to]);
    receiving.add(to);
  }
  return sending;
}

/** What is under way when a rehearsal ends has arrived by then (ours). */
const REST_MS = 300;

interface PlayOptions {
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
  /** Serves the live page; null where none was asked for. */
  serve(source: LiveSource): Promise<LiveServer | null>;
}

/**
 * Starts the processes of a lab, rehearses, plays the run and ends them again, however it goes. Throws a Failure when a process is lost, and what `interrupted`
 * rejects with.
 */
async function playLab(options: PlayOptions): Promise<LabMeasurements> {
  const { scenario, flows, listen, interrupted, serve } = options;
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
  const page = new LabPage(scenario, processes);
  const onPhase: PlayOptions['onPhase'] = (phase, of) => {
    page.phase = phase;
    options.onPhase(phase, of);
  };
  let web: LiveServer | null = null;
  try {
    web = await serve(page);
    const played = playSteps({ ...options, onPhase, looked: web && page.looked }, processes, run);
    // Where something else ends the lab, what this waits for will not come.
    played.catch(() => {});
    return await Promise.race([roster.unlessLost(played), interrupted]);
  } finally {
    await web?.close();
    await processes.stop();
  }
}

/** `looked`: what the run waits for; null for nothing. */
interface StepOptions extends PlayOptions {
  readonly looked: Promise<void> | null;
}

async function playSteps(
  { flows, rehearsalNs, onPhase, looked }: StepOptions,
  processes: LabProcesses,
  run: LabRun,
): Promise<LabMeasurements> {
  onPhase('starting', null);
  await processes.start();
  if (looked !== null) {
    onPhase('waiting', null);
    await looked;
  }
  onPhase('rehearsing', null);
  for (const [from, to] of planRehearsal(flows)) processes.host(from)?.rehearse(to);
  await sleep(rehearsalNs / MILLISECOND_NS);
  for (const [, host] of processes.attachedHosts) host.rest();
  await sleep(REST_MS);
  onPhase('running', run);
  return run.play();
}
