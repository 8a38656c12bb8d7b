import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/sim/simulate.js';
import { BAD_LINKS, dumbbell, flow, linkFault, scenarioWith } from '../harness/simulations.js';

/** 10 Gbit/s and an RTT of 100 us. */
const SPECULATIVE = { endpoint: { speculativeRttNs: 100e3 } };
/** One way over the three links of the dumbbell, without the frames' own time. */
const ONE_WAY_NS = 50e3;

function play(changes: Parameters<typeof scenarioWith>[0]) {
  return simulate(scenarioWith({ durationNs: 1e9, endsWithFlows: true, ...changes })).result;
}

/** 8 senders of 20 kB each to one host at once: a quarter of what the bottleneck carries in an RTT fits its queue for such frames. */
function incast(host: object, changes: object = {}) {
  const traffic = [1, 2, 3, 4, 5, 6, 7, 8].map((from) => flow(from, 9, { bytes: 20_000 }));
  return play({ topology: dumbbell(8, { dataQueueBytes: 20 * 1538 }), traffic, host, ...changes });
}

describe('a flow that is alone', () => {
  it('has arrived after one way instead of one and a half round trips', () => {
    const [without, speculative] = [{}, SPECULATIVE].map(
      (host) => play({ traffic: [flow(1, 3, { bytes: 5_000 })], host }).flows[0].fctNs as number,
    );
    expect(speculative).toBeGreaterThan(ONE_WAY_NS);
    // Four frames on three links, none of which waits for another: the request, four frames on the first link and the last one on two more.
    expect(speculative).toBeLessThan(ONE_WAY_NS + 8 * 1231);
    expect(without).toBeGreaterThan(3 * ONE_WAY_NS);
  });

  it('gets no credit at all', () => {
    const { credits } = play({ traffic: [flow(1, 3, { bytes: 5_000 })], host: SPECULATIVE }).flows[0];
    expect(credits).toEqual({ sent: 0, used: 0, unused: 0, dropped: 0 });
  });

  it('goes on with credits where it has more than fits an RTT', () => {
    const [without, speculative] = [{}, SPECULATIVE].map((host) =>
      play({ traffic: [flow(1, 3, { bytes: 1e6 })], host }),
    );
    expect(speculative.flows[0].fctNs).toBeLessThan((without.flows[0].fctNs as number) - ONE_WAY_NS);
    expect(speculative.flows[0].credits.used).toBeLessThan(without.flows[0].credits.used);
  });
});

describe('an incast of speculative flows', () => {
  it('loses speculative frames only, and repairs them with credits, without a timeout', () => {
    const result = incast(SPECULATIVE);
    const lost = result.links.reduce((sum, link) => sum + link.speculativeDrops, 0);
    expect(lost).toBeGreaterThan(10);
    expect(result.links.map(({ dataDrops }) => dataDrops)).toEqual(result.links.map(() => 0));
    // 160 kB take 140 us; the least timeout of the protocol is 20 ms here.
    for (const { fctNs } of result.flows) expect(fctNs).toBeLessThan(600e3);
  });

  it('is slower than without by a hundredth at most, although hardly anything of it gets through', () => {
    const mean = ({ flows }: ReturnType<typeof incast>) =>
      flows.reduce((sum, { fctNs }) => sum + (fctNs as number), 0) / flows.length;
    expect(mean(incast(SPECULATIVE))).toBeLessThan(1.01 * mean(incast({})));
  });

  it('brings no more than ten frames of each sender before their paths are proved', () => {
    const [bounded, unbounded] = [{ unprovedFrames: 10 }, {}].map((changes) => {
      const host = { endpoint: { ...SPECULATIVE.endpoint, ...changes } };
      const traffic = [1, 2, 3, 4, 5, 6, 7, 8].flatMap((from) => Array(4).fill(flow(from, 9, { bytes: 60_000 })));
      const result = play({ topology: dumbbell(8, { dataQueueBytes: 20 * 1538 }), traffic, host });
      for (const { fctNs, error } of result.flows) expect([fctNs !== null, error]).toEqual([true, null]);
      return result.links.reduce((sum, link) => sum + link.speculativeDrops, 0);
    });
    expect(bounded).toBeGreaterThan(0);
    expect(bounded).toBeLessThan(8 * 10);
    expect(unbounded).toBeGreaterThan(4 * bounded);
  });

  it('leaves flows with credits without loss', () => {
    const long = flow(1, 9, { bytes: 2e6, group: 'long' });
    const bursts = [2, 3, 4, 5, 6, 7, 8].map((from) =>
      flow(from, 9, { bytes: 50_000, startNs: 1e6, startJitterNs: 1e5 }),
    );
    const result = play({
      topology: dumbbell(8, { dataQueueBytes: 20 * 1538 }),
      traffic: [long, ...bursts],
      hosts: Object.fromEntries([2, 3, 4, 5, 6, 7, 8].map((id) => [id, SPECULATIVE])),
    });
    expect(result.links.reduce((sum, link) => sum + link.speculativeDrops, 0)).toBeGreaterThan(0);
    expect(result.links.reduce((sum, link) => sum + link.dataDrops, 0)).toBe(0);
    for (const { fctNs, error } of result.flows) expect([fctNs !== null, error]).toEqual([true, null]);
  });
});

describe('speculative flows over a bad link', () => {
  it.each(BAD_LINKS)('that %s frames have every byte in the end, in bytes', (_, impairment) => {
    for (const seed of [1, 2, 3]) {
      const result = incast(SPECULATIVE, { seed, payload: 'bytes', faults: [linkFault(0, 'left-right', impairment)] });
      for (const { deliveredBytes, error } of result.flows) expect([deliveredBytes, error]).toEqual([20_000, null]);
    }
  });
});
