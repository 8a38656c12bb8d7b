// Tested by test/loopback/demo.test.ts

import { availableParallelism, cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { displayRate } from '../../base/display.js';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { bytesFor, type Cores, firstRate, nextRate, type RateChoice, type WarmUpOutcome } from './link-rate.js';
import { type Crew, DemoNetwork, type DemoValues, type NetworkValues } from './network.js';
import { BOTTLENECK } from './recorder.js';
import { type DemoView, warmUpLine } from './view.js';
import { WarmUp } from './warm-up.js';

/** Long enough for the grain of the system's clocks, 10 to 16 ms (ours). */
const MEASURE_MS = 250;

/** How many cores this process may use, and how many of them nobody uses now. */
async function measureCores(): Promise<Cores> {
  const before = idleMs();
  const startMs = performance.now();
  await sleep(MEASURE_MS);
  const idle = (idleMs() - before) / (performance.now() - startMs);
  const count = availableParallelism();
  // Some systems tell nothing of their cores.
  return { count, idle: cpus().length === 0 ? count : Math.min(count, idle) };
}

function idleMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.idle, 0);
}

/** How often the switch is asked for its queue while processes warm up. */
const SAMPLE_MS = 100;

/** Processes that are warm, and what was chosen for them. */
export interface Prepared {
  readonly network: DemoNetwork;
  readonly values: NetworkValues;
  /** Null where the rate was given. */
  readonly choice: RateChoice | null;
}

/** What all steps of a preparation need. */
interface Preparing {
  readonly given: DemoValues;
  readonly fileBytes: number;
  readonly crew: Crew;
  readonly view: DemoView;
}

/** Starts the processes and warms them up, at a lower rate when they do not carry the first one and none was asked for. */
export async function prepare(preparing: Preparing): Promise<Prepared> {
  const { given, view } = preparing;
  if (given.linkRate !== undefined) {
    const { network, values } = await prepareAt(given.linkRate, preparing);
    return { network, values, choice: null };
  }
  view.begin('looking how busy the cores are');
  const cores = await measureCores();
  const tried: WarmUpOutcome[] = [];
  for (let rateBps = firstRate(cores, given.senders + 2); ; ) {
    const { network, values, outcome } = await prepareAt(rateBps, preparing);
    tried.push(outcome);
    const lowerBps = isJudged(given) ? nextRate(tried) : null;
    if (lowerBps === null) return { network, values, choice: { cores, tried } };
    view.begin(`${displayRate(rateBps)} is too much for this machine: trying ${displayRate(lowerBps)}`);
    await network.stop();
    rateBps = lowerBps;
  }
}

/** Other algorithms may leave a part of any link empty, or fill its queue, however fast the machine is. */
function isJudged({ algorithm }: DemoValues): boolean {
  return algorithm.every((name) => name === DEFAULT_CONFIG.creditAlgorithm);
}

async function prepareAt(rateBps: number, { given, fileBytes, crew, view }: Preparing) {
  const bytes = given.bytes ?? bytesFor(rateBps, given.senders, fileBytes);
  const values = { ...given, linkRate: rateBps, bytes };
  const network = await startNetwork(values, crew, view);
  try {
    return { network, values, outcome: await warmUp(network, rateBps, { crew, view }) };
  } catch (error) {
    await network.stop();
    throw error;
  }
}

async function startNetwork(values: NetworkValues, crew: Crew, view: DemoView): Promise<DemoNetwork> {
  const all = values.senders + 2;
  let ready = 0;
  const what = `a switch, a receiver, ${values.senders} ${values.senders === 1 ? 'sender' : 'senders'}`;
  view.begin(`starting ${all} processes: ${what}`);
  return DemoNetwork.start(values, crew, () => {
    ready++;
    view.progress(`starting ${all} processes, ${ready} ready: ${what}`);
  });
}

/** All senders send to nowhere until their processes are compiled; the link then carries what it will. */
async function warmUp(
  network: DemoNetwork,
  rateBps: number,
  { crew, view }: Pick<Preparing, 'crew' | 'view'>,
): Promise<WarmUpOutcome> {
  const warmUp = new WarmUp(rateBps);
  view.begin(`warming up at ${displayRate(rateBps)}`);
  const startMs = performance.now();
  for (;;) {
    const lengthS = (performance.now() - startMs) / 1e3;
    const port = (await network.control.sample()).find(({ name }) => name === BOTTLENECK);
    if (port !== undefined) {
      warmUp.add({ timeS: lengthS, wireBytes: port.dataWireBytes, queueBytesPeak: port.dataQueueBytesPeak });
    }
    if (warmUp.isOver) return warmUp.outcome;
    view.progress(warmUpLine(warmUp.outcome, lengthS));
    await crew.roster.unlessLost(sleep(SAMPLE_MS));
  }
}
