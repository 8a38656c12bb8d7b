import { describe, expect, it } from 'vitest';
import {
  findWindowAlgorithm,
  isWindowAlgorithm,
  resolveWindowParameters,
  WINDOW_ALGORITHMS,
  windowAlgorithm,
} from '../../../src/core/window/registry.js';
import { TEN_GIGABIT } from './sample.js';

const names = WINDOW_ALGORITHMS.map(({ name }) => name);

describe('the registry of window algorithms', () => {
  it('finds each by its name and no other', () => {
    for (const definition of WINDOW_ALGORITHMS) expect(findWindowAlgorithm(definition.name)).toBe(definition);
    expect(names.every(isWindowAlgorithm)).toBe(true);
    expect(isWindowAlgorithm('steady')).toBe(false);
    expect(() => findWindowAlgorithm('steady')).toThrow(
      `there is no window algorithm 'steady'; allowed: ${names.join(', ')}`,
    );
  });

  it.each(WINDOW_ALGORITHMS)('makes $name with the window of a new flow', ({ name }) => {
    const flow = windowAlgorithm(name, TEN_GIGABIT);
    expect(flow.name).toBe(name);
    expect(flow.windowFrames).toBeGreaterThan(0);
    expect(flow.pacingGapNs).toBeGreaterThanOrEqual(0);
    for (const value of Object.values(flow.state())) expect(value).not.toBeNaN();
  });

  it.each(WINDOW_ALGORITHMS)(
    'declares the parameters of $name within their own ranges, each once',
    ({ parameters }) => {
      expect(new Set(parameters.map(({ name }) => name)).size).toBe(parameters.length);
      for (const { name, default: value, kind } of parameters) expect(kind.accepts(value), name).toBe(true);
    },
  );

  it('refuses a parameter by name, and a link without a rate', () => {
    expect(() => resolveWindowParameters(findWindowAlgorithm('dctcp'), { w_max: 1 })).toThrow(
      /^window algorithm dctcp has no parameter 'w_max'; allowed: g, /,
    );
    expect(() => windowAlgorithm('dctcp', { ...TEN_GIGABIT, maxRateBps: Number.POSITIVE_INFINITY })).toThrow(
      "maxRateBps of a flow's link is Infinity",
    );
  });
});
