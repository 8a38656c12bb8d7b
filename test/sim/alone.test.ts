import { describe, expect, it } from 'vitest';
import { AloneTimes } from '../../src/sim/alone.js';
import { simulate } from '../../src/sim/simulate.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { dumbbell, flow, scenarioWith } from '../harness/simulations.js';

const DUMBBELL = scenarioWith({ topology: dumbbell(2), payload: 'lengths' });

/** What a run of this flow alone takes. */
function played(bytes: number): number {
  const run = simulate(scenarioWith({ traffic: [flow(1, 3, { bytes })], durationNs: 1e9, endsWithFlows: true }));
  return run.result.flows[0].fctNs ?? Number.NaN;
}

describe('the time that a flow takes alone', () => {
  it.each([1, 1446, 1447, 30_000, 1_000_000, 20_000_000])('of %i bytes is what a run of it takes', (bytes) => {
    const ratio = new AloneTimes(DUMBBELL).aloneNs(1, 3, bytes) / played(bytes);
    // The first gaps between credits are random by half: over the few of a short flow that is a gap more or less.
    expect(Math.abs(ratio - 1)).toBeLessThan(0.03);
  });

  it('counts what a last frame that is not full saves on each link', () => {
    const alone = new AloneTimes(DUMBBELL);
    // Three links of 10 Gbit/s, 0.8 ns a byte.
    expect(alone.aloneNs(1, 3, 1446) - alone.aloneNs(1, 3, 446)).toBeCloseTo(3 * 800, 6);
  });

  it('knows the path: more links and slower ones take longer', () => {
    const topology = builtinTopology('parking-lot', { bottlenecks: 3, rateBps: 1e9, delayNs: 10e3 });
    const alone = new AloneTimes(scenarioWith({ topology }));
    // Host 1 to host 2 crosses five links, host 3 to host 4 three; a request, a credit and data go one after another.
    const differenceNs = alone.aloneNs(1, 2, 100) - alone.aloneNs(3, 4, 100);
    expect(differenceNs).toBeGreaterThan(3 * 2 * 10e3);
    expect(differenceNs).toBeLessThan(3 * 2 * 12e3);
  });

  it('knows the hosts: what one takes over a frame counts', () => {
    const slow = scenarioWith({ topology: dumbbell(2), hosts: { 4: { processing: { delayNs: 7e3, jitterNs: 0 } } } });
    const alone = new AloneTimes(slow);
    // The receiver looks at the request and at the data.
    expect(alone.aloneNs(2, 4, 1000) - alone.aloneNs(1, 3, 1000)).toBeCloseTo(14e3, 0);
    expect(
      alone.slowdown(
        { id: 0, group: 'all', from: 1, to: 3, bytes: 1000, startNs: 0, stopNs: Infinity },
        2 * alone.aloneNs(1, 3, 1000),
      ),
    ).toBe(2);
  });
});
