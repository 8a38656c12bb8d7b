// Tested by test/loopback/bench.test.ts

import { parseScenario } from '../../scenario/parse-scenario.js';
import { PartsThread } from '../../scenario/play/parts-thread.js';
import { newProgress, type SimulationThread, startSimulation } from '../../scenario/play/simulation-thread.js';
import { simulate } from '../../sim/simulate.js';
import { Fabric } from '../../switch/fabric.js';
import { serve } from './child-program.js';

/** What one run of the simulator took. */
export interface SimulatorFigures {
  readonly wallS: number;
  /** Events and frames that came to the end of a link. */
  readonly events: number;
  readonly frameHops: number;
  /** The most memory that the process ever had, bytes. */
  readonly memoryBytes: number;
}

/** A run, or the same run on one thread and on several. */
export interface SimulatorOrder {
  readonly document: object;
  readonly threads?: number | undefined;
}

export interface ThreadedFigures {
  /** On one thread, and on several. */
  readonly oneS: number;
  readonly wallS: number;
}

function measure(document: object): SimulatorFigures {
  const scenario = parseScenario(document);
  const fabrics: Fabric[] = [];
  const startMs = performance.now();
  const { result } = simulate(scenario, {
    makeFabric: (options) => {
      const fabric = new Fabric(options);
      fabrics.push(fabric);
      return fabric;
    },
  });
  const wallS = (performance.now() - startMs) / 1e3;
  return {
    wallS,
    events: result.events,
    frameHops: fabrics[0].events,
    memoryBytes: process.resourceUsage().maxRSS * 1024,
  };
}

/** Each on threads that have played nothing before. */
async function measureThreads(document: object, threads: number): Promise<ThreadedFigures> {
  const scenario = parseScenario(document);
  const wallOf = async (thread: SimulationThread): Promise<number> => {
    const answer = await thread.ask({ scenario, progress: newProgress() });
    await thread.stop();
    if ('error' in answer) throw new Error(answer.error.message);
    if (answer.said !== undefined && answer.said.length > 0) throw new Error(answer.said.join('; '));
    return answer.wallS;
  };
  const oneS = await wallOf(startSimulation());
  return { oneS, wallS: await wallOf(new PartsThread(threads)) };
}

/** One run in a process of its own, so that no run has compiled code for another and its memory is its own. Started by sim.ts; ready when it is over. */
serve(async ({ document, threads }: SimulatorOrder) => ({
  ready: threads === undefined ? measure(document) : await measureThreads(document, threads),
}));
