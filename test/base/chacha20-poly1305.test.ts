import { createCipheriv } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChaCha20Poly1305 } from '../../src/base/chacha20-poly1305.js';

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex'));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Text and tag, behind the data that the tag covers too. */
function seal(key: Uint8Array, nonce: Uint8Array, data: Uint8Array, text: Uint8Array) {
  const cipher = new ChaCha20Poly1305(key);
  const bytes = Uint8Array.from([...data, ...text]);
  cipher.setNonce(nonce);
  cipher.seal(bytes, 0, data.length, bytes.length);
  return { cipher, bytes, tag: hexOf(cipher.tag), text: hexOf(bytes.subarray(data.length)) };
}

function nodeSeal(key: Uint8Array, nonce: Uint8Array, data: Uint8Array, text: Uint8Array) {
  const cipher = createCipheriv('chacha20-poly1305', key, nonce, { authTagLength: 16 });
  cipher.setAAD(data, { plaintextLength: text.length });
  const sealed = hexOf(Buffer.concat([cipher.update(text), cipher.final()]));
  return { text: sealed, tag: hexOf(cipher.getAuthTag()) };
}

describe('ChaCha20-Poly1305', () => {
  it('gives what RFC 8439 section 2.8.2 has', () => {
    const text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.";
    const sealed = seal(
      bytesOf('808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f'),
      bytesOf('070000004041424344454647'),
      bytesOf('50515253c0c1c2c3c4c5c6c7'),
      new TextEncoder().encode(text),
    );
    expect(sealed.tag).toBe('1ae10b594f09e26a7e902ecbd0600691');
    expect(sealed.text.slice(0, 64)).toBe('d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6');
  });

  it('opens the sealed text of RFC 8439 appendix A.5', () => {
    const key = bytesOf('1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0');
    const cipher = new ChaCha20Poly1305(key);
    const bytes = bytesOf(
      `f33388860000000000004e91 64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43eea09ee94e382d26b0bdb7b73c321b0100d4f03b7f355894cf
       332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c8559797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4b9166c767b804d46a59b5216cde7a4e9
       9040c5a40433225ee282a1b0a06c523eaf4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a10
       49e617d91d361094fa68f0ff77987130305beaba2eda04df997b714d6c6f2c29a6ad5cb4022b02709b`,
    );
    cipher.setNonce(bytesOf('000000000102030405060708'));
    cipher.authenticate(bytes, 0, 12, bytes.length);
    expect(hexOf(cipher.tag)).toBe('eead9d67890cbb22392336fea1851f38');
    cipher.crypt(bytes, 12, bytes.length);
    expect(Buffer.from(bytes.subarray(12)).toString('utf8')).toMatch(
      /^Internet-Drafts are draft documents .*progress\./s,
    );
  });

  it('agrees with node:crypto whatever key, nonce, data and text are', () => {
    const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
    fc.assert(
      fc.property(
        bytes(32),
        bytes(12),
        fc.uint8Array({ maxLength: 40 }),
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        (key, nonce, data, text) => {
          const { tag, text: sealed } = seal(key, nonce, data, text);
          expect({ tag, text: sealed }).toEqual(nodeSeal(key, nonce, data, text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('carries through all limbs of texts that are nothing but ones', () => {
    for (let length = 1; length <= 64; length++) {
      const key = new Uint8Array(32).fill(0xff);
      const text = new Uint8Array(length).fill(0xff);
      const { tag, text: sealed } = seal(key, key.subarray(0, 12), key, text);
      expect({ tag, text: sealed }).toEqual(nodeSeal(key, key.subarray(0, 12), key, text));
    }
  });
});
