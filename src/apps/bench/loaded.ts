// Tested by test/loopback/bench.test.ts and test/apps/bench/loaded.test.ts

import type { Benchmark, BenchRow } from './benchmark.js';
import { FlowProcess } from './flows/flow-process.js';
import type { FlowsFigures } from './flows/orders.js';
import { measureRaw, type RawFigures } from './raw.js';
import type { Workbench } from './workbench.js';

/**
 * Rate of the loaded link (ours). Four processes on two cores carry 60 % of it with a third to spare (measured); at 1 Gbit/s they do not.
 * Queues lengthen the median of the short flows by 81 us (in virtual time); at 100 Mbit/s by 196 us, several times what is measured.
 */
const LINK_RATE_BPS = 200e6;
const LOAD = 0.6;
/** Of the flows that make the load: 150 a second, so that a few seconds have the mean. */
const LOAD_BYTES = 100_000;
/** Of those that are measured: one data frame. */
const PROBE_BYTES = 1_024;
const PROBES_PER_SECOND = 200;
/** 600 flows make the load, whose bytes differ by 4 % (standard deviation), whatever --seconds says. */
const LEAST_SECONDS = 4;
/** From the beginning of the load until it is measured: what began late while it came up is over (ours). */
const SETTLE_SECONDS = 1;
/** The load may differ so much from what is asked for, and count: three standard deviations. */
const TOLERANCE = 0.12;
const [SINK, LOADER, PROBER] = [1, 2, 3];
const RAW_IS = 'round trip over the idle bare relay, median';
const SELDOM_GAP_MS = 1e3 / PROBES_PER_SECOND;
const SELDOM_IS = `the same, begun ${SELDOM_GAP_MS} ms after the last on average`;

/**
 * Completion time of flows of one frame through a switch at load 0.6, beside the round trip of the bare program over its idle relay.
 * With credits alone a flow takes one and a half round trips, with speculative data a half (docs/decisions/0017-speculative-data.md).
 * Row `seldom`: the bare program with round trips as far apart as these flows, which take two to three times as long.
 */
export const LOADED: readonly Benchmark[] = [benchmark('loaded', 'false'), benchmark('loaded/speculative', 'true')];

/** `speculative`: of the flows that are measured. Those of the load go by credits alone. */
function benchmark(name: string, speculative: string): Benchmark {
  return { name, group: 'loaded', round: 'loaded', run: (bench) => measure(bench, speculative) };
}

async function measure(bench: Workbench, speculative: string): Promise<BenchRow[]> {
  const bare = (gapMs: number): Promise<RawFigures> =>
    bench.oncePerRound(`raw/loaded/${gapMs}`, () =>
      measureRaw(bench, { kind: 'relay', payloadBytes: PROBE_BYTES, window: 1, gapMs }),
    );
  const [raw, seldom] = [await bare(0), await bare(SELDOM_GAP_MS)];
  const rate = `${LINK_RATE_BPS}`;
  const { address } = await bench.listen('switch', '--listen', ':0', '--hosts', '3', '--link-rate', rate);
  const host = (id: number, burst = 'false') => ({
    options: { switch: address, 'host-id': `${id}`, speculative: burst },
    target: `${SINK}`,
  });
  const sink = await FlowProcess.start(bench, { role: 'sink', ...host(SINK), longestBytes: PROBE_BYTES });
  const loader = await FlowProcess.start(bench, { role: 'source', ...host(LOADER) }, 'loader');
  const prober = await FlowProcess.start(bench, { role: 'source', ...host(PROBER, speculative) }, 'prober');
  await rehearse(loader, prober, bench.warmUpSeconds * 1e3);
  const flowsPerSecond = (LOAD * LINK_RATE_BPS) / (LOAD_BYTES * 8);
  await loader.ask({ verb: 'poisson', bytes: LOAD_BYTES, flowsPerSecond, seed: 1 });
  await prober.ask({ verb: 'poisson', bytes: PROBE_BYTES, flowsPerSecond: PROBES_PER_SECOND, seed: 2 });
  await bench.sleep(SETTLE_SECONDS);
  await sink.begin();
  await bench.sleep(bench.secondsOf(LEAST_SECONDS));
  return loadedRows(await sink.ask({ verb: 'take' }), { raw, seldom });
}

/** Until their code is compiled, processes carry a fraction of the load, and what piles up meanwhile would be there for long. */
async function rehearse(loader: FlowProcess, prober: FlowProcess, ms: number): Promise<void> {
  await Promise.all([
    loader.ask({ verb: 'messages', bytes: LOAD_BYTES, parallel: 2, ms }),
    prober.ask({ verb: 'messages', bytes: PROBE_BYTES, parallel: 1, ms }),
  ]);
}

/** What came to the sink. Times under another load than the one that is asked for are no figures. */
export function loadedRows(
  { completion, bytes, seconds }: Pick<FlowsFigures, 'completion' | 'bytes' | 'seconds'>,
  { raw, seldom }: Readonly<Record<'raw' | 'seldom', Pick<RawFigures, 'rtt'>>>,
): BenchRow[] {
  const load = (bytes * 8) / seconds / LINK_RATE_BPS;
  const isLoaded = Math.abs(load / LOAD - 1) <= TOLERANCE;
  const [least, most] = [1 - TOLERANCE, 1 + TOLERANCE].map((part) => (part * LOAD).toFixed(2));
  const row = (part: string, valueUs: number, rawIs: string, { rtt }: Pick<RawFigures, 'rtt'>): BenchRow => ({
    part,
    value: isLoaded ? valueUs : Number.NaN,
    unit: 'us',
    raw: rtt?.p50 ?? Number.NaN,
    rawIs,
    note: `of runs whose load was ${least} to ${most}`,
  });
  return [
    row('p50', completion.p50, RAW_IS, raw),
    row('p99', completion.p99, RAW_IS, raw),
    row('seldom', completion.p50, SELDOM_IS, seldom),
    { part: 'load', value: load, unit: 'of the link', raw: LOAD, rawIs: 'asked for' },
  ];
}
