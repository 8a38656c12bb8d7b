import { expect, it } from 'vitest';
import { BlockPool } from '../../../src/services/file/block-pool.js';

it('gives blocks out again, each in one hand', () => {
  const pool = new BlockPool();
  const block = pool.take(200_000);
  expect(block.length).toBe(262_144);
  pool.give(block);
  expect(pool.spareBytes).toBe(262_144);
  expect(pool.take(100_000)).not.toBe(block);
  expect(pool.take(150_000)).toBe(block);
  expect(pool.take(150_000)).not.toBe(block);
  expect(pool.spareBytes).toBe(0);
});

it('keeps no more than its bound, and nothing that is not its own', () => {
  const pool = new BlockPool();
  const blocks = Array.from({ length: 20 }, () => pool.take(1_048_576));
  for (const block of blocks) pool.give(block);
  expect(pool.spareBytes).toBe(16 * 1_048_576);
  const other = new BlockPool();
  for (const bytes of [0, 1, 4_095, 1_048_577]) other.give(other.take(bytes));
  other.give(new Uint8Array(8_192).subarray(0, 4_096));
  expect(other.spareBytes).toBe(0);
});
