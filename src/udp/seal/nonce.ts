// Tested by test/udp/seal/sealer.test.ts
import { write32 } from '../../wire/bytes.js';
import { derive, SALT_BYTES } from './direction-keys.js';

/** 0: from who opened the association to who answered; 1: back. */
export type Direction = 0 | 1;

const NONCE_BYTES = 12;
const NUMBER_AT = 4;
const UPPER_WORD = 2 ** -32;

/**
 * The nonce of one direction: salt of the association, 3 bytes; direction, 1; packet number, 8. It stays the same over key updates, and no number
 * comes twice.
 */
export class Nonce {
  readonly bytes = new Uint8Array(NONCE_BYTES);

  /** `secret`: what both ends of the association have in common. */
  constructor(secret: Uint8Array, direction: Direction) {
    this.bytes.set(derive(secret, 'salt', SALT_BYTES));
    this.bytes[SALT_BYTES] = direction;
  }

  setNumber(number: number): Uint8Array {
    write32(this.bytes, NUMBER_AT, Math.floor(number * UPPER_WORD));
    write32(this.bytes, NUMBER_AT + 4, number);
    return this.bytes;
  }
}
