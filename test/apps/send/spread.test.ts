import { expect, it } from 'vitest';
import { spread } from '../../../src/apps/send/spread.js';

/** Works through 20 jobs with takers of which the first is full from its `fullAt`-th job on; returns who took each. */
async function takersOf(fullAt: number): Promise<string[]> {
  const jobs = Array(20).keys();
  const taken: string[] = [];
  const first = { name: 'first', isFull: false };
  const others = ['second', 'third'].map((name) => ({ name, isFull: true }));
  await spread([first, ...others], async (taker, onJobDone) => {
    for (const _ of jobs) {
      taken.push(taker.name);
      await Promise.resolve();
      first.isFull = taken.length >= fullAt;
      onJobDone();
    }
  });
  return taken;
}

it('leaves all jobs to the first taker that is never full', async () => {
  expect(await takersOf(21)).toEqual(Array(20).fill('first'));
});

it('lets each of the others join once when the first is full', async () => {
  const taken = await takersOf(5);
  expect(taken).toHaveLength(20);
  expect(taken.slice(0, 5)).toEqual(Array(5).fill('first'));
  expect(taken.slice(5, 8).sort()).toEqual(['first', 'second', 'third']);
  const count = (name: string) => taken.filter((taker) => taker === name).length;
  expect(count('second')).toBe(5);
  expect(count('third')).toBe(5);
});

it('has nothing to do without takers', async () => {
  await expect(spread([], () => Promise.reject(new Error('begun')))).resolves.toBeUndefined();
});
