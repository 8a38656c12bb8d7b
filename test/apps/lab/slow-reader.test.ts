import { describe, expect, it } from 'vitest';
import { SlowReader } from '../../../src/apps/lab/slow-reader.js';

const MS = 1e6;

function lab() {
  const wakes: number[] = [];
  const reader = new SlowReader((atNs) => wakes.push(atNs));
  const flow = (name: string) => ({
    name,
    released: 0,
    release(bytes: number) {
      this.released += bytes;
    },
  });
  /** Calls the reader when it asked to be called, until `untilNs`. */
  const runUntil = (untilNs: number): void => {
    while (wakes.length > 0 && wakes[0] <= untilNs) reader.advance(wakes.shift() as number);
  };
  return { reader, flow, wakes, runUntil };
}

describe('SlowReader', () => {
  it('lets go at once while its rate is unlimited', () => {
    const { reader, flow, wakes } = lab();
    const one = flow('one');
    reader.take(one, 1000, 0);
    expect([one.released, wakes]).toEqual([1000, []]);
  });

  it('reads at its rate, first what came first', () => {
    const { reader, flow, runUntil } = lab();
    const [one, other] = [flow('one'), flow('other')];
    reader.setRate(8e6, 0);
    reader.take(one, 1500, 0);
    reader.take(other, 1000, 0);
    runUntil(1 * MS);
    expect([one.released, other.released]).toEqual([1000, 0]);
    runUntil(2 * MS);
    expect([one.released, other.released]).toEqual([1500, 500]);
    runUntil(10 * MS);
    expect([one.released, other.released]).toEqual([1500, 1000]);
  });

  it('does not save up reading while there is nothing to read', () => {
    const { reader, flow, runUntil } = lab();
    const one = flow('one');
    reader.setRate(8e6, 0);
    reader.take(one, 600, 0);
    runUntil(500 * MS);
    reader.take(one, 5000, 500 * MS);
    runUntil(501 * MS);
    expect(one.released).toBe(1600);
  });

  it('reads nothing at a rate of zero, and everything once it is unlimited again', () => {
    const { reader, flow, wakes } = lab();
    const one = flow('one');
    reader.setRate(0, 0);
    reader.take(one, 1000, 0);
    expect([one.released, wakes]).toEqual([0, []]);
    reader.setRate(Number.POSITIVE_INFINITY, 5 * MS);
    expect(one.released).toBe(1000);
  });

  it('asks for one call at a time', () => {
    const { reader, flow, wakes } = lab();
    const one = flow('one');
    reader.setRate(8e6, 0);
    for (let at = 0; at < 5; at++) reader.take(one, 1000, at);
    expect(wakes).toEqual([MS]);
  });
});
