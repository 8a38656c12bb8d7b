import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ChaCha20Poly1305 } from '../../src/base/chacha20-poly1305.js';
import { NOISE_MESSAGE_BYTES, NoiseHandshake, type NoiseOptions, type NoisePattern } from '../../src/core/noise.js';
import type { NoisePrimitives } from '../../src/core/noise-state.js';
import { associationSecret, keyPairOf, noisePrimitives } from '../../src/udp/noise-primitives.js';

interface Vector {
  readonly protocol_name: string;
  readonly init_prologue: string;
  readonly init_psks?: readonly string[];
  readonly init_static?: string;
  readonly init_ephemeral: string;
  readonly init_remote_static?: string;
  readonly resp_static?: string;
  readonly resp_ephemeral: string;
  readonly handshake_hash?: string;
  readonly messages: readonly { readonly payload: string; readonly ciphertext: string }[];
}

/** Published vectors; the file says whose. */
const { vectors } = JSON.parse(readFileSync(new URL('noise-vectors.json', import.meta.url), 'utf8')) as {
  vectors: readonly Vector[];
};

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('hex'));

/** Primitives whose ephemeral key is this one. */
function drawing(secret: string): NoisePrimitives {
  return { ...noisePrimitives, makeKeyPair: () => keyPairOf(bytesOf(secret)) };
}

function optionsOf(vector: Vector, isInitiator: boolean): NoiseOptions {
  const own = isInitiator ? vector.init_static : vector.resp_static;
  const psk = vector.init_psks?.[0];
  return {
    pattern: vector.protocol_name.split('_')[1] as NoisePattern,
    isInitiator,
    prologue: bytesOf(vector.init_prologue),
    primitives: drawing(isInitiator ? vector.init_ephemeral : vector.resp_ephemeral),
    ...(psk !== undefined && { psk: bytesOf(psk) }),
    ...(own !== undefined && { identity: keyPairOf(bytesOf(own)) }),
    ...(vector.init_remote_static !== undefined && { answerer: bytesOf(vector.init_remote_static) }),
  };
}

/** A transport message, the first of its direction. */
function transport(key: Uint8Array, payload: string, number: number): string {
  const cipher = new ChaCha20Poly1305(key);
  const bytes = bytesOf(payload);
  const nonce = new Uint8Array(12);
  nonce[4] = number;
  cipher.setNonce(nonce);
  cipher.seal(bytes, 0, 0, bytes.length);
  return `${hexOf(bytes)}${hexOf(cipher.tag)}`;
}

describe.each(vectors.map((vector): [string, Vector] => [vector.protocol_name, vector]))('%s', (_, vector) => {
  it('gives the published messages, hash and keys', () => {
    const initiator = new NoiseHandshake(optionsOf(vector, true));
    const answerer = new NoiseHandshake(optionsOf(vector, false));
    const [first, second, ...later] = vector.messages;
    const hello = initiator.write(bytesOf(first!.payload));
    expect(hexOf(hello)).toBe(first!.ciphertext);
    expect(hexOf(answerer.read(hello!))).toBe(first!.payload);
    const welcome = answerer.write(bytesOf(second!.payload));
    expect(hexOf(welcome)).toBe(second!.ciphertext);
    expect(hexOf(initiator.read(welcome!))).toBe(second!.payload);
    const [ours, theirs] = [initiator.finish(), answerer.finish()];
    expect(ours).toEqual(theirs);
    if (vector.handshake_hash !== undefined) expect(hexOf(ours.hash)).toBe(vector.handshake_hash);
    later.forEach(({ payload, ciphertext }, index) => {
      expect(transport(ours.keys[index % 2]!, payload, index >>> 1)).toBe(ciphertext);
    });
  });

  it('refuses every message with a flipped bit, and takes the true one afterwards', () => {
    const initiator = new NoiseHandshake(optionsOf(vector, true));
    const answerer = new NoiseHandshake(optionsOf(vector, false));
    const hello = initiator.write(new Uint8Array(0))!;
    expectRefused(answerer, hello);
    expect(answerer.read(hello)).toHaveLength(0);
    const welcome = answerer.write(new Uint8Array(3))!;
    expectRefused(initiator, welcome);
    expect(initiator.read(welcome)).toHaveLength(3);
    expect(initiator.finish()).toEqual(answerer.finish());
  });

  it('has messages of the length that the frames have room for', () => {
    const { pattern } = optionsOf(vector, true);
    const initiator = new NoiseHandshake(optionsOf(vector, true));
    const answerer = new NoiseHandshake(optionsOf(vector, false));
    const hello = initiator.write(new Uint8Array(0))!;
    answerer.read(hello);
    expect([hello.length, answerer.write(new Uint8Array(0))!.length]).toEqual(NOISE_MESSAGE_BYTES[pattern]);
  });
});

