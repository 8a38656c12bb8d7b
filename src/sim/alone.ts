// Tested by test/sim/simulate.test.ts
import type { Scenario } from './scenario.js';
import type { FlowPlan } from './traffic/plan-flows.js';

export class AloneTimes {
  constructor(scenario: Scenario) {
    void scenario;
  }

  slowdown(plan: FlowPlan, fctNs: number): number | null {
    void plan;
    void fctNs;
    return null;
  }
}
