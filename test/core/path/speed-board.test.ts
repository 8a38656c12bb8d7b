import { expect, it } from 'vitest';
import { SpeedBoard } from '../../../src/core/path/speed-board.js';

it('a speed board compares the paths after every N_b bits of all of them', () => {
  const board = new SpeedBoard(3, 100_000, 5);
  expect(board.share(1)).toBe(1);
  expect(board.add(1, 60_000)).toBe(false);
  expect(board.add(2, 30_000)).toBe(false);
  expect(board.add(3, 6_000)).toBe(false);
  expect(board.add(2, 4_000)).toBe(true);
  expect([1, 2, 3].map((path) => board.share(path))).toEqual([1, 34 / 60, 0.1]);
  board.renew(77);
  expect(board.startNs).toBe(77);
  expect(board.add(3, 99_999)).toBe(false);
  expect([1, 2, 3].map((path) => board.share(path))).toEqual([0, 0, 1]);
});
