// Tested by test/udp/seal/sealer.test.ts
import { DirectionKeys, derive, SECRET_BYTES } from './direction-keys.js';
import type { MakeGcm } from './gcm.js';
import { type Direction, Nonce } from './nonce.js';

/** Of a packet number's 32 bits, the top one: whether the keys have been updated an odd number of times. */
export const PHASE_BIT = 1 << 31;
export const NUMBER_MASK = 2 ** 31 - 1;

/** What one direction of an association is made from. */
export interface DirectionParts {
  readonly secret: Uint8Array;
  readonly direction: Direction;
  readonly makeGcm: MakeGcm;
}

export function makeNonce({ secret, direction }: DirectionParts): Nonce {
  return new Nonce(secret, direction);
}

export function makeKeys({ secret, direction, makeGcm }: DirectionParts, isSealing: boolean): DirectionKeys {
  return new DirectionKeys(derive(secret, `direction ${direction}`, SECRET_BYTES), makeGcm, isSealing);
}
