import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { playRow } from './chaos/play.js';
import { nameOf, ROWS, type Row } from './chaos/rows.js';

/** XPASS_CHAOS=all plays the whole table, as `npm run chaos` does; XPASS_CHAOS=words the rows whose names have these words. */
const CHOICE = process.env.XPASS_CHAOS ?? '';
/** Cases at a time: most of their time they wait. */
const AT_A_TIME = 8;
const STAGGER_MS = 100;
/** The whole table takes 90 s on two quiet cores. */
const TIMEOUT_MS = 600_000;

const isChosen = (row: Row): boolean =>
  CHOICE === '' ? row.isUsual : CHOICE === 'all' || nameOf(row).includes(CHOICE);
const wanted = ROWS.filter(isChosen);
/** SIGSTOP, /proc and prlimit(1) are Linux's, and a small disk is mounted by root alone. */
const isPlayable = ({ what }: Row): boolean =>
  process.platform === 'linux' && (what.kind !== 'full' || process.getuid?.() === 0);
const chosen = wanted.filter(isPlayable).sort((a, b) => lengthOf(b) - lengthOf(a));

/** Those that wait for longest go first. */
function lengthOf({ idleS, what }: Row): number {
  return idleS + ('seconds' in what ? 2 * what.seconds : 0);
}

/** Plays all rows, some at a time; resolves with what is wrong by row. */
async function playAll(rows: readonly Row[]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const left = [...rows];
  const next = async (): Promise<void> => {
    for (let row = left.shift(); row !== undefined; row = left.shift()) {
      const wrong = await playRow(row).catch((error: unknown) => [`it could not be played: ${(error as Error).stack}`]);
      found.set(nameOf(row), wrong);
    }
  };
  const all = Array.from({ length: AT_A_TIME }, async (_, index) => {
    await sleep(index * STAGGER_MS);
    await next();
  });
  await Promise.all(all);
  return found;
}

it(
  'whatever happens to one of them: nothing wrong gets a name, all end or go on with a named error, and later transfers work',
  async () => {
    const outcomes = await playAll(chosen);
    const wrong = [...outcomes].filter(([, sentences]) => sentences.length > 0);
    expect(outcomes.size).toBe(chosen.length);
    expect(Object.fromEntries(wrong)).toEqual({});
  },
  TIMEOUT_MS,
);

it('no row is left out', ({ skip }) => {
  expect(wanted.length).toBeGreaterThan(0);
  const left = wanted.filter((row) => !isPlayable(row));
  skip(left.length > 0, `needs Linux, a full disk root as well: ${left.map(nameOf).join('; ')}`);
});

it('the table has rows for every process, and enough that every test run plays', () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(30);
  expect(ROWS.filter(({ isUsual }) => isUsual).length).toBeGreaterThanOrEqual(10);
  expect(new Set(ROWS.map(nameOf)).size).toBe(ROWS.length);
});