function expectRefused(handshake: NoiseHandshake, message: Uint8Array): void {
  for (let length = 0; length < message.length; length++) expect(handshake.read(message.slice(0, length))).toBeNull();
  for (let at = 0; at < message.length; at++) {
    const damaged = message.slice();
    // Curve25519 ignores the top bit of a key, but the hash does not.
    damaged[at] ^= 0x80;
    expect(handshake.read(damaged)).toBeNull();
  }
}

const prologue = new Uint8Array(0);

function identities(known: Uint8Array | null = null) {
  const [ours, theirs] = [noisePrimitives.makeKeyPair(), noisePrimitives.makeKeyPair()];
  const common = { pattern: 'IK', prologue, primitives: noisePrimitives } as const;
  const answerer = known ?? theirs.public;
  return {
    ours,
    initiator: new NoiseHandshake({ ...common, isInitiator: true, identity: ours, answerer }),
    answerer: new NoiseHandshake({ ...common, isInitiator: false, identity: theirs }),
  };
}

describe('a handshake', () => {
  it('tells the answerer who begins, before the answer', () => {
    const { ours, initiator, answerer } = identities();
    expect(answerer.peer).toBeNull();
    answerer.read(initiator.write(new Uint8Array(0))!);
    expect(answerer.peer).toEqual(ours.public);
  });

  it('with another than the expected answerer comes to nothing', () => {
    const { initiator, answerer } = identities(noisePrimitives.makeKeyPair().public);
    expect(answerer.read(initiator.write(new Uint8Array(0))!)).toBeNull();
    expect(answerer.peer).toBeNull();
  });

  it('with another shared secret or prologue comes to nothing', () => {
    const make = (isInitiator: boolean, psk: number, word: number) =>
      new NoiseHandshake({
        pattern: 'NNpsk0',
        isInitiator,
        prologue: Uint8Array.of(word),
        primitives: noisePrimitives,
        psk: new Uint8Array(32).fill(psk),
      });
    const hello = make(true, 1, 1).write(new Uint8Array(0))!;
    expect(make(false, 1, 1).read(hello)).not.toBeNull();
    expect(make(false, 2, 1).read(hello)).toBeNull();
    expect(make(false, 1, 2).read(hello)).toBeNull();
  });

  it('refuses a key that makes the agreement zero', () => {
    const { initiator, answerer } = identities();
    const hello = initiator.write(new Uint8Array(0))!;
    hello.fill(0, 0, 32);
    expect(answerer.read(hello)).toBeNull();
    expect(identities(new Uint8Array(32)).initiator.write(new Uint8Array(0))).toBeNull();
  });

  it('gives another secret to each association', () => {
    const { initiator, answerer } = identities();
    answerer.read(initiator.write(new Uint8Array(0))!);
    initiator.read(answerer.write(new Uint8Array(0))!);
    const [ci, cr] = [new Uint8Array(8).fill(1), new Uint8Array(8).fill(2)];
    const secret = associationSecret(initiator.finish(), ci, cr);
    expect(secret).toHaveLength(32);
    expect(associationSecret(answerer.finish(), ci, cr)).toEqual(secret);
    expect(associationSecret(answerer.finish(), cr, ci)).not.toEqual(secret);
  });
});
