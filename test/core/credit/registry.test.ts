import { describe, expect, it } from 'vitest';
import { RecordArena } from '../../../src/base/record-arena.js';
import { ALGORITHM_NUMBERS, creditGapNs, floorRateBps, updatePeriodNs } from '../../../src/core/credit/algorithm.js';
import {
  CREDIT_ALGORITHMS,
  checkLink,
  creditAlgorithm,
  creditAlgorithmMaker,
  DEFAULT_CREDIT_ALGORITHM,
  findCreditAlgorithm,
  resolveCreditParameters,
} from '../../../src/core/credit/registry.js';
import { refusal } from '../../harness/refusal.js';
import { creditSample, ROUND_LINK } from './sample.js';

describe('the registry of credit algorithms', () => {
  it.each(CREDIT_ALGORITHMS.map(({ name }) => name))('makes %s by name, at a rate that the link has', (name) => {
    const algorithm = creditAlgorithm(name, ROUND_LINK);
    expect(algorithm.name).toBe(name);
    expect(algorithm.rateBps).toBeGreaterThan(0);
    expect(algorithm.rateBps).toBeLessThanOrEqual(ROUND_LINK.maxRateBps);
  });

  it('holds the default first', () => {
    expect(CREDIT_ALGORITHMS.map(({ name }) => name)).toEqual([
      'steady',
      'leaning',
      'expresspass',
      'expresspass-literal',
      'expresspass-ns2',
      'expresspass-2016',
      'ec4',
      'ec4-literal',
      'naive',
      'spraypass',
      'spraypass-1',
      'spraypass-2',
    ]);
    expect(DEFAULT_CREDIT_ALGORITHM).toBe('steady');
  });

  it('lists what there is when it is asked for something else', () => {
    expect(() => creditAlgorithm('express', ROUND_LINK)).toThrow(
      expect.objectContaining({
        code: 'config',
        path: ['algorithm'],
        message:
          "there is no credit algorithm 'express'; allowed: steady, leaning, expresspass, expresspass-literal, " +
          'expresspass-ns2, expresspass-2016, ec4, ec4-literal, naive, spraypass, spraypass-1, spraypass-2',
      }),
    );
  });

  it.each(CREDIT_ALGORITHMS.map(({ name }) => name))('keeps what %s remembers of each of many flows apart', (name) => {
    const make = creditAlgorithmMaker(name, ROUND_LINK, {}, new RecordArena(ALGORITHM_NUMBERS));
    const together = Array.from({ length: 20 }, make);
    const alone = together.map(() => creditAlgorithm(name, ROUND_LINK));
    for (let round = 1; round <= 30; round++) {
      for (const flows of [together, alone]) {
        for (const [index, flow] of flows.entries())
          flow.update(creditSample({ nowNs: round * 1e6, known: 40, dropped: (round * index) % 40, spanNs: 400_000 }));
      }
    }
    expect(together.map((flow) => [flow.rateBps, flow.state()])).toEqual(
      alone.map((flow) => [flow.rateBps, flow.state()]),
    );
  });

  it('passes parameters on, and checks them and the link', () => {
    expect(creditAlgorithm('expresspass', ROUND_LINK, { initial_rate: 0.25 }).rateBps).toBe(0.25e9);
    expect(() => creditAlgorithm('expresspass', ROUND_LINK, { initial_rate: 2 })).toThrow('initial_rate is 2');
    expect(() => creditAlgorithm('naive', { ...ROUND_LINK, maxRateBps: Number.POSITIVE_INFINITY })).toThrow(
      'maxRateBps',
    );
  });
});

const steady = findCreditAlgorithm('steady');

