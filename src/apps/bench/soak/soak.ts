// Tested by test/loopback/bench.test.ts

import { displaySize } from '../../../base/display.js';
import { ExitCode } from '../../../base/exit-codes.js';
import { Failure } from '../../../base/failure.js';
import { plainJson } from '../../../telemetry/document.js';
import type { Invocation } from '../../shared/command.js';
import { FlowProcess } from '../flows/flow-process.js';
import { Workbench } from '../workbench.js';
import { MemoryLog } from './memory-log.js';
import type { SOAK_OPTIONS } from './options.js';
import { type SoakReport, soakLines } from './report.js';

type SoakInvocation = Invocation<typeof SOAK_OPTIONS>;

const FLOW_BYTES = 100_000;
const SEED = 1;
const [SINK, SOURCE] = [1, 2];
/** Samples of a soak, and their distance at the least and at the most (ours). */
const SAMPLES = 240;
const MIN_SAMPLE_S = 0.25;
const MAX_SAMPLE_S = 15;
/** The start is left out, in which code is compiled and pools fill: this part of the whole, or a minute where that is less (ours). */
const START_PART = 0.3;
const MAX_START_S = 60;
/** Lines about how far it is (ours). */
const PROGRESS_LINES = 20;

/** Runs it until its time is over or it is interrupted, which ends it early with what there is. */
export async function runSoak(invocation: SoakInvocation): Promise<ExitCode> {
  const { options, results, onInterrupt } = invocation;
  const bench = new Workbench({ seconds: 0, profileDirectory: null });
  const interrupt = new AbortController();
  onInterrupt(() => interrupt.abort());
  try {
    const report = await soak(bench, invocation, interrupt.signal);
    if (options.json) results.json(plainJson(report));
    else for (const line of soakLines(report)) results.line(line);
    return report.grew || report.failedFlows > 0 ? ExitCode.failed : ExitCode.done;
  } finally {
    await bench.close();
  }
}

async function soak(bench: Workbench, invocation: SoakInvocation, signal: AbortSignal): Promise<SoakReport> {
  const { options } = invocation;
  const lastsS = options.duration / 1e9;
  const { sink, source } = await startFlows(bench, options);
  const log = new MemoryLog();
  const startMs = performance.now();
  const elapsedS = (): number => (performance.now() - startMs) / 1e3;
  const sampleS = Math.min(Math.max(lastsS / SAMPLES, MIN_SAMPLE_S), MAX_SAMPLE_S);
  let toldS = 0;
  while (elapsedS() < lastsS && !signal.aborted) {
    await bench.sleep(sampleS, signal);
    const usage = await bench.usage({ collect: true }).catch((error: unknown) => {
      // A terminal interrupts the processes as well, and the switch ends by it.
      if (signal.aborted) return null;
      throw error;
    });
    if (usage === null) break;
    log.add(elapsedS(), usage);
    if (elapsedS() - toldS < lastsS / PROGRESS_LINES) continue;
    toldS = elapsedS();
    const heaps = [...usage].map(([role, { heapBytes }]) => `${role} ${displaySize(heapBytes)}`);
    invocation.terminal.write(`${toldS.toFixed(0)} of ${lastsS} s: ${heaps.join(', ')}\n`);
  }
  const durationS = elapsedS();
  const [arrived, sent] = [await sink.ask({ verb: 'take' }), await source.ask({ verb: 'take' })];
  const memory = log.trends(Math.min(START_PART * durationS, MAX_START_S));
  if (memory.length === 0) throw new Failure(ExitCode.failed, 'interrupted before there were samples enough');
  return {
    durationS,
    load: (arrived.bytes * 8) / durationS / options.linkRate,
    flows: arrived.flows,
    failedFlows: sent.failed,
    reasons: sent.reasons,
    bytes: arrived.bytes,
    memory,
    grew: memory.some(({ grew }) => grew),
  };
}

async function startFlows(
  bench: Workbench,
  { load, linkRate }: SoakInvocation['options'],
): Promise<{ sink: FlowProcess; source: FlowProcess }> {
  const { address } = await bench.listen('switch', '--listen', ':0', '--hosts', '2', '--link-rate', `${linkRate}`);
  const host = (id: number) => ({ options: { switch: address, 'host-id': `${id}` }, target: `${SINK}` });
  const sink = await FlowProcess.start(bench, { role: 'sink', ...host(SINK) });
  const source = await FlowProcess.start(bench, { role: 'source', ...host(SOURCE) });
  const flowsPerSecond = (load * linkRate) / (FLOW_BYTES * 8);
  await source.ask({ verb: 'poisson', bytes: FLOW_BYTES, flowsPerSecond, seed: SEED });
  return { sink, source };
}
