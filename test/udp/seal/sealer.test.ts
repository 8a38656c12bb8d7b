import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SeededRandom } from '../../../src/base/random.js';
import { Opening } from '../../../src/core/frame-sealer.js';
import { REPLAY_WINDOW } from '../../../src/core/replay-window.js';
import { type GcmCipher, type MakeGcm, makeNodeGcm } from '../../../src/udp/seal/gcm.js';
import { Nonce } from '../../../src/udp/seal/nonce.js';
import { Sealer, type SealerOptions } from '../../../src/udp/seal/sealer.js';
import { read16, write16 } from '../../../src/wire/bytes.js';
import { Frame } from '../../../src/wire/frame.js';
import { Credit, FrameType, Header } from '../../../src/wire/layout.js';
import { SealedCredit } from '../../../src/wire/sealed.js';

const SECRET = new Uint8Array(32).fill(5);
const ROOM = 64;

interface Ends {
  readonly here: Sealer;
  readonly there: Sealer;
}

function makeEnds(options: Partial<SealerOptions> = {}): Ends {
  const common = { secret: SECRET, makeGcm: makeNodeGcm, ...options };
  return { here: new Sealer({ ...common, isInitiator: true }), there: new Sealer({ ...common, isInitiator: false }) };
}

function frameOf(bytes: Uint8Array, type: number = FrameType.data): Frame {
  const frame = new Frame(new Uint8Array(bytes.length + ROOM));
  frame.bytes.set(bytes);
  frame.bytes[Header.versionAndType] = 0x20 | type;
  frame.length = bytes.length;
  return frame;
}

const dataFrame = (bytes = 40) => frameOf(Uint8Array.from({ length: bytes }, (_, index) => index));

/** A plain credit: 18 bytes and padding, which begins with the explicit rate where there is room. */
function creditFrame(paddingBytes = 4): Frame {
  const frame = frameOf(new Uint8Array(Credit.bytes + paddingBytes).fill(0x5a, 0, Credit.check), FrameType.credit);
  if (paddingBytes >= 2) write16(frame.bytes, Credit.explicitRate, 0xffff);
  return frame;
}

function copyOf(frame: Frame): Frame {
  const copy = new Frame(frame.bytes.slice());
  copy.length = frame.length;
  return copy;
}

function sealedBy(sealer: Sealer, frame: Frame): Frame {
  // Called so often that `expect` would take most of the time.
  if (!sealer.seal(frame)) throw new Error('the association is over');
  return frame;
}

/** Without the check, which a sealed frame does not have. */
const contentOf = (frame: Frame) => Buffer.from(frame.bytes.subarray(0, frame.length - 4)).toString('hex');
const creditOf = ({ bytes, length }: Frame) => [bytes.subarray(0, Credit.check), bytes.subarray(Credit.bytes, length)];

