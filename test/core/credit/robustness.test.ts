import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floorRateBps } from '../../../src/core/credit/algorithm.js';
import { CREDIT_ALGORITHMS, creditAlgorithm } from '../../../src/core/credit/registry.js';
import { MAX_RATE_CODE, rateOfCode } from '../../../src/wire/rate-code.js';
import { allowLongRuns, holds } from '../../harness/seeds.js';
import { creditSample, ROUND_LINK } from './sample.js';

allowLongRuns();

/** They aim above the link by the target loss, as in the paper. */
const LISTINGS = [
  'expresspass',
  'expresspass-literal',
  'ec4',
  'ec4-literal',
  'spraypass',
  'spraypass-1',
  'spraypass-2',
];
/** What they learn comes with data alone. */
const SEQUENCE_FREE = ['spraypass', 'spraypass-2'];
/** A flow that has next to nothing sends one credit in four update periods. */
const PATIENT = ['steady', 'leaning'];

/** What the network can make of credits: none or all lost, bursts in no time, any rate that has a code, no RTT yet. */
const anySample = fc
  .record({
    known: fc.oneof(fc.nat(200), fc.constant(1e6)),
    lost: fc.oneof(fc.constantFrom(0, 1), fc.double({ min: 0, max: 1, noNaN: true })),
    markedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    spanNs: fc.nat(10_000_000),
    rttNs: fc.integer({ min: 1, max: 1_000_000_000 }),
    minRttNs: fc.oneof(fc.integer({ min: 1, max: 1_000_000_000 }), fc.constant(Number.POSITIVE_INFINITY)),
    rttVariationNs: fc.nat(1_000_000_000),
    heldBack: fc.boolean(),
    explicitBps: fc.nat(MAX_RATE_CODE).map(rateOfCode),
    hop: fc.nat(15),
    nowNs: fc.nat(1e9),
  })
  .map(({ known, lost, markedShare, ...rest }) => {
    const dropped = Math.round(known * lost);
    return creditSample({ known, dropped, marked: Math.round((known - dropped) * markedShare), ...rest });
  });

describe('any algorithm, after any samples', () => {
  it.each(CREDIT_ALGORITHMS.map(({ name }) => name))('%s stays between its floor and its ceiling', (name) => {
    const ceilingBps = ROUND_LINK.maxRateBps * (LISTINGS.includes(name) ? 1.1 : 1);
    holds(fc.array(anySample, { minLength: 1, maxLength: 60 }), 300, (samples) => {
      const algorithm = creditAlgorithm(name, ROUND_LINK);
      for (const sample of samples) {
        const beforeBps = algorithm.rateBps;
        algorithm.update(sample);
        expect(algorithm.rateBps).toBeLessThanOrEqual(ceilingBps * (1 + 1e-12));
        const periodNs = Math.max(sample.rttNs, algorithm.updatePeriodNs(sample.rttNs));
        const sawNothing = sample.known === 0 || (SEQUENCE_FREE.includes(name) && sample.dataFrames === 0);
        const { w = 0.5, offered = Number.POSITIVE_INFINITY } = algorithm.state();
        const floorBps = floorRateBps(ROUND_LINK, (PATIENT.includes(name) ? 4 : 1) * periodNs);
        const lowestBps = sawNothing ? beforeBps : Math.min(floorBps, offered);
        expect(algorithm.rateBps).toBeGreaterThanOrEqual(lowestBps * (1 - 1e-12));
        expect(w).toBeGreaterThanOrEqual(name === 'leaning' ? 0.0025 : 0.01);
        expect(w).toBeLessThanOrEqual(0.6);
      }
    });
  });

  it.each(CREDIT_ALGORITHMS.map(({ name }) => name))('%s learns nothing from a sample without credits', (name) => {
    const algorithm = creditAlgorithm(name, ROUND_LINK);
    algorithm.update(creditSample({ known: 40, dropped: 20, marked: 5 }));
    const before = [algorithm.rateBps, algorithm.state()];
    algorithm.update(creditSample({ known: 0, dataFrames: 0, explicitBps: 300e6 }));
    expect([algorithm.rateBps, algorithm.state()]).toEqual(before);
  });
});
