import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { displayCount, displayDuration } from '../../base/display.js';
import { ExitCode } from '../../base/exit-codes.js';
import { usageFailure } from '../../base/failure.js';
import { prepareDirectory } from '../../report/output/output-file.js';
import { LiveRegion, progressBar } from '../../report/terminal.js';
import { MAX_SEED } from '../../scenario/kinds.js';
import type { Scenario } from '../../sim/scenario.js';
import type { Invocation } from '../shared/command.js';
import { codeVersion } from './code-version.js';
import { type FuzzTotals, fuzzAll, type SeedFinding } from './fuzz-all.js';
import { judgeNetworks } from './judge-networks.js';
import type { FUZZ_OPTIONS } from './options.js';
import { tryWorld, type WorldKind } from './try-world.js';

/** JSON has no word for it. */
const INFINITE = 'Infinity';
const FORMAT = 'xpass-fuzz-1';

/** A scenario to the last bit, as text that people can read and change. */
export function scenarioToJson(scenario: Scenario): string {
  const spell = (_: string, value: unknown) => (value === Number.POSITIVE_INFINITY ? INFINITE : value);
  return `${JSON.stringify({ format: FORMAT, scenario }, spell, 2)}\n`;
}

/** What `scenarioToJson` wrote. Throws a usage Failure for anything else. */
export function scenarioFromJson(text: string, name: string): Scenario {
  const read = (_: string, value: unknown) => (value === INFINITE ? Number.POSITIVE_INFINITY : value);
  let document: { format?: unknown; scenario?: Scenario };
  try {
    document = JSON.parse(text, read) as typeof document;
  } catch (error) {
    throw usageFailure(`'${name}' is not JSON: ${(error as Error).message}`);
  }
  if (document?.format === FORMAT && document.scenario !== undefined) return document.scenario;
  throw usageFailure(`'${name}' is not a world of this command; allowed: a file with the format ${FORMAT}`);
}

/** The result of a run. */
export interface FuzzReport extends FuzzTotals {
  readonly firstSeed: number;
  readonly kind: WorldKind;
  /** What played them. */
  readonly code: string;
  readonly wallS: number;
  /** Where the smallest worlds were written, by seed. */
  readonly files: ReadonlyMap<number, string>;
}

export function reportJson(report: FuzzReport): object {
  const { worlds, firstSeed, kind, code, simulatedNs, events, wallS, findings, files } = report;
  return {
    seeds: worlds,
    first_seed: firstSeed,
    frames: kind.frames,
    code,
    findings: findings.map(({ seed, finding }) => ({
      seed,
      check: finding.check,
      sentence: finding.sentence,
      at_s: finding.atNs / 1e9,
      file: files.get(seed) ?? null,
      replay: replayCommand(seed, kind),
    })),
    simulated_s: simulatedNs / 1e9,
    events,
    wall_s: wallS,
    seeds_per_s: worlds / wallS,
  };
}

export function summaryLine({ worlds, firstSeed, code, simulatedNs, events, wallS, findings }: FuzzReport): string {
  const failed = findings.length === 0 ? 'none broke' : `${findings.length} broke`;
  const seeds = `seeds ${firstSeed} to ${firstSeed + worlds - 1}`;
  const hours = (simulatedNs / 3.6e12).toFixed(2);
  const speed = `${displayCount(worlds / wallS)} seeds/s, ${displayCount(events / wallS)} events/s`;
  return `${worlds} worlds (${seeds}, ${code}), ${failed}: ${hours} simulated hours in ${displayDuration(wallS * 1e9)}, ${speed}`;
}

/** What there is to know of a world that broke. */
export function findingLines(
  { seed, finding }: SeedFinding,
  { kind, code }: Pick<FuzzReport, 'kind' | 'code'>,
  file: string | undefined,
): string[] {
  const lines = [
    `seed ${seed}: ${finding.sentence} (${finding.check}, at ${displayDuration(finding.atNs)})`,
    `  again, with ${code}: ${replayCommand(seed, kind)}`,
  ];
  if (file !== undefined) lines.push(`  smallest: xpass fuzz --replay ${file}`);
  return lines;
}

function replayCommand(seed: number, { frames, hostile = false, seconds = 0 }: WorldKind): string {
  const longer = seconds > 0 ? `--seconds ${seconds} ` : '';
  return `xpass fuzz ${hostile ? '--hostile ' : ''}${longer}--seed ${seed} --frames ${frames}`;
}

