// Tested by test/udp/seal/sealer.test.ts
import { assert } from '../../base/assert.js';
import { write32 } from '../../wire/bytes.js';
import type { Frame } from '../../wire/frame.js';
import { CHECK_BYTES } from '../../wire/layout.js';
import {
  AUTHENTICATED_FROM,
  isCredit,
  Sealed,
  SealedCredit,
  widenCredit,
  writeCreditNumber,
} from '../../wire/sealed.js';
import type { DirectionKeys } from './direction-keys.js';
import type { Nonce } from './nonce.js';
import { type DirectionParts, makeKeys, makeNonce, NUMBER_MASK, PHASE_BIT } from './sealed-direction.js';

/** Numbers beyond are not whole in a double: at a billion frames a second 104 days away. */
const MOST_NUMBERS = Number.MAX_SAFE_INTEGER;

/** Seals what leaves, and updates its keys by itself. */
export class SealedOutput {
  keyUpdates = 0;
  private readonly nonce: Nonce;
  private readonly updatePackets: number;
  private keys: DirectionKeys;
  private next = 0;
  private updateAt: number;

  constructor(parts: DirectionParts, updatePackets: number) {
    this.nonce = makeNonce(parts);
    this.keys = makeKeys(parts, true);
    this.updatePackets = updatePackets;
    this.updateAt = updatePackets;
  }

  get isUsedUp(): boolean {
    return this.next >= MOST_NUMBERS;
  }

  seal(frame: Frame): void {
    const number = this.next++;
    if (number === this.updateAt) this.updateKeys();
    const phase = (this.keyUpdates & 1) === 0 ? 0 : PHASE_BIT;
    const marked = phase | (number & NUMBER_MASK);
    if (isCredit(frame.bytes)) this.sealCredit(frame, number, marked);
    else this.sealFrame(frame, number, marked);
  }

  private sealFrame(frame: Frame, number: number, marked: number): void {
    const { bytes } = frame;
    const end = frame.length - CHECK_BYTES;
    assert(frame.length + Sealed.extraBytes <= bytes.length, 'a frame to seal has room for its tag');
    write32(bytes, end + Sealed.number, marked);
    this.keys.frames.seal(bytes, this.nonce.setNumber(number), end, end + Sealed.tag);
    frame.length += Sealed.extraBytes;
  }

  private sealCredit(frame: Frame, number: number, marked: number): void {
    const { bytes } = frame;
    const { credits } = this.keys;
    assert(frame.length + SealedCredit.extraBytes <= bytes.length, 'a credit to seal has room for its tag');
    frame.length = widenCredit(bytes, frame.length);
    writeCreditNumber(bytes, marked);
    credits.setNonce(this.nonce.setNumber(number));
    credits.seal(bytes, AUTHENTICATED_FROM, SealedCredit.text, SealedCredit.textEnd);
    for (let at = 0; at < SealedCredit.tagBytes; at++) bytes[SealedCredit.tag + at] = credits.tag[at];
  }

  private updateKeys(): void {
    const old = this.keys;
    this.keys = old.makeNext();
    old.close();
    this.keyUpdates++;
    this.updateAt += this.updatePackets;
  }

  close(): void {
    this.keys.close();
  }
}