describe('the parameters of an algorithm', () => {
  it('are the defaults but for what is given', () => {
    const resolved = resolveCreditParameters(steady, { lean: 0.1 });
    expect(resolved).toEqual({
      initial_rate: 0.0625,
      period_rtts: 0.25,
      period_credits: 4,
      unheard_credits: 88,
      tolerated_loss: 0.4,
      queued_loss: 0.1,
      memory: 200,
      lean: 0.1,
    });
  });

  it.each(CREDIT_ALGORITHMS)('are declared within their own ranges by $name', (definition) => {
    const names = definition.parameters.map((parameter) => parameter.name);
    expect(new Set(names).size).toBe(names.length);
    for (const { default: value, kind, name } of definition.parameters) expect(kind.accepts(value), name).toBe(true);
  });

  it('may be set to their limits', () => {
    for (const { name, kind } of steady.parameters) {
      for (const limit of [kind.lowest, kind.highest])
        expect(resolveCreditParameters(steady, { [name]: limit })[name]).toBe(limit);
    }
  });

  it.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuse %s by name, with value and range', (value) => {
    expect(() => resolveCreditParameters(steady, { lean: value })).toThrow(
      expect.objectContaining({
        code: 'config',
        path: ['lean'],
        message: `parameter lean is ${value}; allowed: a number from 0.001 to 0.5`,
      }),
    );
  });

  it('refuse a name that is not declared and list those that are', () => {
    expect(refusal(() => resolveCreditParameters(steady, { leaning: 0.1 }))).toBe(
      "credit algorithm steady has no parameter 'leaning'; allowed: initial_rate, period_rtts, period_credits, " +
        'unheard_credits, tolerated_loss, queued_loss, memory, lean',
    );
    expect(refusal(() => resolveCreditParameters(findCreditAlgorithm('naive'), { w_max: 0.4 }))).toBe(
      "credit algorithm naive has no parameter 'w_max'; allowed: none",
    );
  });
});

describe('a credited link', () => {
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('cannot have a rate of %s', (maxRateBps) => {
    expect(refusal(() => checkLink({ maxRateBps, bytesPerCredit: 1626 }))).toContain(
      `maxRateBps of a credited link is ${maxRateBps}`,
    );
  });

  it('needs bytes for a credit', () => {
    expect(refusal(() => checkLink({ maxRateBps: 1e9, bytesPerCredit: 0 }))).toContain('bytesPerCredit');
  });
});

const at = (maxRateBps: number) => ({ maxRateBps, bytesPerCredit: 1626 });

/** Name, credits that a period holds at least, RTTs that it lasts. */
const PERIODS: readonly [string, number, number][] = [
  ['steady', 4, 0.25],
  ['leaning', 32, 0.5],
  ['expresspass', 32, 1],
  ['expresspass-literal', 1, 1],
  ['expresspass-ns2', 1, 1],
  ['expresspass-2016', 1, 1],
  ['ec4', 32, 1],
  ['ec4-literal', 32, 1],
  ['naive', 1, 1],
  ['spraypass', 32, 1],
  ['spraypass-1', 32, 1],
  ['spraypass-2', 32, 1],
];

describe('the update period', () => {
  it('is the RTT on a fast link', () => {
    // 32 credits of 1,626 B take 41.6 us at 10 Gbit/s.
    expect(updatePeriodNs(at(1e10), 100_000, 32)).toBe(100_000);
  });

  it('is the time of some credits on a slow one', () => {
    expect(creditGapNs(at(1e8), 1e8)).toBeCloseTo(130_080, 6);
    expect(updatePeriodNs(at(1e8), 300_000, 32)).toBeCloseTo(32 * 130_080, 6);
    expect(updatePeriodNs(at(1e8), 0, 32)).toBeCloseTo(32 * 130_080, 6);
  });

  it('is known of every algorithm', () => {
    expect(PERIODS.map(([name]) => name).sort()).toEqual(CREDIT_ALGORITHMS.map(({ name }) => name).sort());
  });

  it.each(PERIODS)('of %s holds %i credits, or lasts %d RTTs', (name, credits, rtts) => {
    const algorithm = creditAlgorithm(name, at(1e8));
    expect(algorithm.updatePeriodNs(0)).toBeCloseTo(credits * 130_080, 6);
    expect(algorithm.updatePeriodNs(1e8)).toBe(rtts * 1e8);
  });
});

describe('the lowest rate', () => {
  it('is one credit an update period', () => {
    expect(creditGapNs(at(1e10), floorRateBps(at(1e10), 100_000))).toBeCloseTo(100_000, 6);
  });
});
