import { describe, expect, it } from 'vitest';
import { type Measured, smallest } from './corpus.js';
import { Input } from './input.js';
import type { Target } from './target.js';
import { failureOf } from './trial.js';

const held: Uint8Array[] = [];

function targetThat(run: Target['run']): Target {
  return { name: 'test', seeds: () => [], run };
}

describe('a trial', () => {
  it('fails an input that takes too many buffers', async () => {
    const target = targetThat(() => {
      held.push(new Uint8Array(80 * 1024 * 1024));
    });
    expect((await failureOf(target, new Uint8Array(3)))?.message).toMatch(
      /^broken rule: an input of 3 bytes takes \d+ bytes/,
    );
    held.length = 0;
  });

  it('fails an input that takes too long, each time that it is tried', async () => {
    let runs = 0;
    const target = targetThat(() => {
      const startMs = performance.now();
      for (runs++; performance.now() < startMs + 60; );
    });
    expect((await failureOf(target, new Uint8Array(3), 50))?.message).toMatch(
      /^broken rule: an input of 3 bytes takes \d+ ms/,
    );
    expect(runs).toBe(3);
  });

  it('passes one that took long only once: the machine stood still', async () => {
    let runs = 0;
    const target = targetThat(() => {
      const startMs = performance.now();
      if (runs++ === 0) while (performance.now() < startMs + 60);
    });
    expect(await failureOf(target, new Uint8Array(3), 50)).toBeNull();
  });
});

describe('a corpus', () => {
  it('keeps the shortest inputs that together reach everything', () => {
    const of = (length: number, ...features: number[]): Measured => ({ input: new Uint8Array(length), features });
    const kept = smallest([of(9, 1, 2, 3), of(2, 1), of(3, 1, 2), of(4, 2)], 100);
    expect(kept.map(({ length }) => length)).toEqual([2, 3, 9]);
    expect(smallest([of(9, 1), of(5, 2)], 10).map(({ length }) => length)).toEqual([5]);
  });
});

describe('an input', () => {
  it('is zeros behind its end', () => {
    const input = new Input(Uint8Array.from([1, 2]));
    expect([input.u16(), input.isOver, input.u32(), input.pick([5, 6])]).toEqual([258, true, 0, 5]);
  });
});
