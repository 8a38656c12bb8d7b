// Tested by test/loopback/perf.test.ts
import { readFile } from 'node:fs/promises';
import { ExitCode } from '../../base/exit-codes.js';
import { Failure } from '../../base/failure.js';
import { DEFAULT_HOST_PORT } from '../../net/host-settings.js';
import { shellLine } from '../../report/output/command-line.js';
import { checkWritable, writeWhole } from '../../report/output/output-file.js';
import { packageFile } from '../../scenario/play/package-files.js';
import { formatAddress } from '../../udp/address.js';
import { parseTarget, type Target } from '../shared/command-host.js';
import { ClientRun, type PerfInvocation } from './client-run.js';
import { bitrate } from './lines.js';
import type { PerfOptions, PerfSettings } from './options.js';
import type { Output } from './output.js';
import type { PageParts } from './page.js';
import { lossWarning } from './report.js';
import { summarize } from './series.js';
import { type ClientResult, testTerms } from './test-terms.js';

export interface SeriesParts {
  readonly invocation: PerfInvocation;
  readonly options: PerfSettings;
  readonly output: Output;
  readonly version: string;
  readonly ignored: readonly string[];
}

/** Runs a client's tests, one after the other. An interrupt ends them early: with 0, or with 1 when bytes were asked for that have not arrived. */
export async function runClient(parts: SeriesParts, client: string): Promise<ExitCode> {
  const { options, output, invocation } = parts;
  const target = placed(parseTarget(withPort(client, options), options.switch !== undefined), options);
  const goodputs = { ours: [] as number[], peers: [] as number[] };
  if (options.report !== undefined) await checkWritable(options.report, REPORT);
  for (let turn = 1; turn <= options.repeat; turn++) {
    const terms = testTerms(options, typeof target.to === 'object' ? target.to : null, parts.ignored);
    const isLast = turn === options.repeat;
    const run = new ClientRun({ ...parts, results: output, terms, settings: options, target, isLast, goodputs });
    const result = await run.run();
    if (options.repeat === 1) warn(invocation, result);
    if (isLast || run.isInterrupted) await writeReport(parts, { terms, result, goodputs });
    checkBytes(result, terms.request.bytes);
    if (run.isInterrupted) break;
  }
  if (options.repeat > 1 && !options.json) tell(output, goodputs.ours, options);
  return ExitCode.done;
}

const REPORT = 'report';

/** Loaded here because the library of its figures takes long to load. */
async function writeReport(
  { options, version }: SeriesParts,
  test: Pick<PageParts, 'terms' | 'result' | 'goodputs'>,
): Promise<void> {
  const { report } = options;
  if (report === undefined) return;
  const { perfPage } = await import('./page.js');
  const script = await readFile(packageFile('dist/web/run-report.js'), 'utf8');
  const command = shellLine(['xpass', ...process.argv.slice(2)]);
  await writeWhole(report, perfPage({ ...test, version, script, command, nowMs: Date.now() }), REPORT);
}

function tell(output: Output, goodputs: readonly number[], options: PerfOptions): void {
  const { runs, meanBps, halfWidthBps } = summarize(goodputs);
  const data = { runs, mean_bits_per_second: meanBps, half_width_bits_per_second: halfWidthBps, confidence: 0.95 };
  if (options.jsonStream) output.json({ event: 'repeats', data });
  else {
    const say = (rateBps: number): string => bitrate(rateBps, options.format).trim();
    output.line(`${runs} runs: ${say(meanBps)}, +- ${say(halfWidthBps)} (95 % confidence, Student's t)`);
  }
}

function warn({ logger }: PerfInvocation, { reports }: ClientResult): void {
  const warning = lossWarning(reports[0]);
  if (warning !== null) logger.warn(warning);
}

/** Throws a Failure when less has arrived than was asked for. */
function checkBytes({ reports, exchange }: ClientResult, bytes: number | null): void {
  if (bytes === null || exchange !== null) return;
  for (const { received, request } of reports) {
    const wanted = bytes * request.flows;
    if (received.bytes < wanted)
      throw new Failure(ExitCode.failed, `${received.bytes} of ${wanted} bytes arrived before the test was ended`);
  }
}

/** `-p` is the port where the address has none. */
function withPort(client: string, { port, switch: behind }: PerfOptions): string {
  if (port === undefined || behind !== undefined) return client;
  const target = parseTarget(client, false).to;
  const isBare =
    typeof target === 'object' && target.port === DEFAULT_HOST_PORT && !client.endsWith(`:${DEFAULT_HOST_PORT}`);
  return isBare ? formatAddress({ ...target, port }) : client;
}

/** -B, --cport, -4 and -6. */
function placed(target: Target, { bind, cport, version4, version6, switch: behind }: PerfOptions): Target {
  const isFree = bind === undefined && cport === undefined && !version4 && !version6;
  if (behind !== undefined || isFree) return target;
  const isLocal = typeof target.to === 'object' && target.to.host.includes(':');
  const host = bind ?? (version6 || isLocal ? '::' : '0.0.0.0');
  return { ...target, place: { ...target.place, listen: { host, port: cport ?? 0 } } };
}
