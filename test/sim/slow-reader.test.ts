import { describe, expect, it } from 'vitest';
import { SlowReader } from '../../src/sim/slow-reader.js';

const MS = 1e6;

/** A reader, what it has read of each flow, and when. */
function reading() {
  const read: [flow: string, bytes: number, atMs: number][] = [];
  const asked: number[] = [];
  const reader = new SlowReader<string>({
    read: (flow, bytes, atNs) => read.push([flow, bytes, atNs / MS]),
    schedule: (atNs) => asked.push(atNs),
  });
  const readUntil = (untilNs: number): void => {
    while (reader.dueNs <= untilNs) reader.readNext();
  };
  return { reader, read, asked, readUntil };
}

describe('SlowReader', () => {
  it('reads at once while its rate is unlimited', () => {
    const { reader, read, asked } = reading();
    reader.take('one', 1000, 0);
    expect([read, asked]).toEqual([[['one', 1000, 0]], []]);
  });

  it('reads at its rate, first what came first', () => {
    const { reader, read, asked, readUntil } = reading();
    reader.setRate(8e6, 0);
    reader.take('one', 1500, 0);
    reader.take('other', 1000, 0);
    expect(asked).toEqual([1.5 * MS]);
    readUntil(2 * MS);
    expect(read).toEqual([['one', 1500, 1.5]]);
    readUntil(10 * MS);
    expect(read[1]).toEqual(['other', 1000, 2.5]);
  });

  it('does not save up reading while there is nothing to read', () => {
    const { reader, read, readUntil } = reading();
    reader.setRate(8e6, 0);
    reader.take('one', 600, 0);
    readUntil(500 * MS);
    reader.take('one', 5000, 500 * MS);
    readUntil(600 * MS);
    expect(read.map(([, , atMs]) => atMs)).toEqual([0.6, 505]);
  });

  it('reads nothing at a rate of zero, and everything once it is unlimited again', () => {
    const { reader, read, readUntil } = reading();
    reader.setRate(0, 0);
    reader.take('one', 1000, 0);
    reader.take('one', 500, 0);
    readUntil(1_000 * MS);
    expect(read).toEqual([]);
    reader.setRate(Number.POSITIVE_INFINITY, 1_000 * MS);
    readUntil(1_000 * MS);
    expect(read.map(([, bytes, atMs]) => [bytes, atMs])).toEqual([
      [1000, 1_000],
      [500, 1_000],
    ]);
  });

  it('forgets what it had to read', () => {
    const { reader, read, readUntil } = reading();
    reader.setRate(8e6, 0);
    reader.take('one', 1000, 0);
    reader.clear();
    readUntil(10 * MS);
    expect([read, reader.dueNs]).toEqual([[], Number.POSITIVE_INFINITY]);
  });
});