type FuzzInvocation = Invocation<typeof FUZZ_OPTIONS>;

const USUAL_SEEDS = 300;
const BAR_WIDTH = 30;
/** Where there is no terminal, a line of a log comes as often (ours). */
const LINE_MS = 10_000;

/** Plays random worlds, or the one of a file. Status 1 if one of them broke. */
export async function runFuzz(invocation: FuzzInvocation): Promise<ExitCode> {
  const { replay, judge, seconds, hostile } = invocation.options;
  if (seconds > 0 && !hostile) throw usageFailure('--seconds is for how long hosts lie: give --hostile too');
  if (judge !== undefined) return judgeNetworks(judge, invocation);
  return replay === undefined ? new FuzzRun(invocation).run() : replayFile(replay, invocation);
}

async function replayFile(path: string, { options, results }: FuzzInvocation): Promise<ExitCode> {
  const scenario = scenarioFromJson(await readFile(path, 'utf8'), path);
  const { trial } = tryWorld({ seed: scenario.seed, frames: options.frames, scenario, minimise: false });
  if (options.json) results.json(trial);
  else results.line(trial.finding === null ? 'nothing broke' : trial.finding.stack);
  return trial.finding === null ? ExitCode.done : ExitCode.failed;
}

class FuzzRun {
  private readonly invocation: FuzzInvocation;
  private readonly firstSeed: number;
  private readonly count: number;
  private readonly kind: WorldKind;
  private readonly code = codeVersion();
  private readonly region: LiveRegion;
  private readonly files = new Map<number, string>();
  private readonly startMs = performance.now();
  private lineMs = this.startMs;

  constructor(invocation: FuzzInvocation) {
    const { seed, seeds, frames, hostile, seconds } = invocation.options;
    this.kind = { frames, hostile, seconds };
    this.invocation = invocation;
    this.firstSeed = seed ?? Math.floor(Math.random() * MAX_SEED);
    this.count = seeds ?? (seed === undefined ? USUAL_SEEDS : 1);
    this.region = new LiveRegion(invocation.terminal);
  }

  async run(): Promise<ExitCode> {
    const { options, onInterrupt, results } = this.invocation;
    const { firstSeed, count, kind, code, files } = this;
    const abort = new AbortController();
    const release = onInterrupt(() => abort.abort());
    try {
      const totals = await fuzzAll({
        firstSeed,
        count,
        kind,
        jobs: options.jobs,
        signal: abort.signal,
        onProgress: (sofar) => this.draw(sofar),
        onFinding: (found) => this.tell(found),
      });
      const wallS = (performance.now() - this.startMs) / 1e3;
      const report = { ...totals, firstSeed, kind, code, wallS, files };
      this.region.clear();
      if (options.json) results.json(reportJson(report));
      else results.line(summaryLine(report));
      return totals.findings.length === 0 && totals.worlds === count ? ExitCode.done : ExitCode.failed;
    } finally {
      release();
    }
  }

  private async tell(found: SeedFinding): Promise<void> {
    const { kind, code } = this;
    if (found.smallest !== null)
      this.files.set(found.seed, await this.write(found.seed, scenarioToJson(found.smallest)));
    const lines = findingLines(found, { kind, code }, this.files.get(found.seed));
    for (const line of lines) this.region.print(line);
  }

  private async write(seed: number, text: string): Promise<string> {
    const { out = tmpdir() } = this.invocation.options;
    await prepareDirectory(out, '--out');
    const path = join(out, `xpass-fuzz-${seed}.json`);
    await writeFile(path, text);
    return path;
  }

  private draw({ worlds, findings }: FuzzTotals): void {
    const nowMs = performance.now();
    const part = worlds / this.count;
    const eta = displayDuration(((nowMs - this.startMs) * 1e6 * (1 - part)) / part);
    const line = `${progressBar(part, BAR_WIDTH)}  ${worlds} of ${this.count} worlds, ${findings.length} broke  ETA ${eta}`;
    if (this.region.isLive) this.region.draw([line]);
    else if (nowMs - this.lineMs >= LINE_MS) {
      this.lineMs = nowMs;
      this.region.print(line);
    }
  }
}
