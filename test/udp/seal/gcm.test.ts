import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseCiphers, loadFrameCiphers, type MakeGcm, makeNodeGcm } from '../../../src/udp/seal/gcm.js';
import { loadOpenSsl } from '../../../src/udp/seal/openssl.js';

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const ciphers = await loadFrameCiphers();
const HEADER_BYTES = 12;

/** A sealed frame: header, body, tag. */
function seal(make: MakeGcm, { key, nonce, frame }: Record<'key' | 'nonce' | 'frame', Uint8Array>): Uint8Array {
  const bytes = new Uint8Array(frame.length + 16);
  bytes.set(frame);
  const cipher = make(key, true);
  cipher.seal(bytes, nonce, frame.length, frame.length);
  cipher.close();
  return bytes;
}

describe.each([
  ['node:crypto', makeNodeGcm],
  [`the ciphers of this machine (${ciphers.kind})`, ciphers.make],
])('AES-128-GCM by %s', (_, make) => {
  it('gives test case 2 of the GCM specification, but for the header that it authenticates', () => {
    const frame = new Uint8Array(HEADER_BYTES + 16);
    const sealed = seal(make, { key: new Uint8Array(16), nonce: new Uint8Array(12), frame });
    // The text is that of McGrew and Viega, "The Galois/Counter Mode of Operation", appendix B.
    expect(hexOf(sealed.subarray(HEADER_BYTES, HEADER_BYTES + 16))).toBe('0388dace60b6a392f328c2b971b2fe78');
  });

  it('opens what it sealed, frame after frame with one key', () => {
    const key = bytesOf('000102030405060708090a0b0c0d0e0f');
    const opening = make(key, false);
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: HEADER_BYTES, maxLength: 3_000 }),
        fc.uint8Array({ minLength: 12, maxLength: 12 }),
        (frame, nonce) => {
          const sealed = seal(make, { key, nonce, frame });
          expect(opening.open(sealed, nonce, frame.length, frame.length)).toBe(true);
          expect(hexOf(sealed.subarray(0, frame.length))).toBe(hexOf(frame));
        },
      ),
    );
    opening.close();
  });

  it('seals as node:crypto does', () => {
    const parts = { key: bytesOf('0f0e0d0c0b0a09080706050403020100'), nonce: bytesOf('00112233445566778899aabb') };
    for (const length of [12, 13, 27, 28, 29, 1_472, 8_972]) {
      const frame = Uint8Array.from({ length }, (_, index) => index * 7);
      expect(hexOf(seal(make, { ...parts, frame }))).toBe(hexOf(seal(makeNodeGcm, { ...parts, frame })));
    }
  });
});

describe('the choice of ciphers', () => {
  it('falls back on node:crypto with a sentence that says why', async () => {
    const { kind, warning, make } = await chooseCiphers(() => Promise.reject(new Error('Cannot find koffi\nstack')));
    expect([kind, make]).toEqual(['node', makeNodeGcm]);
    expect(warning).toContain('(Cannot find koffi)');
  });

  it('does not trust functions that compute something else', async ({ skip }) => {
    skip(ciphers.kind === 'node', `OpenSSL cannot be called here: ${ciphers.warning}`);
    const openSsl = await loadOpenSsl();
    const wrong = {
      ...openSsl,
      EVP_CipherFinal_ex: (...[context, out, length]: Parameters<typeof openSsl.EVP_CipherFinal_ex>) => {
        openSsl.EVP_CipherFinal_ex(context, out, length);
        return 1;
      },
    };
    expect(await chooseCiphers(() => Promise.resolve(wrong))).toMatchObject({ kind: 'node' });
  });

  it('calls OpenSSL where koffi is there', ({ skip }) => {
    skip(process.platform !== 'linux', 'other systems may hide the functions of OpenSSL');
    expect(ciphers.kind).toBe('openssl');
  });
});
