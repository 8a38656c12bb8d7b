/** Doors that are wrong on purpose, each in one way, to see that the checks of hostile worlds find it. */
import { crc32 } from '../../../src/base/crc32.js';
import type { Acquaintance } from '../../../src/core/acquaintance.js';
import { type FrameSeal, type KeyExchange, MaskSeal } from '../../../src/core/association.js';
import { Door, type DoorEvents } from '../../../src/core/door.js';
import type { HandshakeOptions } from '../../../src/core/handshakes.js';
import type { MakeDoor } from '../../../src/sim/world.js';
import { read32, write32 } from '../../../src/wire/bytes.js';
import { frameType, sourceHost } from '../../../src/wire/decode.js';
import { seal } from '../../../src/wire/encode.js';
import type { Frame } from '../../../src/wire/frame.js';
import { Cookie, Hello, NoAssociation, Welcome } from '../../../src/wire/frames.js';
import { CHECK_BYTES, CONTROL_CODES } from '../../../src/wire/layout.js';
import { BITS_BYTES, type Bits64, type CookieMaker } from '../../../src/wire/proofs.js';

/** More than a HELLO has, and no more than its buffer. */
const TOO_LONG_BYTES = 200;

function typeOf({ bytes }: Frame): number {
  return frameType(bytes);
}

/** A door with other cookies. */
function withCookies(change: (usual: CookieMaker) => Partial<CookieMaker>): MakeDoor {
  return (options, events) => {
    const usual = options.cookies;
    const cookies: CookieMaker = {
      write: (peer, bits, nowNs, out) => usual.write(peer, bits, nowNs, out),
      isValid: (peer, bits, nowNs, cookie) => usual.isValid(peer, bits, nowNs, cookie),
      ...change(usual),
    };
    return new Door({ ...options, cookies }, events);
  };
}

/** A door whose handshakes get each frame after `change`. */
function beforeHandling(change: (frame: Frame, door: Door, options: HandshakeOptions) => void): MakeDoor {
  return (options, events) => {
    const door = new Door(options, events);
    const { handshakes } = door;
    const handle = handshakes.handle.bind(handshakes);
    handshakes.handle = (frame, nowNs) => {
      change(frame, door, options);
      handle(frame, nowNs);
    };
    return door;
  };
}

/** A door whose associations are protected by `make`. */
function withSeal(make: (bits: { ci: Bits64; cr: Bits64 }, isInitiator: boolean) => FrameSeal): MakeDoor {
  const keys: KeyExchange = {
    initiate: () => ({ message: new Uint8Array(0), finish: (_, ci, cr) => make({ ci, cr }, true) }),
    respond: (_peer, _message, bits) => ({ message: new Uint8Array(0), seal: make(bits, false) }),
  };
  return (options, events) => new Door({ ...options, keys }, events);
}

/** With these bits both masks are `mask`. */
function sameMask(ci: Bits64, mask: number): Bits64 {
  const cr = new Uint8Array(BITS_BYTES);
  write32(cr, 0, read32(ci, 4) ^ mask);
  write32(cr, 4, read32(ci, 0) ^ mask);
  return cr;
}

function known(door: Door, { bytes }: Frame): Acquaintance | null {
  return door.handshakes.find(sourceHost(bytes));
}

class AnswersAtLength extends Door {
  override poll(): Frame | null {
    const frame = super.poll();
    if (frame === null || typeOf(frame) !== Cookie.type) return frame;
    frame.length = seal(frame.bytes, TOO_LONG_BYTES - CHECK_BYTES, crc32);
    return frame;
  }
}

class LetsAllIn extends Door {
  override admit(frame: Frame, nowNs: number): boolean {
    const isAdmitted = super.admit(frame, nowNs);
    return isAdmitted || typeOf(frame) < CONTROL_CODES;
  }
}

class SendsUnproved extends Door {
  override mayLeave(frame: Frame): boolean {
    return this.handshakes.find(frame.peer) === null || super.mayLeave(frame);
  }

  override letOut(frame: Frame): boolean {
    return this.handshakes.find(frame.peer) === null || super.letOut(frame);
  }
}

