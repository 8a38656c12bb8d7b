// Tested by test/loopback/bench.test.ts

import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure, failureOf } from '../../base/failure.js';
import type { Invocation } from '../shared/command.js';
import { type Benchmark, type BenchResult, named } from './benchmark.js';
import { inTurns, selectBenchmarks } from './catalogue.js';
import { type BENCH_OPTIONS, effortOf } from './options.js';
import { profileLines } from './profile.js';
import { type BenchFigure, benchTable, jsonResults, medians, progressText } from './report.js';
import { Workbench } from './workbench.js';

type BenchInvocation = Invocation<typeof BENCH_OPTIONS>;

/** Runs the benchmarks one after the other and prints their figures. Throws a Failure when a process of one fails, or when it is interrupted. */
export async function runBench(invocation: BenchInvocation): Promise<ExitCode> {
  const { options, positionals, results, onInterrupt } = invocation;
  const { quick, smoke: isSmoke } = options;
  const chosen = selectBenchmarks(positionals, { quick });
  const profileDirectory = options.profile ? await makeDirectory(options.profileDirectory) : null;
  const { seconds, runs } = effortOf(options);
  const bench = new Workbench({ seconds, isSmoke, profileDirectory });
  const interrupted = new Promise<never>((_, reject) => {
    onInterrupt((signal) => reject(new Failure(ExitCode.failed, `interrupted by ${signal}`)));
  });
  try {
    const found = await Promise.race([runAll(chosen, runs, bench, invocation), interrupted]);
    if (options.json) results.json(jsonResults(found));
    else for (const line of benchTable(found)) results.line(line);
  } finally {
    await bench.close();
  }
  if (profileDirectory !== null) await tellProfiles(profileDirectory, invocation);
  return ExitCode.done;
}

/** All benchmarks; progress goes to standard error. */
async function runAll(
  chosen: readonly Benchmark[],
  wantedRuns: number,
  bench: Workbench,
  { terminal }: BenchInvocation,
): Promise<BenchFigure[]> {
  const found: BenchFigure[] = [];
  let done = 0;
  for (const turns of inTurns(chosen)) {
    const runs = turns.map((): BenchResult[][] => []);
    for (let run = 0; run < wantedRuns; run++) {
      bench.beginRound();
      for (const [at, benchmark] of turns.entries()) {
        if (run < (benchmark.mostRuns ?? wantedRuns)) runs[at].push(await runOne(benchmark, bench));
      }
    }
    for (const each of runs) {
      const figures = medians(each);
      found.push(...figures);
      terminal.write(`[${++done}/${chosen.length}] ${figures.map(progressText).join('; ')}\n`);
    }
  }
  return found;
}

async function runOne(benchmark: Benchmark, bench: Workbench): Promise<BenchResult[]> {
  bench.begin(benchmark.name);
  try {
    return named(benchmark.name, await benchmark.run(bench));
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    throw new Failure(failure.exitCode, `${benchmark.name}: ${failure.message}`, { cause: error });
  } finally {
    await bench.clear();
  }
}

async function makeDirectory(wanted: string | undefined): Promise<string> {
  const stamp = new Date().toISOString().replace(/[:.]/g, '-');
  const directory = wanted ?? join(tmpdir(), `profiles-${stamp}`);
  await mkdir(directory, { recursive: true });
  return directory;
}

/** Where the profiles are and what they show; on standard error beside JSON. */
async function tellProfiles(directory: string, { options, results, terminal }: BenchInvocation): Promise<void> {
  for (const line of ['', ...(await profileLines(directory, effortOf(options).seconds))]) {
    if (options.json) terminal.write(`${line}\n`);
    else results.line(line);
  }
}
