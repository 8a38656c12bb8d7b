// Tested by test/loopback/playground.test.ts
/** The simulator of the playground, for a worker: plays one scenario and posts what it has sampled while it plays. */
import { config } from 'zod';
import { ConfigError } from '../../base/config-error.js';
import { failureOf } from '../../base/failure.js';
import { faultMarks } from '../../report/fault-marks.js';
import { resultJson } from '../../report/output/result-json.js';
import { needsFirstRun, sampled } from '../../report/output/samples.js';
import { ScenarioText } from '../../scenario/scenario-text.js';
import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { simulate } from '../../sim/simulate.js';
import { planFlows } from '../../sim/traffic/plan-flows.js';
import { chancesOf, largestFrameBytes } from '../../sim/world.js';
import type { Checked, PlayAnswer, PlayEvent, PlayFailure, PlayRequest } from './messages.js';

/** Between two looks of a reader who sees it move (ours): each costs the simulator a copy, and its page a drawing beside it. */
const POST_MS = 120;
/** Steps of a first run between two looks at the clock (ours): some tens of milliseconds. */
const STEPS_PER_LOOK = 65_536;

/** Played in silence (ours, docs/decisions/0033-site.md): by then V8 has compiled what each frame meets. */
const WARM_UP_MS = 400;
/** Steps of that between two looks at the clock (ours): about a millisecond. */
const STEPS_PER_CLOCK = 1024;

// The page's policy allows no code that is made of text.
config({ jitless: true });

addEventListener('message', ({ data }: MessageEvent<PlayRequest>) => void answer(data));

async function answer(request: PlayRequest): Promise<void> {
  const post: Post = (event) => postMessage({ number: request.number, event } satisfies PlayAnswer);
  try {
    const scenario = await scenarioOf(request);
    if (request.kind === 'play') play(scenario, post);
    else if (request.kind === 'warm') warmUp(scenario);
    else post(check(scenario));
  } catch (error) {
    // What cannot be played is told when it is played.
    if (request.kind !== 'warm') post(failure(error));
  }
}

type Post = (event: PlayEvent) => void;

function check({ traffic, seed, topology }: Scenario): Checked {
  const flows = planFlows(traffic, chancesOf(seed).traffic, largestFrameBytes(topology)).length;
  return { kind: 'checked', flows, hosts: topology.hosts.length, links: topology.links.map(({ name }) => name) };
}

function scenarioOf({ path, source }: PlayRequest): Promise<Scenario> {
  const name = path.replace(/(?<=.)\.[^.]*$/, '');
  return ScenarioText.parse({ path, name, source }, refuseTable).then((text) => text.scenario());
}

async function refuseTable(file: string, where: string): Promise<never> {
  throw new ConfigError(`${where}: a browser reads no file '${file}'; allowed here: workload or points`);
}

function play(scenario: Scenario, post: Post): void {
  const startMs = performance.now();
  const played = needsFirstRun(scenario) ? sampled(scenario, firstRun(scenario, post).result) : sampled(scenario);
  const { durationNs, jainWindowsNs } = played;
  post({ kind: 'begun', durationNs, jainWindowsNs, faults: faultMarks(scenario.faults) });
  const begunMs = performance.now();
  let postedMs = Number.NEGATIVE_INFINITY;
  const run = simulate(played, {
    onSample: (nowNs, series) => {
      const ms = performance.now();
      if (ms < postedMs + POST_MS) return;
      postedMs = ms;
      post({ kind: 'part', nowNs, wallMs: ms - begunMs, series: series() });
    },
  });
  const endMs = performance.now();
  const json = JSON.stringify(resultJson(run.result, (endMs - startMs) / 1000));
  post({ kind: 'whole', wallMs: endMs - begunMs, run, json });
}

function firstRun(scenario: Scenario, post: Post): SimulationRun {
  let steps = 0;
  return simulate(scenario, {
    onStep: ({ network: { nowNs } }) => {
      if (++steps % STEPS_PER_LOOK === 0) post({ kind: 'first', nowNs });
    },
  });
}

/** As it will be played, with samples where their times are known. */
function warmUp(scenario: Scenario): void {
  const endMs = performance.now() + WARM_UP_MS;
  let steps = 0;
  simulate(needsFirstRun(scenario) ? scenario : sampled(scenario), {
    onStep: ({ network }) => {
      if (++steps % STEPS_PER_CLOCK === 0 && performance.now() >= endMs) network.stop();
    },
  });
}

/** A mistake of the scenario's author, with its line where the sentence names it, or a bug of ours. */
function failure(error: unknown): PlayFailure {
  const known = failureOf(error);
  const message = known?.message ?? (error instanceof Error ? (error.stack ?? error.message) : String(error));
  const line = /, line (\d+)/.exec(known?.message ?? '')?.[1];
  return { kind: 'failure', message, line: line === undefined ? null : Number(line) };
}
