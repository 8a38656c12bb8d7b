import { describe, expect, it } from 'vitest';
import { WholeClockwork } from '../../src/sim/clockwork.js';
import type { FlowRun } from '../../src/sim/flow-run.js';
import type { Network } from '../../src/sim/network.js';
import type { SimulationResult } from '../../src/sim/result.js';
import type { Scenario } from '../../src/sim/scenario.js';
import { settleCredits, simulate } from '../../src/sim/simulate.js';
import type { TrafficPlayer } from '../../src/sim/traffic-player.js';
import { builtinTopology } from '../../src/switch/builtin-topologies.js';
import { type Changes, dumbbell, flow, scenarioWith } from '../harness/simulations.js';

/** More than V8's stack takes as the arguments of one call. */
const FLOWS = 200_000;

it('a run plays on for the longest life of a credit, however many flows have credits out', () => {
  const run = (rttNs: number) => ({
    isOver: true,
    credits: { sent: 1, used: 0, unused: 0, dropped: 0 },
    toPort: 0,
    receiver: { statistics: { rttNs } },
  });
  const runs = Array.from({ length: FLOWS }, (_, index) => run(index === 7 ? 50 : 0));
  const played: number[] = [];
  const network = {
    nowNs: 1_000,
    hosts: [{ host: { endpoint: { config: { creditLifeNs: 100 } } } }],
    run: (untilNs: number) => played.push(untilNs),
    stop: () => {},
  };
  const world = network as unknown as Network;
  const found = settleCredits(world, { runs } as unknown as TrafficPlayer, new WholeClockwork(world)).next()
    .value as FlowRun[];
  expect(found).toHaveLength(FLOWS);
  expect(found[0]).toBe(runs[0] as unknown as FlowRun);
  expect(played).toEqual([1_200]);
});

function play(changes: Changes): SimulationResult {
  return simulate(scenarioWith(changes)).result;
}

const TWO_FLOWS: Changes = {
  traffic: [flow(1, 3), flow(2, 4)],
  durationNs: 20e6,
  warmUpNs: 10e6,
  bottlenecks: ['left->right'],
  host: { endpoint: { creditParameters: { initial_rate: 0.5 } } },
};