class ForgetsHeld extends Door {
  constructor(options: HandshakeOptions, events: DoorEvents) {
    super(options, events);
    Reflect.set(this, 'drop', () => {});
  }
}

class NeverForgets extends Door {
  constructor(options: HandshakeOptions, events: DoorEvents) {
    super({ ...options, times: { ...options.times, idleTimeoutNs: 1e15 } }, events);
  }
}

class ForgetsEarly extends Door {
  constructor(options: HandshakeOptions, events: DoorEvents) {
    super({ ...options, times: { ...options.times, idleTimeoutNs: options.times.idleTimeoutNs / 8 } }, events);
  }
}

/** What is wrong, the door that does it, and the checks of which one has to say so. */
export const PLANTED_DOORS: readonly (readonly [string, MakeDoor, readonly string[]])[] = [
  [
    'takes any cookie for any bits',
    withCookies(() => ({ isValid: (...[, , , cookie]) => cookie[3] !== 0 })),
    ['door proof', 'door state'],
  ],
  [
    "takes a peer's cookie for other bits than those that it is for",
    withCookies((usual) => {
      const made = new Map<string, Bits64 | null>();
      return {
        write: (peer, bits, nowNs, out) => {
          usual.write(peer, bits, nowNs, out);
          made.set(`${peer} ${out}`, bits);
        },
        isValid: (peer, _bits, _nowNs, cookie) => made.has(`${peer} ${cookie}`),
      };
    }),
    ['door proof', 'door state'],
  ],
  [
    'takes a cookie from another address than the one that it is for',
    withCookies((usual) => {
      return {
        write: (_peer, bits, nowNs, out) => usual.write(0, bits, nowNs, out),
        isValid: (_peer, bits, nowNs, cookie) => usual.isValid(0, bits, nowNs, cookie),
      };
    }),
    ['door proof', 'door state'],
  ],
  [
    'takes a WELCOME that it did not ask for',
    beforeHandling((frame, door) => {
      const hailing = typeOf(frame) === Welcome.type ? known(door, frame)?.hailing : null;
      if (hailing) Reflect.set(hailing, 'ci', Welcome.read.ci(frame.bytes, new Uint8Array(BITS_BYTES)));
    }),
    ['door unasked'],
  ],
  [
    'keeps state for a HELLO without a cookie',
    beforeHandling((frame, { handshakes }) => {
      const peer = sourceHost(frame.bytes);
      if (typeOf(frame) === Hello.type && handshakes.find(peer) === null) handshakes.add(peer);
    }),
    ['door state'],
  ],
  [
    'answers with more than it was sent',
    (options, events) => new AnswersAtLength(options, events),
    ['door amplification'],
  ],
  [
    'ends an association for a hint',
    beforeHandling((frame, door) => {
      const who = typeOf(frame) === NoAssociation.type ? known(door, frame) : null;
      if (who !== null) who.agreed = null;
    }),
    ['door ended', 'bounds'],
  ],
  [
    'has the same mask in both directions',
    withSeal(({ ci, cr }, isInitiator) => new MaskSeal(crc32, { ci, cr: sameMask(ci, read32(cr, 0)) }, isInitiator)),
    ['door forged'],
  ],
  [
    'has no mask',
    withSeal(({ ci }, isInitiator) => new MaskSeal(crc32, { ci, cr: sameMask(ci, 0) }, isInitiator)),
    ['door forged'],
  ],
  [
    'lets frames of flows in from everybody',
    (options, events) => new LetsAllIn(options, events),
    ['door unproved', 'door forged'],
  ],
  ['sends to who has proved nothing', (options, events) => new SendsUnproved(options, events), ['door unproved']],
  ['loses frames that waited', (options, events) => new ForgetsHeld(options, events), ['pool', 'host frames']],
  ['never forgets anybody', (options, events) => new NeverForgets(options, events), ['leftovers']],
  [
    'forgets a peer that it has just heard',
    (options, events) => new ForgetsEarly(options, events),
    ['door silence', 'liveness'],
  ],
];
