// Tested by test/apps/fuzz/judge-networks.test.ts

import { displayCount, displayDuration, displayRate } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, usageFailure } from '../../base/failure.js';
import { algorithmFields, checkAlgorithms } from '../../core/algorithms.js';
import { type Column, tableLines } from '../../report/table.js';
import { LiveRegion, progressBar } from '../../report/terminal.js';
import { type RunOutcome, runAll } from '../../scenario/play/run-all.js';
import { type JudgedFlow, judge, lateLeavers } from '../../sim/judge/judge.js';
import { withEndpoints } from '../../sim/judge/network-scenario.js';
import { randomNetwork } from '../../sim/judge/random-network.js';
import { quantile } from '../../sim/measure/quantile.js';
import type { Scenario } from '../../sim/scenario.js';
import type { Invocation } from '../shared/command.js';
import type { FUZZ_OPTIONS } from './options.js';

type JudgeInvocation = Pick<Invocation<typeof FUZZ_OPTIONS>, 'options' | 'results' | 'terminal' | 'onInterrupt'>;

const USUAL_SEED = 1;
const USUAL_NETWORKS = 250;
const WORST = 20;
const BAR_WIDTH = 30;

/** What came of all networks. */
interface Verdict {
  readonly flows: JudgedFlow[];
  readonly scenarios: ReadonlyMap<number, Scenario>;
  lateLeavers: number;
  events: number;
  /** Of the runs, one after another. */
  runS: number;
}

/** Plays random networks with one algorithm and prints the distribution of the parts of their max-min shares that flows have, and the worst of them. */
export async function judgeNetworks(algorithm: string, invocation: JudgeInvocation): Promise<ExitCode> {
  const { options, results } = invocation;
  const { seed = USUAL_SEED, seeds = USUAL_NETWORKS, set, json } = options;
  const endpoint = algorithmFields(algorithm, constantsOf(set));
  checkAlgorithms(endpoint);
  const scenarios = Array.from({ length: seeds }, (_, at) =>
    withEndpoints(randomNetwork(seed + at).scenario, endpoint),
  );
  const startMs = performance.now();
  const verdict = await play(scenarios, invocation);
  const wallS = (performance.now() - startMs) / 1e3;
  verdict.flows.sort((one, other) => one.part - other.part);
  const what = `${algorithm}, networks ${seed} to ${seed + seeds - 1}`;
  if (json) results.json(jsonOf(algorithm, verdict, wallS));
  else for (const line of [...summaryLines(what, verdict, wallS), '', ...worstLines(verdict)]) results.line(line);
  return ExitCode.done;
}

async function play(scenarios: readonly Scenario[], invocation: JudgeInvocation): Promise<Verdict> {
  const { options, terminal, onInterrupt } = invocation;
  const bySeed = new Map(scenarios.map((scenario) => [scenario.seed, scenario]));
  const verdict: Verdict = { flows: [], scenarios: bySeed, lateLeavers: 0, events: 0, runS: 0 };
  const region = new LiveRegion(terminal);
  const abort = new AbortController();
  const release = onInterrupt(() => abort.abort());
  try {
    await runAll(scenarios, {
      jobs: options.jobs,
      signal: abort.signal,
      onOutcome: (outcome) => take(verdict, outcome),
      onProgress: ({ part }) => {
        if (region.isLive) region.draw([`${progressBar(part, BAR_WIDTH)} of ${scenarios.length} networks`]);
      },
    });
  } finally {
    region.clear();
    release();
  }
  if (abort.signal.aborted) throw new Failure(ExitCode.failed, 'interrupted before all networks were played');
  return verdict;
}

function take(verdict: Verdict, { scenario, run, error, wallS }: RunOutcome): void {
  if (run === null) throw new Failure(ExitCode.failed, `network ${scenario.seed}: ${error?.stack || error?.message}`);
  verdict.flows.push(...judge(scenario, run.result));
  verdict.lateLeavers += lateLeavers(scenario, run.result);
  verdict.events += run.result.events;
  verdict.runS += wallS;
}

function constantsOf(texts: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    texts.map((text) => {
      const [name, value] = text.split('=', 2);
      if (value === undefined || value === '' || !Number.isFinite(Number(value)))
        throw usageFailure(`--set is '${text}'; allowed: NAME=VALUE, a constant of the algorithm and a number`);
      return [name, Number(value)];
    }),
  );
}

const PARTS = [
  ['median', 0.5],
  ['5th percentile', 0.05],
  ['1st percentile', 0.01],
  ['worst', 0],
] as const;

function summaryLines(what: string, { flows, lateLeavers, events, runS }: Verdict, wallS: number): string[] {
  const sorted = Float64Array.from(flows, ({ part }) => part);
  const parts = PARTS.map(([name, part]) => `${name} ${quantile(sorted, part).toFixed(3)}`);
  return [
    `${what}: ${parts.join(', ')} of ${flows.length} flows`,
    `${lateLeavers} flows left late; ${displayCount(events)} events in ${displayDuration(runS * 1e9)} of runs, ${displayDuration(wallS * 1e9)} in all`,
  ];
}

const COLUMNS: readonly Column[] = [
  { title: 'seed', align: 'right' },
  { title: 'flow', align: 'right' },
  { title: 'group' },
  { title: 'part', align: 'right' },
  { title: 'share', align: 'right' },
  { title: 'rate', align: 'right' },
  { title: 'path: rate, delay and loss of each link, from the sender' },
];

function worstLines({ flows, scenarios }: Verdict): string[] {
  const rows = flows.slice(0, WORST).map((flow) => {
    const { seed, id, group, part, shareBps, rateBps } = flow;
    const path = pathText(scenarios.get(seed) as Scenario, flow);
    return [String(seed), String(id), group, part.toFixed(3), displayRate(shareBps), displayRate(rateBps), path];
  });
  return tableLines(COLUMNS, rows);
}

function pathText({ topology }: Scenario, { path }: JudgedFlow): string {
  const links = path.map(({ link, forward }) => {
    const { a, b, port, impairment } = topology.links[link];
    const { lossRate = 0 } = impairment;
    const loss = lossRate > 0 ? ` ${(100 * lossRate).toFixed(1)}%` : '';
    return `${forward ? `${a}->${b}` : `${b}->${a}`} ${displayRate(port.rateBps)} ${displayDuration(port.delayNs)}${loss}`;
  });
  return links.join('; ');
}

function jsonOf(algorithm: string, { flows, lateLeavers, events }: Verdict, wallS: number): object {
  return {
    algorithm,
    flows: flows.map(({ seed, id, group, part, shareBps, rateBps }) => ({
      seed,
      flow: id,
      group,
      part,
      share_bps: shareBps,
      rate_bps: rateBps,
    })),
    late_leavers: lateLeavers,
    events,
    wall_s: wallS,
  };
}
