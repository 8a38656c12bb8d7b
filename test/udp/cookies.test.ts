import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SECOND_NS } from '../../src/base/time.js';
import { HmacCookies } from '../../src/udp/cookies.js';
import { BITS_BYTES, COOKIE_BYTES } from '../../src/wire/proofs.js';

const BITS = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const ADDRESSES = ['192.0.2.1:1000', '192.0.2.1:1001', '192.0.2.2:1000'];
const SECRET_NS = 120 * SECOND_NS;

function cookies() {
  return new HmacCookies((peer) => ADDRESSES[peer]);
}

function made(maker: HmacCookies, peer = 0, bits: Uint8Array | null = BITS, nowNs = 0): Uint8Array {
  const cookie = new Uint8Array(COOKIE_BYTES);
  maker.write(peer, bits, nowNs, cookie);
  return cookie;
}

describe('a cookie', () => {
  it('is good for the address and the bits that it was made for, and no others', () => {
    const maker = cookies();
    const cookie = made(maker);
    expect(maker.isValid(0, BITS, 0, cookie)).toBe(true);
    expect(maker.isValid(1, BITS, 0, cookie)).toBe(false);
    expect(maker.isValid(2, BITS, 0, cookie)).toBe(false);
    expect(
      maker.isValid(
        0,
        BITS.map((byte) => byte ^ 1),
        0,
        cookie,
      ),
    ).toBe(false);
  });

  it('for the next time is good for any bits, and for its address alone', () => {
    const maker = cookies();
    const cookie = made(maker, 0, null);
    expect(maker.isValid(0, new Uint8Array(BITS_BYTES), 0, cookie)).toBe(true);
    expect(maker.isValid(0, BITS, 0, cookie)).toBe(true);
    expect(maker.isValid(1, BITS, 0, cookie)).toBe(false);
  });

  it('is good for two to four minutes', () => {
    const maker = cookies();
    const cookie = made(maker, 0, BITS, 0.9 * SECRET_NS);
    expect(maker.isValid(0, BITS, 1.99 * SECRET_NS, cookie)).toBe(true);
    expect(maker.isValid(0, BITS, 2 * SECRET_NS, cookie)).toBe(false);
  });

  it('of another host, of zeros or with any bit changed is none', () => {
    const maker = cookies();
    const cookie = made(maker);
    expect(maker.isValid(0, BITS, 0, made(cookies()))).toBe(false);
    expect(maker.isValid(0, BITS, 0, new Uint8Array(COOKIE_BYTES))).toBe(false);
    fc.assert(
      fc.property(fc.nat(COOKIE_BYTES * 8 - 1), (bit) => {
        const changed = cookie.map((byte, at) => (at === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
        expect(maker.isValid(0, BITS, 0, changed)).toBe(false);
      }),
    );
  });
});