describe('a sealer', () => {
  it('opens what the other end sealed, of any length and type but CREDIT', () => {
    const { here, there } = makeEnds();
    const type = fc.integer({ min: 0, max: 15 }).filter((value) => value !== FrameType.credit);
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 2_000 }), type, fc.boolean(), (bytes, kind, isBack) => {
        const plain = frameOf(bytes, kind);
        const sealed = sealedBy(isBack ? there : here, copyOf(plain));
        expect(sealed.length).toBe(plain.length + 16);
        expect((isBack ? here : there).open(sealed)).toBe(Opening.opened);
        expect(sealed.length).toBe(plain.length);
        expect(contentOf(sealed)).toBe(contentOf(plain));
      }),
    );
  });

  it('hides the body and shows the header', () => {
    const plain = dataFrame(200);
    const sealed = sealedBy(makeEnds().here, copyOf(plain));
    expect(sealed.bytes.subarray(0, 12)).toEqual(plain.bytes.subarray(0, 12));
    const same = plain.bytes.subarray(12, 196).filter((byte, index) => sealed.bytes[12 + index] === byte).length;
    expect(same).toBeLessThan(20);
  });

  it('makes a CREDIT 30 bytes and its padding, and gives the explicit rate that a switch wrote', () => {
    const { here, there } = makeEnds();
    for (let padding = 0; padding <= Credit.maxPaddingBytes; padding++) {
      const plain = creditFrame(padding);
      const sealed = sealedBy(here, copyOf(plain));
      expect(sealed.length).toBe(SealedCredit.bytes + padding);
      if (padding >= 2) {
        expect(read16(sealed.bytes, SealedCredit.explicitRate)).toBe(0xffff);
        write16(sealed.bytes, SealedCredit.explicitRate, 0x1234);
        write16(plain.bytes, Credit.explicitRate, 0x1234);
      }
      expect(there.open(sealed)).toBe(Opening.opened);
      expect(creditOf(sealed)).toEqual(creditOf(plain));
    }
  });

  it.each([
    ['a data frame', dataFrame, [0]],
    ['a CREDIT', creditFrame, [0, 18, 19]],
  ])('refuses %s with any bit flipped that switches do not rewrite', (_, make, rewritten) => {
    const { here, there } = makeEnds();
    const sealed = sealedBy(here, make());
    for (let bit = 0; bit < 8 * sealed.length; bit++) {
      const damaged = copyOf(sealed);
      damaged.bytes[bit >>> 3] ^= 1 << (bit & 7);
      if (!rewritten.includes(bit >>> 3)) expect([bit, there.open(damaged)]).not.toEqual([bit, Opening.opened]);
    }
    for (const at of rewritten) sealed.bytes[at] ^= 0xff;
    expect(there.open(sealed)).toBe(Opening.opened);
  });

  it('never throws for what arrives, and opens nothing of it', () => {
    const { there } = makeEnds();
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const frame = new Frame(bytes.slice());
        frame.length = bytes.length;
        expect(there.open(frame)).not.toBe(Opening.opened);
      }),
    );
  });

  it('opens nothing that it sealed itself, nor what another secret sealed', () => {
    const { here, there } = makeEnds();
    const stranger = makeEnds({ secret: new Uint8Array(32).fill(6) }).here;
    expect(here.open(sealedBy(here, dataFrame()))).toBe(Opening.forged);
    expect(there.open(sealedBy(stranger, dataFrame()))).toBe(Opening.forged);
    expect(there.open(sealedBy(stranger, creditFrame()))).toBe(Opening.forged);
  });

  it('tells a repetition from a frame that is too old, whatever came between', () => {
    const { here, there } = makeEnds();
    const first = sealedBy(here, dataFrame());
    const second = sealedBy(here, creditFrame());
    expect(there.open(copyOf(second))).toBe(Opening.opened);
    expect(there.open(copyOf(second))).toBe(Opening.duplicate);
    for (let count = 0; count < REPLAY_WINDOW - 2; count++) sealedBy(here, creditFrame());
    expect(there.open(sealedBy(here, dataFrame()))).toBe(Opening.opened);
    expect(there.open(copyOf(first))).toBe(Opening.tooOld);
    expect(there.open(copyOf(second))).toBe(Opening.duplicate);
  });

  it('ends at the limit of forgeries, in both directions', () => {
    const { here, there } = makeEnds({ forgeryLimit: 3 });
    const forged = sealedBy(here, dataFrame());
    forged.bytes[20] ^= 1;
    for (let count = 0; count < 3; count++) expect(there.open(copyOf(forged))).toBe(Opening.forged);
    expect([there.isOver, there.forgeries]).toEqual([true, 3]);
    expect(there.open(sealedBy(here, dataFrame()))).toBe(Opening.over);
    expect(there.seal(dataFrame())).toBe(false);
    expect(here.isOver).toBe(false);
  });
});

