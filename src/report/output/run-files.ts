// Tested by test/loopback/lab.test.ts and test/apps/sim/sim.test.ts
import { readFile } from 'node:fs/promises';
import { packageFile } from '../../scenario/play/package-files.js';
import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import { faultMarks } from '../fault-marks.js';
import { checkWritable, prepareDirectory, writeAll, writeWhole } from './output-file.js';
import { resultCsv } from './result-csv.js';

/** What one run is to leave behind, as the options of a command say it. */
export interface RunFiles {
  readonly csv: string | undefined;
  readonly report: string | undefined;
}

const CSV = 'directory of CSV files';
const REPORT = 'report';

/** Before the run: throws a Failure where its files could not be written. */
export async function prepareOutputs({ csv, report }: RunFiles): Promise<void> {
  if (csv !== undefined) await prepareDirectory(csv, CSV);
  if (report !== undefined) await checkWritable(report, REPORT);
}

/** Whether files want samples over time. */
export function wantsSeries({ csv, report }: RunFiles): boolean {
  return csv !== undefined || report !== undefined;
}

export interface PlayedRun {
  readonly run: SimulationRun;
  readonly scenario: Scenario;
  /** Plays the run again. */
  readonly command: string;
}

export async function writeOutputs(played: PlayedRun, { csv, report }: RunFiles): Promise<void> {
  if (csv !== undefined) await writeAll(csv, resultCsv(played.run), CSV);
  if (report !== undefined) await writeReport(report, played);
}

/** Loaded here because the library of its figures takes longer to load than most scenarios to run. */
async function writeReport(path: string, { run, scenario, command }: PlayedRun): Promise<void> {
  const { runReport } = await import('../run-report.js');
  const script = await readFile(packageFile('dist/web/run-report.js'), 'utf8');
  await writeWhole(path, runReport(run, { command, script, marks: faultMarks(scenario.faults) }), REPORT);
}
