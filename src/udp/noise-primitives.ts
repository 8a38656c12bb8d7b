// Tested by test/core/noise.test.ts
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import type { NoiseKeys } from '../core/noise.js';
import { join, type NoiseKeyPair, type NoisePrimitives } from '../core/noise-state.js';

/** What stands before the 32 bytes of a key in PKCS #8 and SPKI for X25519. RFC 8410 section 7 */
const SECRET_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');
const ASSOCIATION_SECRET_BYTES = 32;

/** By node:crypto. */
export const noisePrimitives: NoisePrimitives = {
  makeKeyPair: () => {
    const { privateKey } = generateKeyPairSync('x25519');
    return keyPairOf(privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(SECRET_PREFIX.length));
  },
  agree: (secret, publicKey) => {
    try {
      return new Uint8Array(diffieHellman({ privateKey: secretKeyOf(secret), publicKey: publicKeyOf(publicKey) }));
    } catch {
      // OpenSSL refuses a public key of small order.
      return null;
    }
  },
  hash: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  hmac: (key, bytes) => new Uint8Array(createHmac('sha256', key).update(bytes).digest()),
};

/** The pair of a secret key of 32 bytes. */
export function keyPairOf(secret: Uint8Array): NoiseKeyPair {
  const exported = createPublicKey(secretKeyOf(secret)).export({ format: 'der', type: 'spki' });
  return { secret: Uint8Array.from(secret), public: Uint8Array.from(exported.subarray(PUBLIC_PREFIX.length)) };
}

function secretKeyOf(secret: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([SECRET_PREFIX, secret]), format: 'der', type: 'pkcs8' });
}

function publicKeyOf(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: 'der', type: 'spki' });
}

/** What a `Sealer` is made from: bound to the handshake and to the random numbers of both ends, `ci` and `cr`. */
export function associationSecret({ keys, hash }: NoiseKeys, ci: Uint8Array, cr: Uint8Array): Uint8Array {
  const label = join(new TextEncoder().encode('xpass 2 association'), hash);
  return new Uint8Array(hkdfSync('sha256', join(...keys), join(ci, cr), label, ASSOCIATION_SECRET_BYTES));
}
