import type { Scenario } from '../scenario.js';
import type { MakeFabric } from '../world.js';
import { withTimeBound } from './random-scenario.js';
import { REDUCTIONS } from './smaller.js';
import { type Finding, tryScenario } from './trial.js';

/** Scenarios that are tried at most: some seconds (ours). */
const MOST_TRIALS = 600;

export interface Minimised {
  readonly scenario: Scenario;
  readonly finding: Finding;
  readonly trials: number;
}

/**
 * The smallest scenario that is found to break in the same way: as long as one with a flow, a fault, a host, a link or a setting less does, it takes that one's place
 * (delta debugging, Zeller and Hildebrandt 2002). The same check has to say so, or the same assertion.
 */
export function minimise(scenario: Scenario, finding: Finding, makeFabric?: MakeFabric): Minimised {
  return new Minimiser({ scenario, finding, trials: 0 }, makeFabric).run();
}

class Minimiser {
  private best: Minimised;
  private readonly makeFabric: MakeFabric | undefined;
  private trials = 0;

  constructor(best: Minimised, makeFabric: MakeFabric | undefined) {
    this.best = best;
    this.makeFabric = makeFabric;
  }

  run(): Minimised {
    for (let before: Minimised | null = null; before !== this.best; ) {
      before = this.best;
      for (const reduce of REDUCTIONS) while (this.improve(reduce(this.best.scenario)));
    }
    return { ...this.best, trials: this.trials };
  }

  /** True if one of the drafts is as bad: it is the best from now on. */
  private improve(drafts: Iterable<Omit<Scenario, 'durationNs'>>): boolean {
    for (const draft of drafts) {
      if (this.trials >= MOST_TRIALS) return false;
      this.trials++;
      const scenario = withTimeBound(draft);
      const { finding } = tryScenario(scenario, this.makeFabric);
      if (finding?.check !== this.best.finding.check) continue;
      this.best = { scenario, finding, trials: this.trials };
      return true;
    }
    return false;
  }
}
