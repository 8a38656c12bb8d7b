// Tested by test/core/noise.test.ts
import { ChaCha20Poly1305 } from '../base/chacha20-poly1305.js';

/** Bytes of keys, hashes and results of Diffie-Hellman: those of 25519, ChaChaPoly and SHA256 are the same. */
export const NOISE_KEY_BYTES = 32;
const NOISE_TAG_BYTES = 16;
const NONCE_BYTES = 12;
const NO_BYTES = new Uint8Array(0);

export interface NoiseKeyPair {
  readonly secret: Uint8Array;
  readonly public: Uint8Array;
}

/** What the pure world cannot do, or not fast: X25519, SHA-256 and chance. */
export interface NoisePrimitives {
  makeKeyPair(): NoiseKeyPair;
  /** Null where the public key is one of those that give zeros: RFC 7748 section 6.1. */
  agree(secret: Uint8Array, publicKey: Uint8Array): Uint8Array | null;
  hash(bytes: Uint8Array): Uint8Array;
  hmac(key: Uint8Array, bytes: Uint8Array): Uint8Array;
}

/** The SymmetricState of the Noise Protocol Framework, revision 34, section 5.2, with its CipherState. */
export class NoiseState {
  /** Binds what follows to all that went before: the handshake hash in the end. */
  hash: Uint8Array;
  private readonly primitives: NoisePrimitives;
  private chain: Uint8Array;
  private cipher: ChaCha20Poly1305 | null = null;
  private nextNonce = 0;

  constructor(protocolName: string, primitives: NoisePrimitives) {
    const name = Uint8Array.from(protocolName, (character) => character.charCodeAt(0));
    this.hash = new Uint8Array(NOISE_KEY_BYTES);
    if (name.length <= NOISE_KEY_BYTES) this.hash.set(name);
    else this.hash = primitives.hash(name);
    this.chain = this.hash;
    this.primitives = primitives;
  }

  /** As it is now: what is done to the copy leaves this alone. */
  copy(): NoiseState {
    return Object.assign(Object.create(NoiseState.prototype) as NoiseState, this);
  }

  mixHash(bytes: Uint8Array): void {
    this.hash = this.primitives.hash(join(this.hash, bytes));
  }

  mixKey(material: Uint8Array): void {
    const [chain, key] = this.expand(material);
    this.chain = chain;
    this.setKey(key);
  }

  mixKeyAndHash(material: Uint8Array): void {
    const [chain, hash, key] = this.expand(material);
    this.chain = chain;
    this.mixHash(hash);
    this.setKey(key);
  }

  /** The text as it goes into a message: as it is while there is no key. */
  encryptAndHash(text: Uint8Array): Uint8Array {
    const sealed = this.cipher === null ? text : this.encrypt(this.cipher, text);
    this.mixHash(sealed);
    return sealed;
  }

  /** Null where the tag is wrong. */
  decryptAndHash(sealed: Uint8Array): Uint8Array | null {
    const text = this.cipher === null ? sealed : this.decrypt(this.cipher, sealed);
    if (text !== null) this.mixHash(sealed);
    return text;
  }

  /** Bytes by which `encryptAndHash` makes a text longer. */
  get tagBytes(): number {
    return this.cipher === null ? 0 : NOISE_TAG_BYTES;
  }

  /** The keys of both directions, from who began first. */
  split(): [Uint8Array, Uint8Array] {
    const [first, second] = this.expand(NO_BYTES);
    return [first, second];
  }

  /** HKDF of section 4.3, with three outputs. */
  private expand(material: Uint8Array): [Uint8Array, Uint8Array, Uint8Array] {
    const { hmac } = this.primitives;
    const key = hmac(this.chain, material);
    const first = hmac(key, Uint8Array.of(1));
    const second = hmac(key, join(first, Uint8Array.of(2)));
    return [first, second, hmac(key, join(second, Uint8Array.of(3)))];
  }

  private setKey(key: Uint8Array): void {
    this.cipher = new ChaCha20Poly1305(key);
    this.nextNonce = 0;
  }

  private encrypt(cipher: ChaCha20Poly1305, text: Uint8Array): Uint8Array {
    const bytes = join(this.hash, text);
    this.numberNext(cipher);
    cipher.seal(bytes, 0, this.hash.length, bytes.length);
    return join(bytes.subarray(this.hash.length), cipher.tag);
  }

  private decrypt(cipher: ChaCha20Poly1305, sealed: Uint8Array): Uint8Array | null {
    const textBytes = sealed.length - NOISE_TAG_BYTES;
    if (textBytes < 0) return null;
    const bytes = join(this.hash, sealed.subarray(0, textBytes));
    this.numberNext(cipher);
    cipher.authenticate(bytes, 0, this.hash.length, bytes.length);
    let difference = 0;
    for (let at = 0; at < NOISE_TAG_BYTES; at++) difference |= cipher.tag[at] ^ sealed[textBytes + at];
    if (difference !== 0) return null;
    cipher.crypt(bytes, this.hash.length, bytes.length);
    return bytes.slice(this.hash.length);
  }

  /** 32 zero bits, then 64 of the number, little-endian: section 12.3. A handshake has a few numbers for each key. */
  private numberNext(cipher: ChaCha20Poly1305): void {
    const nonce = new Uint8Array(NONCE_BYTES);
    nonce[4] = this.nextNonce++;
    cipher.setNonce(nonce);
  }
}

export function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
