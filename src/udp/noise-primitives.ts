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

/** What stands before the 32 bytes of a secret key in PKCS #8 for X25519. RFC 8410 section 7 */
const SECRET_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');
const ASSOCIATION_SECRET_BYTES = 32;

/** By node:crypto. */
export const noisePrimitives: NoisePrimitives = {
  makeKeyPair: () => {
    const { privateKey } = generateKeyPairSync('x25519');
    const { d, x } = privateKey.export({ format: 'jwk' });
    const pair = { secret: bytesOf(d), public: bytesOf(x) };
    known.set(pair.secret, privateKey);
    return pair;
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
  const own = Uint8Array.from(secret);
  const { x } = createPublicKey(secretKeyOf(own)).export({ format: 'jwk' });
  return { secret: own, public: bytesOf(x) };
}

/** Secret keys by their bytes, as long as somebody has these: to read one takes 680 us, to agree on a secret by it 50 us (Node.js 20). */
const known = new WeakMap<Uint8Array, KeyObject>();

function secretKeyOf(secret: Uint8Array): KeyObject {
  let key = known.get(secret);
  if (key === undefined) {
    key = createPrivateKey({ key: Buffer.concat([SECRET_PREFIX, secret]), format: 'der', type: 'pkcs8' });
    known.set(secret, key);
  }
  return key;
}

/** As JWK, RFC 8037: 11 us, where SPKI takes 117 us (Node.js 20). */
function publicKeyOf(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
}

/** Of a member of a JWK. */
function bytesOf(text: string | undefined): Uint8Array {
  return new Uint8Array(Buffer.from(text ?? '', 'base64url'));
}

/** What a `Sealer` is made from: bound to the handshake and to the random numbers of both ends, `ci` and `cr`. */
export function associationSecret({ keys, hash }: NoiseKeys, ci: Uint8Array, cr: Uint8Array): Uint8Array {
  const label = join(new TextEncoder().encode('xpass 2 association'), hash);
  return new Uint8Array(hkdfSync('sha256', join(...keys), join(ci, cr), label, ASSOCIATION_SECRET_BYTES));
}
