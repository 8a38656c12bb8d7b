import { describe, expect, it } from 'vitest';
import { ALGORITHM_NAMES, algorithmFields, checkAlgorithms, rulingAlgorithm } from '../../src/core/algorithms.js';

describe('algorithms by name', () => {
  it('are of one kind each, the default first', () => {
    expect(ALGORITHM_NAMES[0]).toBe('steady');
    expect(new Set(ALGORITHM_NAMES).size).toBe(ALGORITHM_NAMES.length);
    expect(ALGORITHM_NAMES).toEqual(
      expect.arrayContaining(['naive', 'ec4', 'dctcp', 'swift', 'cubic', 'timely', 'hull', 'dx']),
    );
  });

  it('mean windows for the flows that a host opens, or credits for those that it receives', () => {
    expect(algorithmFields('dctcp', { g: 0.5 })).toEqual({ windowAlgorithm: 'dctcp', windowParameters: { g: 0.5 } });
    expect(algorithmFields('naive')).toEqual({ creditAlgorithm: 'naive', creditParameters: {} });
    expect(algorithmFields('naive', {}, { windowAlgorithm: 'swift' })).toEqual({
      creditAlgorithm: 'naive',
      creditParameters: {},
      windowAlgorithm: '',
      windowParameters: {},
    });
  });

  it('are refused with what is allowed', () => {
    expect(() => checkAlgorithms({ windowAlgorithm: 'swift', windowParameters: { g: 1 } })).toThrow(
      /window algorithm swift has no parameter 'g'/,
    );
    expect(() => checkAlgorithms({ creditAlgorithm: 'naive', creditParameters: { w_max: 1 } })).toThrow(
      /credit algorithm naive has no parameter 'w_max'/,
    );
    expect(() => checkAlgorithms({ windowAlgorithm: 'hull', windowParameters: { pacing_gain: 2 } })).not.toThrow();
  });

  it("rule a flow by its sender's window, or else by its receiver's credits", () => {
    expect(rulingAlgorithm({ windowAlgorithm: 'swift' }, { creditAlgorithm: 'naive' })).toBe('swift');
    expect(rulingAlgorithm({ creditAlgorithm: 'ec4' }, { creditAlgorithm: 'naive' })).toBe('naive');
    expect(rulingAlgorithm({}, { windowAlgorithm: 'swift' })).toBe('steady');
    expect(rulingAlgorithm({ windowAlgorithm: 'swift' }, {}, 'dctcp')).toBe('dctcp');
    expect(rulingAlgorithm({ windowAlgorithm: 'swift' }, { creditAlgorithm: 'ec4' }, '')).toBe('ec4');
  });
});
