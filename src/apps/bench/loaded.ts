// Tested by test/loopback/bench.test.ts

import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, BenchResult } from './benchmark.js';
import { FlowProcess } from './flows/flow-process.js';
import { measureRaw } from './raw.js';
import { WARM_UP_SECONDS, type Workbench } from './workbench.js';

/** So slow that two cores carry 60 % of it with room to spare: 10,000 data frames a second (ours). */
const LINK_RATE_BPS = 200e6;
const LOAD = 0.6;
/** Of the flows that make the load, and of those that are measured: one data frame. */
const LOAD_BYTES = 100_000;
const PROBE_BYTES = 1_024;
const PROBES_PER_SECOND = 200;
/** A hundred probes at the least are in the median, whatever --seconds says. */
const LEAST_SECONDS = 1;
const [SINK, LOADER, PROBER] = [1, 2, 3];

/** How long a flow of one frame takes through a switch whose link to the receiver carries 60 % of its rate, beside the round trip of the bare program over its idle relay. */
export const LOADED: readonly Benchmark[] = [{ name: 'loaded', group: 'loaded', rareParts: [], run: measure }];

async function measure(bench: Workbench): Promise<BenchResult[]> {
  const raw = await measureRaw(bench, { kind: 'relay', payloadBytes: PROBE_BYTES, window: 1 });
  const rate = `${LINK_RATE_BPS}`;
  const { address } = await bench.listen('switch', '--listen', ':0', '--hosts', '3', '--link-rate', rate);
  const host = (id: number) => ({ options: { switch: address, 'host-id': `${id}` }, target: `${SINK}` });
  const sink = await FlowProcess.start(bench, { role: 'sink', ...host(SINK), longestBytes: PROBE_BYTES });
  const loader = await FlowProcess.start(bench, { role: 'source', ...host(LOADER) }, 'loader');
  const prober = await FlowProcess.start(bench, { role: 'source', ...host(PROBER) }, 'prober');
  const flowsPerSecond = (LOAD * LINK_RATE_BPS) / (LOAD_BYTES * 8);
  await loader.ask({ verb: 'poisson', bytes: LOAD_BYTES, flowsPerSecond, seed: 1 });
  await prober.ask({ verb: 'poisson', bytes: PROBE_BYTES, flowsPerSecond: PROBES_PER_SECOND, seed: 2 });
  await sleep(WARM_UP_SECONDS * 1e3);
  await sink.ask({ verb: 'take' });
  await sleep(Math.max(bench.settings.seconds, LEAST_SECONDS) * 1e3);
  const { completion, bytes, seconds } = await sink.ask({ verb: 'take' });
  const load = (bytes * 8) / seconds / LINK_RATE_BPS;
  const compared = { raw: raw.rtt?.p50 ?? Number.NaN, rawIs: 'round trip over the idle bare relay, median' };
  return [
    { name: 'loaded/p50', value: completion.p50, unit: 'us', ...compared, note: `load ${load.toFixed(2)} of the link` },
    { name: 'loaded/p99', value: completion.p99, unit: 'us', ...compared },
  ];
}
