import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { COOKIE_BYTES, COOKIE_SECRET_BYTES, type CookieHolder, CookieMaker } from '../../src/core/cookie.js';
import { noisePrimitives } from '../../src/udp/noise-primitives.js';

const SECOND_NS = 1e9;
const holder: CookieHolder = { address: Uint8Array.of(10, 0, 0, 2), port: 7_000, ci: new Uint8Array(8).fill(3) };

function makeMaker(nowNs = 0) {
  let secrets = 0;
  const makeSecret = () => new Uint8Array(COOKIE_SECRET_BYTES).fill(++secrets);
  return { maker: new CookieMaker({ hmac: noisePrimitives.hmac, makeSecret }, nowNs), made: () => secrets };
}

describe('a cookie', () => {
  it('is good for whom it was made, again and again', () => {
    const { maker } = makeMaker();
    const cookie = maker.make(holder, SECOND_NS);
    expect(cookie).toHaveLength(COOKIE_BYTES);
    expect(maker.isGood(cookie, holder, 2 * SECOND_NS)).toBe(true);
    expect(maker.isGood(cookie, { ...holder }, 100 * SECOND_NS)).toBe(true);
  });

  it.each<[string, Partial<CookieHolder>]>([
    ['address', { address: Uint8Array.of(10, 0, 0, 3) }],
    ['port', { port: 7_001 }],
    ['number of the association', { ci: new Uint8Array(8).fill(4) }],
    ['border between number and address', { ci: holder.ci.slice(0, 7), address: Uint8Array.of(3, 10, 0, 0, 2) }],
  ])('is bad for another %s', (_, other) => {
    const { maker } = makeMaker();
    expect(maker.isGood(maker.make(holder, 0), { ...holder, ...other }, 0)).toBe(false);
  });

  it('is bad with any bit flipped, and at any other length', () => {
    const { maker } = makeMaker();
    const cookie = maker.make(holder, 5 * SECOND_NS);
    for (let bit = 0; bit < 8 * COOKIE_BYTES; bit++) {
      const damaged = cookie.slice();
      damaged[bit >>> 3] ^= 1 << (bit & 7);
      expect(maker.isGood(damaged, holder, 5 * SECOND_NS)).toBe(false);
    }
    for (let length = 0; length < COOKIE_BYTES; length++) {
      expect(maker.isGood(cookie.slice(0, length), holder, 5 * SECOND_NS)).toBe(false);
    }
    expect(maker.isGood(new Uint8Array(COOKIE_BYTES), holder, 5 * SECOND_NS)).toBe(false);
  });

  it('is good while its secret is the present or the previous one, which change every two minutes', () => {
    const { maker, made } = makeMaker();
    const early = maker.make(holder, 0);
    const late = maker.make(holder, 119 * SECOND_NS);
    expect(maker.isGood(early, holder, 119 * SECOND_NS)).toBe(true);
    expect(maker.isGood(late, holder, 121 * SECOND_NS)).toBe(true);
    expect(made()).toBe(2);
    expect(maker.isGood(late, holder, 230 * SECOND_NS)).toBe(true);
    expect(maker.isGood(late, holder, 242 * SECOND_NS)).toBe(false);
    expect(made()).toBe(3);
  });

  it('is bad after a pause in which nobody asked', () => {
    const { maker } = makeMaker();
    const cookie = maker.make(holder, 0);
    expect(maker.isGood(cookie, holder, 239 * SECOND_NS)).toBe(true);
    const { maker: sleeper } = makeMaker();
    const other = sleeper.make(holder, 0);
    expect(sleeper.isGood(other, holder, 241 * SECOND_NS)).toBe(false);
  });

  it('is made where the time in it wraps, and is of another host where the secret is', () => {
    const wrapNs = 2 ** 32 * 1e6;
    const { maker } = makeMaker(wrapNs - SECOND_NS);
    const cookie = maker.make(holder, wrapNs - SECOND_NS);
    expect(maker.isGood(cookie, holder, wrapNs + SECOND_NS)).toBe(true);
    const hmac = (key: Uint8Array, bytes: Uint8Array) =>
      new Uint8Array(createHmac('sha256', key).update(bytes).digest());
    const stranger = new CookieMaker({ hmac, makeSecret: () => new Uint8Array(COOKIE_SECRET_BYTES).fill(99) }, wrapNs);
    expect(stranger.isGood(cookie, holder, wrapNs)).toBe(false);
  });
});
