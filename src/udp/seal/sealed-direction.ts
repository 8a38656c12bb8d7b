// Tested by test/udp/seal/sealer.test.ts
import type { Frame } from '../../wire/frame.js';
import { AUTHENTICATED_FROM, isCredit, narrowCredit, Sealed, SealedCredit } from '../../wire/sealed.js';
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

/** Opens a sealed frame in place, which has no check then; false, and it may be garbage, for one that other keys have sealed. */
export function openWith(keys: DirectionKeys, frame: Frame, nonce: Uint8Array): boolean {
  return isCredit(frame.bytes) ? openCredit(keys, frame, nonce) : openFrame(keys, frame, nonce);
}

function openFrame(keys: DirectionKeys, frame: Frame, nonce: Uint8Array): boolean {
  const plainLength = frame.length - Sealed.extraBytes;
  const end = plainLength - Sealed.tag;
  const isTrue = keys.frames.open(frame.bytes, nonce, end, end + Sealed.tag);
  if (isTrue) frame.length = plainLength;
  return isTrue;
}

function openCredit({ credits }: DirectionKeys, frame: Frame, nonce: Uint8Array): boolean {
  const { bytes } = frame;
  credits.setNonce(nonce);
  credits.authenticate(bytes, AUTHENTICATED_FROM, SealedCredit.text, SealedCredit.textEnd);
  let difference = 0;
  for (let at = 0; at < SealedCredit.tagBytes; at++) difference |= credits.tag[at] ^ bytes[SealedCredit.tag + at];
  if (difference !== 0) return false;
  credits.crypt(bytes, SealedCredit.text, SealedCredit.textEnd);
  frame.length = narrowCredit(bytes, frame.length);
  return true;
}
