import { describe, expect, it } from 'vitest';
import { CREDIT_ALGORITHMS } from '../../../src/core/credit/registry.js';
import { FAST } from './measures.js';
import { registered, runDumbbell, table } from './scenarios.js';

/** What each algorithm does with rate and w, update by update, so that any change of its behaviour can be read as a difference. */
describe('a second flow joins after 20 RTTs', () => {
  it.each(CREDIT_ALGORITHMS.map(({ name }) => name))('and %s takes this course', async (name) => {
    const { rttNs, rateBps } = FAST;
    const rows = [['RTT', 'flow', 'rate / max', 'w']];
    const onUpdate = (flow: number, nowNs: number, algorithm: { rateBps: number; state(): Record<string, number> }) => {
      const { w } = algorithm.state();
      const rate = (algorithm.rateBps / rateBps).toFixed(4);
      rows.push([(nowNs / rttNs).toFixed(2), `${flow}`, rate, w === undefined ? '-' : w.toFixed(4)]);
    };
    const makeAlgorithm = registered(name);
    const run = {
      ...FAST,
      makeAlgorithm,
      flowCount: 2,
      joinNs: 20 * rttNs,
      durationNs: 60 * rttNs,
      binNs: rttNs,
      seed: 1,
    };
    runDumbbell({ ...run, onUpdate });
    const title = `${name}: 10 Gbit/s, RTT 100 us, flow 1 joins at RTT 20, updates to RTT 60`;
    await expect(table(title, rows)).toMatchFileSnapshot(`trajectory-${name}.table.txt`);
  });
});
