// Tested by test/loopback/bench.test.ts

import { parseScenario } from '../../scenario/parse-scenario.js';
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

/** One run in a process of its own, so that no run has compiled code for another and its memory is its own. Started by sim.ts; ready when it is over. */
serve((document: object) => ({ ready: measure(document) }));
