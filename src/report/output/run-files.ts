// Tested by test/loopback/lab.test.ts and test/apps/sim/sim.test.ts
import { readFile } from 'node:fs/promises';
import { bothDirections, directionNames } from '../../scenario/link-names.js';
import { packageFile } from '../../scenario/play/package-files.js';
import type { SimulationRun } from '../../sim/result.js';
import type { Scenario } from '../../sim/scenario.js';
import type { Topology } from '../../switch/topology.js';
import { faultMarks } from '../fault-marks.js';
import { checkWritable, prepareDirectory, writeAll, writeWhole } from './output-file.js';
import { resultCsv } from './result-json.js';

/** What one run is to leave behind, as the options of a command say it. */
export interface RunFiles {
  readonly csv: string | undefined;
  readonly report: string | undefined;
}

/** Samples over the length of a run where the scenario does not say how many: as many as a plot has pixels (ours). */
const DEFAULT_SAMPLES = 500;
/** Directions that are sampled where nobody says which (ours): the links of a small topology. */
const MAX_SAMPLED_LINKS = 64;

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

/** The scenario, with series for plots where files want them and it asks for none itself. `lastsNs`: how long it is known to last. */
export function sampledFor(scenario: Scenario, files: RunFiles, lastsNs = scenario.durationNs): Scenario {
  if (!wantsSeries(files)) return scenario;
  const { probes, bottlenecks, topology } = scenario;
  const intervalNs = probes.intervalNs === 0 ? Math.ceil(lastsNs / DEFAULT_SAMPLES) : probes.intervalNs;
  const links = probes.links.length > 0 ? probes.links : sampledLinks(topology, bottlenecks);
  return { ...scenario, durationNs: lastsNs, probes: { ...probes, intervalNs, links } };
}

/** The bottlenecks, and their other directions, in which the credits for them queue; without any, the links of a small topology. */
function sampledLinks(topology: Topology, bottlenecks: readonly string[]): string[] {
  const links = bottlenecks.length > 0 ? bothDirections(topology, bottlenecks) : directionNames(topology);
  return links.slice(0, MAX_SAMPLED_LINKS);
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
