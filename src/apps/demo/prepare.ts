// Tested by test/loopback/demo.test.ts

import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_CONFIG } from '../../core/config.js';
import { displayRate } from '../shared/display.js';
import { measureCores } from './cores.js';
import { type Crew, type DemoValues, Lab, type LabValues } from './lab.js';
import { bytesFor, firstRate, nextRate, type RateChoice, type WarmUpOutcome } from './link-rate.js';
import { BOTTLENECK } from './recorder.js';
import type { DemoView } from './view.js';
import { warmUpLine } from './view.js';
import { WarmUp } from './warm-up.js';

/** How often the switch is asked for its queue while processes warm up. */
const SAMPLE_MS = 100;

/** Processes that are warm, and what was chosen for them. */
export interface Prepared {
  readonly lab: Lab;
  readonly values: LabValues;
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
    const { lab, values } = await prepareAt(given.linkRate, preparing);
    return { lab, values, choice: null };
  }
  view.begin('looking how busy the cores are');
  const cores = await measureCores();
  const tried: WarmUpOutcome[] = [];
  for (let rateBps = firstRate(cores, given.senders + 2); ; ) {
    const { lab, values, outcome } = await prepareAt(rateBps, preparing);
    tried.push(outcome);
    const lowerBps = isJudged(given) ? nextRate(tried) : null;
    if (lowerBps === null) return { lab, values, choice: { cores, tried } };
    view.begin(`${displayRate(rateBps)} is too much for this machine: trying ${displayRate(lowerBps)}`);
    await lab.stop();
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
  const lab = await startLab(values, crew, view);
  try {
    return { lab, values, outcome: await warmUp(lab, rateBps, { crew, view }) };
  } catch (error) {
    await lab.stop();
    throw error;
  }
}

async function startLab(values: LabValues, crew: Crew, view: DemoView): Promise<Lab> {
  const all = values.senders + 2;
  let ready = 0;
  const what = `a switch, a receiver, ${values.senders} ${values.senders === 1 ? 'sender' : 'senders'}`;
  view.begin(`starting ${all} processes: ${what}`);
  return Lab.start(values, crew, () => {
    ready++;
    view.progress(`starting ${all} processes, ${ready} ready: ${what}`);
  });
}

/** All senders send to nowhere until their processes are compiled; the link then carries what it will. */
async function warmUp(
  lab: Lab,
  rateBps: number,
  { crew, view }: Pick<Preparing, 'crew' | 'view'>,
): Promise<WarmUpOutcome> {
  const warmUp = new WarmUp(rateBps);
  view.begin(`warming up at ${displayRate(rateBps)}`);
  const startMs = performance.now();
  for (;;) {
    const lengthS = (performance.now() - startMs) / 1e3;
    const port = (await lab.control.sample()).find(({ name }) => name === BOTTLENECK);
    if (port !== undefined) {
      warmUp.add({ timeS: lengthS, wireBytes: port.dataWireBytes, queueBytesPeak: port.dataQueueBytesPeak });
    }
    if (warmUp.isOver) return warmUp.outcome;
    view.progress(warmUpLine(warmUp.outcome, lengthS));
    await crew.roster.unlessLost(sleep(SAMPLE_MS));
  }
}
