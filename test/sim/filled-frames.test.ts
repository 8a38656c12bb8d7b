import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/sim/simulate.js';
import { BAD_LINKS, dumbbell, flow, linkFault, scenarioWith } from '../harness/simulations.js';

const FILLED = { endpoint: { frameChunks: 64 } };

function play(changes: Parameters<typeof scenarioWith>[0]) {
  return simulate(scenarioWith({ durationNs: 1e9, endsWithFlows: true, ...changes })).result;
}

/** 40 messages of 600 bytes from one host to another, one each 2 us, and as many from another, to a third that is behind the same link. */
function messages(host: object, changes: object = {}) {
  const traffic = Array.from({ length: 80 }, (_, index) =>
    flow(1 + (index % 2), 9, { bytes: 600, startNs: 2_000 * Math.floor(index / 2) }),
  );
  return play({ topology: dumbbell(8), traffic, host, ...changes });
}

function total(result: ReturnType<typeof messages>, of: 'sent' | 'used') {
  return result.flows.reduce((sum, { credits }) => sum + credits[of], 0);
}

function meanNs({ flows }: ReturnType<typeof messages>): number {
  return flows.reduce((sum, { fctNs }) => sum + (fctNs as number), 0) / flows.length;
}

describe('messages shorter than a frame between two hosts', () => {
  it('share the credits of those that came first, and their time', () => {
    const [without, filled] = [{}, FILLED].map((host) => messages(host));
    expect(total(without, 'used')).toBe(80);
    expect(total(filled, 'used')).toBeLessThan(50);
    expect(total(filled, 'sent')).toBeLessThan(total(without, 'sent'));
    expect(meanNs(filled)).toBeLessThan(0.9 * meanNs(without));
  });

  it('have all arrived at their time, without a timeout, and nothing was lost', () => {
    const result = messages(FILLED);
    for (const { fctNs } of result.flows) expect(fctNs).toBeLessThan(300e3);
    expect(result.links.map(({ dataDrops }) => dataDrops)).toEqual(result.links.map(() => 0));
  });

  it('share nothing where only their receiver knows of chunks: it is the choice of senders', () => {
    const result = messages({}, { hosts: { 9: FILLED } });
    expect(total(result, 'used')).toBe(80);
  });
});

describe('a long flow beside short messages between the same hosts', () => {
  function beside(host: object) {
    const short = Array.from({ length: 40 }, (_, index) => flow(1, 9, { bytes: 600, startNs: 500e3 + 20e3 * index }));
    return messages(host, { traffic: [flow(1, 9, { bytes: 2e6 }), ...short] }).flows.map(
      ({ fctNs }) => fctNs as number,
    );
  }

  it('is no slower, nor are they', () => {
    const [without, filled] = [{}, FILLED].map((host) => beside(host));
    const mean = ([, ...shortNs]: number[]) => shortNs.reduce((sum, ns) => sum + ns, 0) / shortNs.length;
    expect(filled[0]).toBeLessThan(without[0]);
    expect(mean(filled)).toBeLessThan(0.6 * mean(without));
    expect(Math.max(...filled.slice(1))).toBeLessThan(Math.max(...without.slice(1)));
  });
});

describe('a frame with bytes of five flows that is lost', () => {
  it('is repaired for each of them, in no more than the shortest retransmission time and some round trips', () => {
    const traffic = Array.from({ length: 5 }, (_, index) => flow(1, 9, { bytes: 200, startNs: 1_000 * index }));
    // The requests are across; the first credit, which releases the frame, is back at the sender after 100 us.
    const faults = [
      linkFault(90e3, 'left-right', { lossRate: 1, frameTypes: ['data'] }),
      linkFault(190e3, 'left-right', { lossRate: 0 }),
    ];
    const { flows } = messages(FILLED, { traffic, faults });
    for (const { fctNs } of flows) expect(fctNs).toBeLessThan(1e6);
  });
});

describe('filled frames over a bad link', () => {
  it.each(BAD_LINKS)('that %s frames bring every byte in the end, in bytes', (_, impairment) => {
    for (const seed of [1, 2, 3]) {
      const faults = [linkFault(0, 'left-right', impairment)];
      const result = messages(FILLED, { seed, payload: 'bytes', faults });
      for (const { deliveredBytes, error } of result.flows) expect([deliveredBytes, error]).toEqual([600, null]);
      expect(total(result, 'used')).toBeLessThan(80);
    }
  });
});