describe('key updates', () => {
  it.each([1, 2, 3])('lose no frame that is reordered by thousands, seed %i', (seed) => {
    const { here, there } = makeEnds({ updatePackets: REPLAY_WINDOW });
    const random = new SeededRandom(seed);
    const counts = [0, 0, 0, 0, 0, 0];
    const held: Frame[] = [];
    const total = 4.5 * REPLAY_WINDOW;
    for (let sent = 0; sent < total; sent++) {
      held.push(sealedBy(here, sent % 8 === 0 ? dataFrame() : creditFrame()));
      // No frame is overtaken by more than 5,000 others.
      const isForced = held.length > 1 && sent >= 5_000;
      if (!isForced) continue;
      const at = random.uint32() % 4 === 0 ? 0 : random.uint32() % Math.min(held.length, 2_500);
      counts[there.open(held.splice(at, 1)[0]!)]!++;
    }
    for (const frame of held) counts[there.open(frame)]!++;
    expect(counts[Opening.forged]).toBe(0);
    expect(counts[Opening.duplicate]).toBe(0);
    expect(counts[Opening.opened]! + counts[Opening.tooOld]!).toBe(total);
    expect(counts[Opening.tooOld]!).toBeLessThan(total / 100);
    expect([here.keyUpdates.sent, there.keyUpdates.received]).toEqual([4, 4]);
  });

  it('are followed when frames around them are lost', () => {
    const { here, there } = makeEnds({ updatePackets: REPLAY_WINDOW });
    for (let sent = 0; sent < 4 * REPLAY_WINDOW; sent++) {
      const frame = sealedBy(here, creditFrame());
      const isLost = sent % REPLAY_WINDOW < 1_000 || sent % REPLAY_WINDOW > 7_000;
      if (!isLost && there.open(frame) !== Opening.opened) throw new Error(`frame ${sent} is refused`);
    }
    expect(there.keyUpdates.received).toBe(3);
  });

  it('do not follow a forged phase', () => {
    const { here, there } = makeEnds({ updatePackets: REPLAY_WINDOW });
    for (let count = 0; count < 100; count++) {
      const frame = sealedBy(here, creditFrame());
      const forged = copyOf(frame);
      forged.bytes[SealedCredit.numberHigh] ^= 0x80;
      expect(there.open(forged)).toBe(Opening.forged);
      expect(there.open(frame)).toBe(Opening.opened);
    }
    expect(there.keyUpdates.received).toBe(0);
  });

  it('free the keys that are gone: at most three of a direction exist', () => {
    let alive = 0;
    let most = 0;
    const makeGcm: MakeGcm = (key, isSealing) => {
      const cipher = makeNodeGcm(key, isSealing);
      most = Math.max(most, ++alive);
      return { ...bound(cipher), close: () => alive-- };
    };
    const { here, there } = makeEnds({ updatePackets: REPLAY_WINDOW, makeGcm });
    for (let sent = 0; sent < 5 * REPLAY_WINDOW; sent++) there.open(sealedBy(here, creditFrame()));
    here.close();
    there.close();
    expect(alive).toBe(0);
    expect(most).toBeLessThanOrEqual(6);
  });
});

function bound(cipher: GcmCipher): GcmCipher {
  return {
    seal: (...args) => cipher.seal(...args),
    open: (...args) => cipher.open(...args),
    close: () => cipher.close(),
  };
}

describe('nonces', () => {
  it('of the two directions, and of the numbers of one, are never the same', () => {
    const seen = new Set<string>();
    const numbers = [0, 1, 255, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 32 + 1, 2 ** 52, 2 ** 53 - 1];
    for (const direction of [0, 1] as const) {
      const nonce = new Nonce(SECRET, direction);
      for (const number of numbers) seen.add(Buffer.from(nonce.setNumber(number)).toString('hex'));
    }
    expect(seen.size).toBe(2 * numbers.length);
  });

  it('and keys do not repeat over what both ends seal, key updates included', () => {
    const used = new Set<string>();
    let count = 0;
    const makeGcm: MakeGcm = (key, isSealing) => {
      const cipher = bound(makeNodeGcm(key, isSealing));
      const seal: GcmCipher['seal'] = (_, nonce) => {
        count++;
        used.add(Buffer.from(nonce).toString('hex'));
      };
      return isSealing ? { ...cipher, seal } : cipher;
    };
    const { here, there } = makeEnds({ updatePackets: REPLAY_WINDOW, makeGcm });
    for (let sent = 0; sent < 20_000; sent++) for (const end of [here, there]) end.seal(dataFrame());
    // Nonces alone, without the key: they differ even where keys do.
    expect([count, used.size]).toEqual([40_000, 40_000]);
  });
});
