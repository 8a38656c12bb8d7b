import { describe, expect, it } from 'vitest';
import type { FlowResult, SimulationResult } from '../../src/sim/result.js';
import type { Fault } from '../../src/sim/scenario.js';
import { simulate } from '../../src/sim/simulate.js';
import { type Changes, dumbbell, flow, linkFault, scenarioWith } from '../harness/simulations.js';

const BYTES = 4_000_000;

/** A flow of 4 MB, 3.6 ms long when nothing happens, checked byte by byte. */
function play(changes: Changes): SimulationResult {
  const traffic = [flow(1, 3, { bytes: BYTES })];
  return simulate(
    scenarioWith({ traffic, durationNs: 30e9, endsWithFlows: true, slowdowns: false, payload: 'bytes', ...changes }),
  ).result;
}

function complete({ flows }: SimulationResult): FlowResult {
  expect(flows[0].error).toBeNull();
  expect(flows[0].deliveredBytes).toBe(BYTES);
  return flows[0];
}

const UNDISTURBED_NS = complete(play({})).fctNs ?? 0;

describe('faults', () => {
  it.each([
    ['loss', { lossRate: 0.05 }],
    ['bursts of loss', { burstEnterRate: 0.02, burstLeaveRate: 0.3, burstLossRate: 0.9 }],
    ['duplication', { duplicateRate: 0.05 }],
    ['reordering', { reorderRate: 0.05, reorderDelayNs: 30e3 }],
    ['corruption', { corruptRate: 0.05 }],
    ['jitter', { jitterNs: 50e3 }],
  ])('of a link: %s is repaired', (_, impairment) => {
    const result = play({ faults: [linkFault(0.5e6, 'left-right', impairment)] });
    expect(complete(result).fctNs).toBeGreaterThanOrEqual(UNDISTURBED_NS * 0.98);
  });

  it('of a link: down for 5 ms costs about as much', () => {
    const faults = [linkFault(1e6, 'left-right', { down: true }), linkFault(6e6, 'left-right', { down: false })];
    const result = play({ faults });
    const lostNs = (complete(result).fctNs ?? 0) - UNDISTURBED_NS;
    expect(lostNs).toBeGreaterThan(4.5e6);
    expect(lostNs).toBeLessThan(20e6);
    expect(result.links.find(({ name }) => name === 'left->right')?.lost).toBeGreaterThan(0);
  });

  it.each(['bytes', 'lengths'] as const)(
    'of a link: flows of %s outlive an MTU that shrinks, and use what is left',
    (payload) => {
      const host = { endpoint: { unprobedFrameBytes: 1_472 } };
      const faults = [linkFault(1e6, 'left-right', { mtuBytes: 1_300 })];
      const doors = payload === 'bytes' ? { doors: true } : {};
      const result = play({ faults, host, payload, ...doors });
      expect((complete(result).fctNs ?? 0) - UNDISTURBED_NS).toBeLessThan(100e6);
      const lost = result.links.find(({ name }) => name === 'left->right');
      expect(lost?.lost).toBeGreaterThan(100);
    },
  );

  it('of a link: a tenth of the rate takes ten times as long', () => {
    const result = play({
      faults: [{ kind: 'link', atNs: 0, link: 'left-right', port: { rateBps: 1e9 }, impairment: {} }],
    });
    const factor = (complete(result).fctNs ?? 0) / UNDISTURBED_NS;
    expect(factor).toBeGreaterThan(7);
    expect(factor).toBeLessThan(13);
  });

  it("of a host's link: a lower rate meters the credits that the host sends, too", () => {
    const faults: Fault[] = [{ kind: 'link', atNs: 0, link: 'h3', port: { rateBps: 1e9 }, impairment: {} }];
    const result = play({ faults });
    const factor = (complete(result).fctNs ?? 0) / UNDISTURBED_NS;
    expect(factor).toBeGreaterThan(7);
    const linkOf = (name: string) => result.links.find((link) => link.name === name);
    expect(linkOf('left->h1')?.creditsOffered).toBeLessThan(1.2 * (BYTES / 1400));
    expect(linkOf('right->h3')?.dataDrops).toBe(0);
    expect(linkOf('right->h3')?.dataQueueBytesMax).toBeLessThan(10 * 1538);
  });

  it.each(['', 'swift', 'timely'])(
    "of a host's link: a flow takes a higher rate as it runs (%j)",
    (windowAlgorithm) => {
      const topology = dumbbell(2, { rateBps: 1e9 });
      const host = { endpoint: { windowAlgorithm } };
      const faults = ['h1', 'left-right', 'h3'].map(
        (link): Fault => ({ kind: 'link', atNs: 2e6, link, port: { rateBps: 1e10 }, impairment: {} }),
      );
      const [slowNs, hastenedNs] = [[], faults].map(
        (each) => complete(play({ topology, host, faults: each })).fctNs ?? 0,
      );
      // 2 ms at the lower rate, of 36. TIMELY takes 10 Mbit/s more for each 16 KB, whatever the link.
      expect(hastenedNs).toBeLessThan((windowAlgorithm === 'timely' ? 0.9 : 0.25) * slowNs);
    },
  );

  it('of a switch: what it held is lost and repaired', () => {
    const result = play({ faults: [{ kind: 'switchRestart', atNs: 1e6, switch: 'left', forNs: 2e6 }] });
    expect((complete(result).fctNs ?? 0) - UNDISTURBED_NS).toBeGreaterThan(1.9e6);
    expect(result.links.reduce((sum, { lost }) => sum + lost, 0)).toBeGreaterThan(0);
  });

  it('of a host: flows from it end, flows to it end, and new ones run when it is back', () => {
    const result = play({
      faults: [{ kind: 'hostCrash', atNs: 1e6, host: 3, forNs: 1e6 }],
      traffic: [
        flow(1, 3, { bytes: BYTES }),
        flow(3, 1, { bytes: BYTES }),
        flow(3, 2, { bytes: BYTES, startNs: 1.5e6 }),
        flow(2, 3, { bytes: 1e5, startNs: 3e6 }),
      ],
    });
    const [to, from, meanwhile, later] = result.flows;
    expect(to.error).not.toBeNull();
    expect(from.error).toBe('hostCrash');
    expect(meanwhile.error).toBe('hostDown');
    expect([later.error, later.deliveredBytes]).toEqual([null, 1e5]);
  });

  it('of a host: one that never comes back is given up', () => {
    const never = Number.POSITIVE_INFINITY;
    const { flows } = play({ faults: [{ kind: 'hostCrash', atNs: 1e6, host: 3, forNs: never }] });
    expect(flows[0].error).toBe('idle');
  });

  it('of a host: of crashes that overlap the last end counts, and what began after it goes on', () => {
    const { flows } = play({
      faults: [
        { kind: 'hostCrash', atNs: 1e6, host: 3, forNs: 4e6 },
        { kind: 'hostCrash', atNs: 2e6, host: 3, forNs: 1e6 },
        { kind: 'hostCrash', atNs: 2.5e6, host: 3, forNs: 2.5e6 },
      ],
      traffic: [
        flow(1, 3, { bytes: 1e5, startNs: 3.5e6 }),
        flow(3, 1, { bytes: 1e5, startNs: 4e6 }),
        flow(3, 2, { bytes: 1e5, startNs: 5.5e6 }),
      ],
    });
    expect(flows.map(({ error }) => error)).toEqual([null, 'hostDown', null]);
    expect(flows[0].fctNs).toBeGreaterThan(1.5e6);
  });

  it('of a switch: of restarts that overlap the last end counts', () => {
    const faults = [
      { kind: 'switchRestart' as const, atNs: 1e6, switch: 'left', forNs: 4e6 },
      { kind: 'switchRestart' as const, atNs: 2e6, switch: 'left', forNs: 1e6 },
    ];
    expect((complete(play({ faults })).fctNs ?? 0) - UNDISTURBED_NS).toBeGreaterThan(3.9e6);
  });

  it('of a reader: a slow one slows its flow down and loses nothing', () => {
    const result = play({
      host: { endpoint: { receiveWindowBytes: 200_000 } },
      faults: [{ kind: 'reader', atNs: 0, host: 3, rateBps: 1e9 }],
    });
    const { fctNs } = complete(result);
    expect(fctNs).toBeGreaterThan(((BYTES - 200_000) * 8e9) / 1e9);
    expect(fctNs).toBeLessThan((BYTES * 8e9 * 1.2) / 1e9);
  });

  it('of a reader: one that becomes fast again makes up for it', () => {
    const result = play({
      host: { endpoint: { receiveWindowBytes: 200_000 } },
      faults: [
        { kind: 'reader', atNs: 0, host: 3, rateBps: 1e6 },
        { kind: 'reader', atNs: 5e6, host: 3, rateBps: Number.POSITIVE_INFINITY },
      ],
    });
    expect(complete(result).fctNs).toBeLessThan(5e6 + 3 * UNDISTURBED_NS);
  });

  it('of a clock: 500 ppm either way do no harm', () => {
    const faults = [
      { kind: 'clock' as const, atNs: 0.5e6, host: 1, driftPpm: -500 },
      { kind: 'clock' as const, atNs: 1.5e6, host: 3, driftPpm: 500 },
    ];
    const { fctNs } = complete(play({ faults, hosts: { 3: { clockDriftPpm: -500 } } }));
    expect(Math.abs((fctNs ?? 0) / UNDISTURBED_NS - 1)).toBeLessThan(0.01);
  });
});