describe('a simulation', () => {
  it('gives two flows half of a full link each, without a queue to speak of', () => {
    const { flows, utilisation, jain, links } = play(TWO_FLOWS);
    expect(utilisation).toBeGreaterThan(0.99);
    expect(jain).toBeGreaterThan(0.99);
    // 94.82 % of 10 Gbit/s is data, 1446 of whose 1538 bytes are payload.
    const shareBps = (10e9 * 0.9482 * 1446) / 1538 / 2;
    for (const { goodputBps } of flows) expect(Math.abs(goodputBps / shareBps - 1)).toBeLessThan(0.02);
    const bottleneck = links.find(({ name }) => name === 'left->right');
    expect(bottleneck?.dataQueueBytesMax).toBeLessThanOrEqual(2 * 1538);
    expect(links.every(({ dataDrops, lost }) => dataDrops === 0 && lost === 0)).toBe(true);
  });

  it('gives the same result for the same seed, and another for another', () => {
    const first = JSON.stringify(play(TWO_FLOWS));
    expect(JSON.stringify(play(TWO_FLOWS))).toBe(first);
    expect(JSON.stringify(play({ ...TWO_FLOWS, seed: 2 }))).not.toBe(first);
  });

  it('gives the same with bytes in the frames as with lengths alone', () => {
    const sizes = [1, 1446, 1447, 100_000];
    const changes: Changes = {
      traffic: sizes.map((bytes, index) => flow(1 + (index % 2), 3 + (index % 2), { bytes, startNs: index * 50e3 })),
      endsWithFlows: true,
    };
    const bytes = play({ ...changes, payload: 'bytes' });
    const lengths = play(changes);
    expect(bytes.flows.map(({ deliveredBytes }) => deliveredBytes)).toEqual(sizes);
    expect(bytes).toEqual(lengths);
  });

  it('knows what became of every credit of a flow of one frame', () => {
    const changes: Changes = { traffic: [flow(1, 3, { bytes: 1446 })], durationNs: 1e6, slowdowns: false };
    const seeds = Array.from({ length: 16 }, (_, index) => index + 1);
    // ExpressPass 2017, Figure 8b: 80, 40, 20, 10, 4, 2; the authors' code: 79, 39, 20, 10, 4, 2.
    for (const [initial_rate, expected] of [
      [1, 79],
      [1 / 2, 39],
      [1 / 4, 20],
      [1 / 8, 10],
      [1 / 16, 4],
      [1 / 32, 2],
    ]) {
      const endpoint = { creditParameters: { initial_rate } };
      const wasted = seeds.map((seed) => {
        const { credits } = play({ ...changes, host: { endpoint }, seed }).flows[0];
        expect(credits.sent).toBe(credits.used + credits.unused + credits.dropped);
        return credits.unused;
      });
      const mean = wasted.reduce((sum, count) => sum + count, 0) / seeds.length;
      // Gaps are uniform from 0.5 to 1.5 of their mean before the first echo: of n credits in a time, n / 12 is the variance. Three standard
      // deviations, and a half for rounding.
      const chance = 3 * Math.sqrt(expected / 12 / seeds.length);
      expect(Math.abs(mean - expected), `wasted at ${initial_rate}`).toBeLessThan(0.5 + chance);
    }
    const heeds = play({ ...changes, host: { endpoint: { backlogWaitNs: 1e6 } } }).flows[0];
    expect(heeds.credits).toMatchObject({ sent: 1, used: 1, unused: 0 });
  });

  it('measures completion times and how much longer they are than alone', () => {
    const result = play({
      traffic: [
        flow(1, 3, { bytes: 1e6 }),
        flow(1, 3, { bytes: 1e6, startNs: 5e6 }),
        flow(2, 4, { bytes: 1e6, startNs: 5e6 }),
      ],
    });
    const [alone, ...pair] = result.flows;
    // The first gaps between credits are random.
    expect(Math.abs((alone.slowdown ?? 0) - 1)).toBeLessThan(0.01);
    for (const { slowdown } of pair) expect(slowdown).toBeGreaterThan(1.5);
    expect(result.fct.all?.count).toBe(3);
    expect(result.fct.XL?.maxNs).toBe(Math.max(...result.flows.map(({ fctNs }) => fctNs ?? 0)));
  });

  it('plays no flow alone where the scenario wants no slowdowns', () => {
    const { flows } = play({ traffic: [flow(1, 3, { bytes: 10_000 })], endsWithFlows: true, slowdowns: false });
    expect(flows[0].fctNs).toBeGreaterThan(0);
    expect(flows[0].slowdown).toBeNull();
  });

  it('counts what waits behind holes at both ends of the measured time, and names flows as the wire does', () => {
    const topology = dumbbell(1, { lossRate: 0.02 });
    const { flows } = play({ topology, traffic: [flow(1, 2)], durationNs: 20e6, warmUpNs: 0 });
    const [{ goodputBps, arrivalBps = 0, deliveredBytes, wireId = 0 }] = flows;
    // From the beginning nothing that waited is left out.
    expect(arrivalBps).toBeGreaterThan(goodputBps);
    expect(arrivalBps).toBeLessThan(1.2 * goodputBps);
    expect(goodputBps).toBe((deliveredBytes * 8e9) / 20e6);
    expect(wireId).toBeGreaterThan(0);
  });

  it('starts each round of a shuffle when the message before has arrived, and ends after the last', () => {
    const shuffle = { kind: 'shuffle', group: 'all', startNs: 1e6, startJitterNs: 0, tasks: 1 } as const;
    const traffic = [{ ...shuffle, hosts: [1, 3], bytes: 1e5, rounds: 3 }];
    const { flows } = play({ traffic, durationNs: 1e9, endsWithFlows: true });
    const ends = flows.map(({ startNs, fctNs }) => startNs + (fctNs ?? Number.NaN));
    expect(flows.map(({ src }) => src)).toEqual(['h1', 'h1', 'h1', 'h3', 'h3', 'h3']);
    expect(flows.map(({ startNs }) => startNs)).toEqual([1e6, ends[0], ends[1], 1e6, ends[3], ends[4]]);
    expect(flows.every(({ slowdown }) => (slowdown ?? 0) > 0.99)).toBe(true);
  });

  it('rules flows of one host by the algorithms that they name', () => {
    const base = { bytes: 1e6 };
    const traffic = [flow(1, 3, { ...base, windowAlgorithm: 'swift' }), flow(1, 3, { ...base, windowAlgorithm: '' })];
    const host = { endpoint: { windowAlgorithm: 'dctcp' } };
    const { algorithm, flows } = play({ traffic: [...traffic, flow(2, 4, base)], host });
    expect(algorithm).toBe('dctcp+steady+swift');
    expect(flows.map(({ credits }) => credits.used > 0)).toEqual([false, true, false]);
    expect(flows.every(({ deliveredBytes }) => deliveredBytes === 1e6)).toBe(true);
  });

  it('ends with its flows where it is told to', () => {
    const changes: Changes = { traffic: [flow(1, 3, { bytes: 1446 })], durationNs: 1e9 };
    const ended = play({ ...changes, endsWithFlows: true });
    expect(ended.durationNs).toBe(ended.flows[0].fctNs);
    expect(play(changes).durationNs).toBe(1e9);
  });

  it('counts the credits that were out at the end of its last flow by their fate, and nothing else after it', () => {
    const changes: Changes = { traffic: [flow(1, 3, { bytes: 100 }), flow(2, 4, { bytes: 1e5 })], warmUpNs: 20e3 };
    const ended = play({ ...changes, endsWithFlows: true });
    const whole = play(changes);
    for (const { credits } of ended.flows) expect(credits.sent).toBe(credits.used + credits.unused + credits.dropped);
    // 1/16 of the maximum rate for one round trip, as above.
    expect(ended.flows.map(({ credits }) => credits.unused >= 4)).toEqual([true, true]);
    // Goodput is over the time in which the flow lasted, so all of a flow is the same.
    expect(ended.flows).toEqual(whole.flows);
    expect(ended.fct).toEqual(whole.fct);
    expect(ended.durationNs).toBe(ended.fct.all?.maxNs);
    expect(ended.measuredNs).toBe(ended.durationNs - 20e3);
    // No data is sent after the end: what utilisation divides by the measured time is the same.
    ended.links.forEach(({ utilisation }, at) => {
      expect(utilisation * ended.measuredNs).toBeCloseTo(whole.links[at].utilisation * whole.measuredNs, 3);
    });
  });

  it('waits for the fate of credits no longer than they live', () => {
    const changes: Changes = { traffic: [flow(1, 3, { bytes: 100 })], endsWithFlows: true, durationNs: 1e9 };
    const { durationNs } = play(changes);
    // The last link is 10 us long, and the FIN enters it right after the data.
    const cut = {
      kind: 'link',
      atNs: durationNs - 10e3 - 20,
      link: 'h3',
      port: {},
      impairment: { down: true },
    } as const;
    let lastNs = 0;
    const { result } = simulate(scenarioWith({ ...changes, faults: [cut] }), {
      onStep: ({ network }) => {
        lastNs = network.nowNs;
      },
    });
    const { credits } = result.flows[0];
    expect(result.durationNs).toBe(durationNs);
    expect(credits.sent).toBeGreaterThan(credits.used + credits.unused + credits.dropped);
    // SIMULATION_CONFIG.creditLifeNs
    expect(lastNs).toBeGreaterThan(durationNs);
    expect(lastNs).toBeLessThanOrEqual(durationNs + 10e6);
  });

  it('leaves endless flows as they were at the end of the others', () => {
    const traffic = [flow(1, 3), flow(2, 4, { bytes: 1e5 })];
    const ended = play({ traffic, endsWithFlows: true });
    const cut = play({ traffic, durationNs: ended.durationNs });
    expect(ended.flows[0]).toEqual(cut.flows[0]);
    expect(ended.flows[1].credits.unused).toBeGreaterThan(cut.flows[1].credits.unused);
  });

  it('gives a flow that is stopped no more data', () => {
    const [stopped] = play({ traffic: [flow(1, 3, { stopNs: 3e6 })], durationNs: 20e6 }).flows;
    expect(stopped.fctNs).toBeGreaterThan(3e6);
    expect(stopped.fctNs).toBeLessThan(4e6);
    expect(stopped.error).toBeNull();
  });

  it('shares a link alike whose receiver is late and bounds what is on its way', () => {
    const changes: Changes = {
      topology: builtinTopology('star', { hosts: 5, rateBps: 100e6, delayNs: 20e3 }),
      traffic: [2, 3, 4, 5].map((from) => flow(from, 1, { startJitterNs: 1e6 })),
      durationNs: 12e9,
      warmUpNs: 2e9,
      jainWindowsNs: [1e9],
      host: {
        endpoint: { catchUpNs: 1e6, queueBoundNs: 1.3e6 },
        nic: { creditBurstBytes: 16 * 92 },
        processing: { delayNs: 50e3, jitterNs: 1e6 },
      },
    };
    // Were a flow's pace, which the budget sets, taken for its share after a lost credit, this would be 0.95.
    expect(play(changes).jain).toBeGreaterThan(0.975);
  });

  it('samples what a report draws', () => {
    const changes: Changes = { ...TWO_FLOWS, warmUpNs: 0, durationNs: 2e6 };
    const probes: Scenario['probes'] = { intervalNs: 100e3, links: ['right->h3', 'left->right'], maxFlows: 1 };
    const { series, result } = simulate(scenarioWith({ ...changes, probes }));
    expect(series?.timesNs.length).toBe(20);
    expect(series?.flows.map(({ label }) => label)).toEqual(['h1->h3']);
    const delivered = (series?.flows[0].goodputBps ?? new Float64Array()).reduce(
      (sum, rate) => sum + (rate * 100e3) / 8e9,
      0,
    );
    expect(delivered).toBeCloseTo(result.flows[0].deliveredBytes, 0);
    const bottleneck = series?.links.find(({ name }) => name === 'left->right');
    expect(Math.max(...(bottleneck?.dataQueueBytes ?? []))).toBe(
      result.links.find(({ name }) => name === 'left->right')?.dataQueueBytesMax,
    );
    expect(bottleneck?.utilisation.at(-1)).toBeGreaterThan(0.9);
  });

  it('samples what is left of an interval at the end', () => {
    const probes: Scenario['probes'] = { intervalNs: 100e3, links: ['left->right'], maxFlows: 1 };
    const changes: Changes = { traffic: [flow(1, 3, { bytes: 1e6 })], durationNs: 1e9, endsWithFlows: true, probes };
    const { series, result } = simulate(scenarioWith(changes));
    const timesNs = [...(series?.timesNs ?? [])];
    expect(timesNs.at(-1)).toBe(result.durationNs);
    const spansNs = timesNs.map((timeNs, at) => timeNs - (timesNs[at - 1] ?? 0));
    const delivered = [...(series?.flows[0].goodputBps ?? [])].map((rate, at) => (rate * spansNs[at]) / 8e9);
    expect(delivered.reduce((sum, bytes) => sum + bytes, 0)).toBeCloseTo(1e6, 3);
  });

  it('refuses to sample more than memory should hold', () => {
    const probes: Scenario['probes'] = { intervalNs: 1, links: ['left->right'], maxFlows: 64 };
    expect(() => simulate(scenarioWith({ ...TWO_FLOWS, durationNs: 1e9, probes }))).toThrow(/probes.interval is 1 ns/);
  });

  it('takes links of 100 Gbit/s, where a credit lasts 6.72 ns', () => {
    const topology = dumbbell(2, { rateBps: 100e9 });
    const { utilisation, links } = play({ ...TWO_FLOWS, topology, durationNs: 6e6, warmUpNs: 3e6 });
    expect(utilisation).toBeGreaterThan(0.99);
    expect(links.every(({ dataDrops }) => dataDrops === 0)).toBe(true);
  });

  it('charges the time that hosts take to the flows, in the order of frames', () => {
    const one = flow(1, 3, { bytes: 1446 });
    const quick = play({ traffic: [one] }).flows[0].fctNs ?? 0;
    // Request, credit and data are looked at by one host each.
    const slow = play({ traffic: [one], host: { processing: { delayNs: 5e3, jitterNs: 0 } } }).flows[0].fctNs ?? 0;
    expect(slow - quick).toBeCloseTo(15e3, 3);
    const jittered = play({
      traffic: [flow(1, 3, { bytes: 1e6 })],
      host: { processing: { delayNs: 1e3, jitterNs: 20e3 } },
      payload: 'bytes',
    });
    expect(jittered.flows[0].deliveredBytes).toBe(1e6);
  });
});
