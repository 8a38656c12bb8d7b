import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { MaskSeal } from '../../../src/core/association.js';
import type { Address } from '../../../src/udp/address.js';
import { fastCrc32 } from '../../../src/udp/crc.js';
import { frameType } from '../../../src/wire/decode.js';
import { Frame } from '../../../src/wire/frame.js';
import { Confirm, Cookie, Welcome } from '../../../src/wire/frames.js';
import { BITS_BYTES, COOKIE_BYTES } from '../../../src/wire/proofs.js';
import { framesOf, untilSo } from '../switch-lab.js';
import { hello } from './forged.js';
import type { Wire } from './wire.js';

/** Frames at a time, and then a moment, so that the victim's socket buffer (208 KiB by default, 768 B for a short datagram) takes them. */
const BURST = 100;

/** What can say something to one address, and hear what that answers. */
interface Voice {
  say(bytes: Uint8Array): void;
  /** Frames that have come since the last call. */
  heard(): Buffer[];
}

/** Says all of it, no faster than it can be taken. */
export async function sayAll(frames: Iterable<Uint8Array>, say: (bytes: Uint8Array) => void): Promise<number> {
  let [count, bytes] = [0, 0];
  for (const frame of frames) {
    say(frame);
    bytes += frame.length;
    if (++count % BURST === 0) await sleep(1);
  }
  return bytes;
}

/** A peer without keys that has proved its address, and then says what no honest one does. */
export class Liar {
  private readonly voice: Voice;
  private readonly mask: MaskSeal;

  private constructor(voice: Voice, mask: MaskSeal) {
    this.voice = voice;
    this.mask = mask;
  }

  /** With a socket of its own. */
  static async at(host: string, to: Address): Promise<Liar> {
    const socket = createSocket('udp4').bind(0, host);
    await once(socket, 'listening');
    onTestFinished(() => void socket.close());
    const frames: Buffer[] = [];
    socket.on('message', (bytes) => frames.push(...framesOf(bytes)));
    return Liar.prove({ say: (bytes) => socket.send(bytes, to.port, to.host), heard: () => frames.splice(0) });
  }

  /** Under the name of another host, whose frames it sees. */
  static as(victim: Address, to: Address, wire: Wire): Promise<Liar> {
    const tap = wire.tap(victim.host);
    return Liar.prove({ say: (bytes) => wire.send(bytes, victim, to), heard: () => tap.frames() });
  }

  private static async prove(voice: Voice): Promise<Liar> {
    const ci = randomBytes(BITS_BYTES);
    const answer = async (type: number, question: Uint8Array): Promise<Buffer> => {
      voice.say(question);
      const look = () => voice.heard().find((bytes) => frameType(bytes) === type) ?? null;
      return (await untilSo(look, (found) => found !== null, 'the answer to a HELLO')) as Buffer;
    };
    const cookie = Cookie.read.cookie(await answer(Cookie.type, hello(ci)), new Uint8Array(COOKIE_BYTES));
    const welcome = await answer(Welcome.type, hello(ci, cookie));
    const cr = Welcome.read.cr(welcome, new Uint8Array(BITS_BYTES));
    const liar = new Liar(voice, new MaskSeal(fastCrc32, { ci, cr }, true));
    const confirm = Buffer.alloc(Confirm.minBytes);
    Confirm.encode(confirm, { destination: 0, source: 0, flowId: 0 }, {}, fastCrc32);
    liar.say(confirm);
    return liar;
  }

  /** Takes a plain frame, which it changes. */
  say(bytes: Uint8Array): void {
    const frame = new Frame(bytes);
    frame.length = bytes.length;
    this.mask.seal(frame);
    this.voice.say(bytes);
  }

  /** Returns the bytes that it took. */
  sayAll(frames: Iterable<Uint8Array>): Promise<number> {
    return sayAll(frames, (bytes) => this.say(bytes));
  }
}
