import { expect, it } from 'vitest';
import { AuditedPool } from '../../../src/sim/fuzz/audited-pool.js';
import { Frame } from '../../../src/wire/frame.js';

const makePool = (): AuditedPool => new AuditedPool(() => new Uint8Array(8), 4);

it('knows which frames are taken', () => {
  const pool = makePool();
  const [one, other] = [pool.take(), pool.take()];
  pool.give(one);
  expect([...pool.taken]).toEqual([other]);
});

it('takes a frame back once, and only its own', () => {
  const pool = makePool();
  const frame = pool.take();
  pool.give(frame);
  expect(() => pool.give(frame)).toThrow("nobody's");
  expect(() => pool.give(new Frame(new Uint8Array(8)))).toThrow("nobody's");
});

it('overwrites what a frame held, once whoever watches has seen it', () => {
  const pool = makePool();
  const frame = pool.take();
  frame.bytes.fill(1);
  frame.length = 4;
  let seen = 0;
  pool.onGive = ({ bytes }) => {
    seen = bytes[0];
  };
  pool.give(frame);
  expect(seen).toBe(1);
  expect(frame.bytes.subarray(0, 4).includes(1)).toBe(false);
});
