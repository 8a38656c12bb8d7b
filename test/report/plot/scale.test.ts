import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupScale, placedScale, type ScaleRoom, scaleOf } from '../../../src/report/plot/scale.js';

const TO_TICKS: ScaleRoom = { ticks: 6, fromZero: true, toTicks: true, padding: 0 };
const EXACT: ScaleRoom = { ticks: 7, fromZero: false, toTicks: false, padding: 0 };

function labels(values: number[], scale: 'linear' | 'log2' | 'log10' = 'linear', room = TO_TICKS): string[] {
  return scaleOf({ name: '', scale }, values, room).ticks.flatMap(({ label }) => (label === '' ? [] : [label]));
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
    const exact = scaleOf({ name: '' }, [1.5, 11.5], EXACT);
    expect([exact.at(1.5), exact.at(11.5)]).toEqual([0, 1]);
    expect(exact.ticks.map(({ value }) => value)).toEqual([2, 4, 6, 8, 10]);
    const padded = scaleOf({ name: '' }, [0, 10], { ...EXACT, padding: 0.1 });
    expect([padded.at(-1), padded.at(11)]).toEqual([0, 1]);
  });

  it('has ends that were asked for, also where all data is beyond them', () => {
    const asked = scaleOf({ name: '', min: 0.7, max: 1.05 }, [0.2, 3], TO_TICKS);
    expect([asked.at(0.7), asked.at(1.05)]).toEqual([0, 1]);
    expect([0.6, 0.7, 1.05, 1.1].map(asked.isInside)).toEqual([false, true, true, false]);
    const beyond = scaleOf({ name: '', min: 5 }, [1, 2], TO_TICKS);
    expect(beyond.at(5)).toBe(0);
    expect(beyond.ticks.length).toBeGreaterThanOrEqual(3);
    expect(() => scaleOf({ name: '', min: 2, max: 2 }, [1], TO_TICKS)).toThrow('begins before it ends');
  });

  it('has room around one value, around zeros and without any', () => {
    expect(labels([5, 5], 'linear', EXACT)).toEqual(['3', '4', '5', '6', '7']);
    expect(labels([0, 0])).toEqual(['0.0', '0.2', '0.4', '0.6', '0.8', '1.0']);
    expect(labels([Number.NaN, Infinity])).toEqual(labels([0]));
  });

  it('groups digits, and writes large and small numbers with an exponent', () => {
    expect(labels([4000]).at(-1)).toBe('4,000');
    expect(labels([4_000_000]).at(-1)).toBe('4,000,000');
    expect(labels([4e9])).toEqual(['0', '1e9', '2e9', '3e9', '4e9']);
    expect(labels([3e-9])).toEqual(['0', '5e-10', '1e-9', '1.5e-9', '2e-9', '2.5e-9', '3e-9']);
  });

  it('holds its data and its ticks, and has at least three ticks, whatever the data', () => {
    const room = fc.constantFrom(TO_TICKS, EXACT, { ...EXACT, padding: 0.08 });
    const data = fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(data, room, (values, kind) => {
        const { at, ticks } = scaleOf({ name: '' }, values, kind);
        expect(ticks.length).toBeGreaterThanOrEqual(3);
        expect(ticks.length).toBeLessThanOrEqual(kind.ticks + 2);
        for (const value of [...values, ...ticks.map((tick) => tick.value)]) {
          expect(at(value)).toBeGreaterThanOrEqual(-1e-5);
          expect(at(value)).toBeLessThanOrEqual(1 + 1e-5);
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
      '1,024',
      '2,048',
    ]);
    expect(labels([0.02, 300], 'log10')).toEqual(['0.01', '0.1', '1', '10', '100', '1,000']);
  });

  it('leaves labels out where there are too many, but never the first', () => {
    expect(labels([1, 2048], 'log2', EXACT)).toEqual(['1', '4', '16', '64', '256', '1,024']);
    expect(labels([2, 256], 'log2', EXACT)).toEqual(['2', '8', '32', '128']);
  });

  it('has minor ticks within decades', () => {
    const { ticks } = scaleOf({ name: '', scale: 'log10' }, [1, 100], EXACT);
    const minor = ticks.filter(({ label }) => label === '').map(({ value }) => value);
    expect(minor).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 20, 30, 40, 50, 60, 70, 80, 90]);
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
    expect(labels([-5, 0, 10, 1000], 'log10', EXACT)).toEqual(['10', '100', '1,000']);
    expect(labels([], 'log10').length).toBeGreaterThanOrEqual(2);
  });
});

describe('a position on an axis', () => {
  it('is from 0 to 1, by the axis', () => {
    expect(scaleOf({ name: '' }, [0, 8], EXACT).at(2)).toBe(0.25);
    expect(scaleOf({ name: '', scale: 'log2' }, [1, 256], EXACT).at(4)).toBeCloseTo(0.25, 12);
  });

  it('is there for numbers alone, and on a logarithmic axis for those above 0', () => {
    const values = [1, 0, -1, Number.NaN, Infinity];
    expect(values.map(scaleOf({ name: '' }, [0, 8], EXACT).isDrawable)).toEqual([true, true, true, false, false]);
    const log = scaleOf({ name: '', scale: 'log10' }, [1, 8], EXACT);
    expect(values.map(log.isDrawable)).toEqual([true, false, false, false, false]);
  });

  it('of a group of bars is in the middle of its place', () => {
    const { at, ticks } = groupScale(['a', 'b']);
    expect(ticks.map(({ label, value }) => [label, at(value)])).toEqual([
      ['a', 0.25],
      ['b', 0.75],
    ]);
  });

  it('becomes a place in the drawing', () => {
    expect(placedScale(groupScale(['a', 'b']), 100, 0).px(1)).toBe(25);
  });
});
