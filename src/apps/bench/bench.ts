// Tested by test/loopback/bench.test.ts

import type { Invocation } from '../shared/command.js';
import { ExitCode } from '../shared/exit-codes.js';
import { Failure } from '../shared/failure.js';
import type { Benchmark, BenchResult } from './benchmark.js';
import { selectBenchmarks } from './catalogue.js';
import type { BENCH_OPTIONS } from './options.js';
import { benchTable, jsonResults, medians } from './report.js';
import { Workbench } from './workbench.js';

type BenchInvocation = Invocation<typeof BENCH_OPTIONS>;

/** Runs the benchmarks one after the other and prints their figures. Throws a Failure when a process of one fails, or when it is interrupted. */
export async function runBench(invocation: BenchInvocation): Promise<ExitCode> {
  const { options, positionals, results, onInterrupt } = invocation;
  const chosen = selectBenchmarks(positionals);
  const bench = new Workbench({ seconds: options.seconds });
  const interrupted = new Promise<never>((_, reject) => {
    onInterrupt((signal) => reject(new Failure(ExitCode.failed, `interrupted by ${signal}`)));
  });
  try {
    const found = await Promise.race([runAll(chosen, bench, invocation), interrupted]);
    if (options.json) results.json(jsonResults(found));
    else for (const line of ['', ...benchTable(found)]) results.line(line);
    return ExitCode.done;
  } finally {
    await bench.close();
  }
}

async function runAll(
  chosen: readonly Benchmark[],
  bench: Workbench,
  { options, results }: BenchInvocation,
): Promise<BenchResult[]> {
  const found: BenchResult[] = [];
  for (const [at, benchmark] of chosen.entries()) {
    const runs: BenchResult[][] = [];
    for (let run = 0; run < options.runs; run++) {
      runs.push(await benchmark.run(bench));
      await bench.clear();
    }
    const figures = medians(runs);
    found.push(...figures);
    if (!options.json) results.line(`[${at + 1}/${chosen.length}] ${benchTable(figures).slice(1).join('; ')}`);
  }
  return found;
}
