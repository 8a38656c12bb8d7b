import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { positionOn, type ScaleRoom, scaleOf } from '../../../../src/apps/shared/plot/scale.js';

const TO_TICKS: ScaleRoom = { ticks: 6, fromZero: true, toTicks: true, padding: 0 };
const EXACT: ScaleRoom = { ticks: 7, fromZero: false, toTicks: false, padding: 0 };

function labels(values: number[], scale: 'linear' | 'log2' | 'log10' = 'linear', room = TO_TICKS): string[] {
  return [...scaleOf({ name: '', scale }, values, room).labels];
}

describe('a linear axis', () => {
  it('begins at 0 and ends at the tick beyond the data', () => {
    expect(labels([3.1, 9.6])).toEqual(['0', '2', '4', '6', '8', '10']);
    expect(labels([14])).toEqual(['0.0', '2.5', '5.0', '7.5', '10.0', '12.5', '15.0']);
  });

  it('goes below 0 for data below 0', () => {
    expect(labels([-0.2, 0.1])).toEqual(['-0.20', '-0.15', '-0.10', '-0.05', '0.00', '0.05', '0.10']);
  });

  it('begins and ends with the data where it need not reach a tick, and leaves room for markers', () => {
    expect(scaleOf({ name: '' }, [1.5, 11.5], EXACT)).toMatchObject({ min: 1.5, max: 11.5, ticks: [2, 4, 6, 8, 10] });
    expect(scaleOf({ name: '' }, [0, 10], { ...EXACT, padding: 0.1 })).toMatchObject({ min: -1, max: 11 });
  });

  it('has ends that were asked for, also where all data is beyond them', () => {
    expect(scaleOf({ name: '', min: 0.7, max: 1.05 }, [0.2, 3], TO_TICKS)).toMatchObject({ min: 0.7, max: 1.05 });
    const beyond = scaleOf({ name: '', min: 5 }, [1, 2], TO_TICKS);
    expect(beyond.min).toBe(5);
    expect(beyond.max).toBeGreaterThan(5);
    expect(() => scaleOf({ name: '', min: 2, max: 2 }, [1], TO_TICKS)).toThrow('begins before it ends');
  });

  it('has room around one value, around zeros and without any', () => {
    expect(labels([5, 5], 'linear', EXACT)).toEqual(['3', '4', '5', '6', '7']);
    expect(labels([0, 0])).toEqual(['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']);
    expect(labels([Number.NaN, Infinity])).toEqual(labels([0]));
  });

  it('groups digits from five on, and writes large and small numbers with an exponent', () => {
    expect(labels([4000]).at(-1)).toBe('4000');
    expect(labels([40_000]).at(-1)).toBe('40,000');
    expect(labels([4e9])).toEqual(['0', '1e9', '2e9', '3e9', '4e9']);
    expect(labels([3e-9])).toEqual(['0', '5e-10', '1e-9', '1.5e-9', '2e-9', '2.5e-9', '3e-9']);
  });

  it('holds its data and its ticks, and has at least three ticks, whatever the data', () => {
    const room = fc.constantFrom(TO_TICKS, EXACT, { ...EXACT, padding: 0.08 });
    const data = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(data, room, (values, kind) => {
        const { min, max, ticks } = scaleOf({ name: '' }, values, kind);
        const slack = (max - min) * 1e-5;
        expect(ticks.length).toBeGreaterThanOrEqual(3);
        expect(ticks.length).toBeLessThanOrEqual(kind.ticks + 2);
        for (const value of [...values, ...ticks]) {
          expect(value).toBeGreaterThanOrEqual(min - slack);
          expect(value).toBeLessThanOrEqual(max + slack);
        }
      }),
    );
  });
});

describe('a logarithmic axis', () => {
  it('has its ticks at powers of its base', () => {
    expect(labels([1, 2048], 'log2', { ...EXACT, ticks: 12 })).toEqual([
      '1',
      '2',
      '4',
      '8',
      '16',
      '32',
      '64',
      '128',
      '256',
      '512',
      '1024',
      '2048',
    ]);
    expect(labels([0.02, 300], 'log10')).toEqual(['0.01', '0.1', '1', '10', '100', '1000']);
  });

  it('leaves powers out where there are too many', () => {
    expect(labels([1, 2048], 'log2', EXACT)).toEqual(['1', '4', '16', '64', '256', '1024']);
  });

  it('writes powers of two below 1 as fractions', () => {
    expect(labels([1 / 32, 1], 'log2', EXACT)).toEqual(['1/32', '1/16', '1/8', '1/4', '1/2', '1']);
  });

  it('has other ticks where it is short', () => {
    expect(labels([2, 60], 'log10', EXACT)).toEqual(['2', '5', '10', '20', '50']);
    expect(labels([2.1, 2.2], 'log10', EXACT)).toEqual(['2.10', '2.12', '2.14', '2.16', '2.18', '2.20']);
    expect(labels([3, 3], 'log10', EXACT).length).toBeGreaterThanOrEqual(3);
  });

  it('knows nothing of values that are not above 0', () => {
    expect(labels([-5, 0, 10, 1000], 'log10', EXACT)).toEqual(['10', '100', '1000']);
    expect(labels([], 'log10').length).toBeGreaterThanOrEqual(2);
  });
});

describe('a position on an axis', () => {
  it('is from 0 to 1, by the axis', () => {
    expect(positionOn(scaleOf({ name: '' }, [0, 8], EXACT), 2)).toBe(0.25);
    expect(positionOn(scaleOf({ name: '', scale: 'log2' }, [1, 256], EXACT), 4)).toBeCloseTo(0.25, 12);
  });
});
