import { describe, expect, it } from 'vitest';
import { ParameterError } from '../../../src/base/parameters.js';
import { checkLink, resolveParameters } from '../../../src/core/credit/parameters.js';
import { CREDIT_ALGORITHMS, findCreditAlgorithm } from '../../../src/core/credit/registry.js';

const steady = findCreditAlgorithm('steady');

function errorOf(action: () => unknown): ParameterError {
  try {
    action();
  } catch (error) {
    if (error instanceof ParameterError) return error;
  }
  throw new Error('a ParameterError was expected');
}

describe('the parameters of an algorithm', () => {
  it('are the defaults but for what is given', () => {
    const resolved = resolveParameters(steady, { lean: 0.1 });
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
    for (const { default: value, min, max, name } of definition.parameters) {
      expect(value, name).toBeGreaterThanOrEqual(min);
      expect(value, name).toBeLessThanOrEqual(max);
    }
  });

  it('may be set to their limits', () => {
    for (const { name, min, max } of steady.parameters) {
      expect(resolveParameters(steady, { [name]: min })[name]).toBe(min);
      expect(resolveParameters(steady, { [name]: max })[name]).toBe(max);
    }
  });

  it.each([1.5, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuse %s by name, with value and range', (value) => {
    const { code, field, message } = errorOf(() => resolveParameters(steady, { lean: value }));
    expect({ code, field }).toEqual({ code: 'config', field: 'lean' });
    expect(message).toBe(`parameter lean is ${value}: allowed is 0.001 to 0.5 (1)`);
  });

  it('refuse a name that is not declared and list those that are', () => {
    expect(errorOf(() => resolveParameters(steady, { leaning: 0.1 })).message).toBe(
      "credit algorithm steady has no parameter 'leaning': allowed are initial_rate, period_rtts, period_credits, " +
        'unheard_credits, tolerated_loss, queued_loss, memory, lean',
    );
    expect(errorOf(() => resolveParameters(findCreditAlgorithm('naive'), { w_max: 0.4 })).message).toBe(
      "credit algorithm naive has no parameter 'w_max': it has none",
    );
  });
});

describe('a credited link', () => {
  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('cannot have a rate of %s', (maxRateBps) => {
    const { field, message } = errorOf(() => checkLink({ maxRateBps, bytesPerCredit: 1626 }));
    expect(field).toBe('maxRateBps');
    expect(message).toContain(`${maxRateBps}`);
  });

  it('needs bytes for a credit', () => {
    expect(errorOf(() => checkLink({ maxRateBps: 1e9, bytesPerCredit: 0 })).field).toBe('bytesPerCredit');
  });
});
