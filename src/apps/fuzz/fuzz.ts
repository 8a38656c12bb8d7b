import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Invocation } from '../shared/command.js';
import { displayDuration } from '../shared/display.js';
import { ExitCode } from '../shared/exit-codes.js';
import { prepareDirectory } from '../shared/run-output/output-file.js';
import { MAX_SEED } from '../shared/scenario/kinds.js';
import { LiveRegion, progressBar } from '../shared/terminal.js';
import { type FuzzTotals, fuzzAll, type SeedFinding } from './fuzz-all.js';
import { judgeNetworks } from './judge-networks.js';
import type { FUZZ_OPTIONS } from './options.js';
import { findingLines, reportJson, summaryLine } from './report.js';
import { scenarioFromJson, scenarioToJson } from './scenario-json.js';
import { tryWorld } from './try-world.js';

type FuzzInvocation = Invocation<typeof FUZZ_OPTIONS>;

const USUAL_SEEDS = 300;
const BAR_WIDTH = 30;
/** Where there is no terminal, a line of a log comes as often (ours). */
const LINE_MS = 10_000;

/** Plays random worlds, or the one of a file. Status 1 if one of them broke. */
export async function runFuzz(invocation: FuzzInvocation): Promise<ExitCode> {
  const { replay, judge } = invocation.options;
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
  private readonly region: LiveRegion;
  private readonly files = new Map<number, string>();
  private readonly startMs = performance.now();
  private lineMs = this.startMs;

  constructor(invocation: FuzzInvocation) {
    const { seed, seeds } = invocation.options;
    this.invocation = invocation;
    this.firstSeed = seed ?? Math.floor(Math.random() * MAX_SEED);
    this.count = seeds ?? (seed === undefined ? USUAL_SEEDS : 1);
    this.region = new LiveRegion(invocation.terminal);
  }

  async run(): Promise<ExitCode> {
    const { options, onInterrupt, results } = this.invocation;
    const { firstSeed, count, files } = this;
    const abort = new AbortController();
    const release = onInterrupt(() => abort.abort());
    try {
      const totals = await fuzzAll({
        firstSeed,
        count,
        frames: options.frames,
        jobs: options.jobs,
        signal: abort.signal,
        onProgress: (sofar) => this.draw(sofar),
        onFinding: (found) => this.tell(found),
      });
      const wallS = (performance.now() - this.startMs) / 1e3;
      const report = { ...totals, firstSeed, frames: options.frames, wallS, files };
      this.region.clear();
      if (options.json) results.json(reportJson(report));
      else results.line(summaryLine(report));
      return totals.findings.length === 0 && totals.worlds === count ? ExitCode.done : ExitCode.failed;
    } finally {
      release();
    }
  }

  private async tell(found: SeedFinding): Promise<void> {
    if (found.smallest !== null)
      this.files.set(found.seed, await this.write(found.seed, scenarioToJson(found.smallest)));
    const lines = findingLines(found, this.invocation.options.frames, this.files.get(found.seed));
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
