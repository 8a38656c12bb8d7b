import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { Switch, type SwitchOptions } from '../../src/switch/switch.js';
import { write32 } from '../../src/wire/bytes.js';
import { checkFrame, destinationHost, frameType } from '../../src/wire/decode.js';
import { Frame } from '../../src/wire/frame.js';
import { Attach, AttachChallenge, Attached, AttachRefused, Detach, KeepAlive } from '../../src/wire/frames.js';
import { BITS_BYTES, COOKIE_BYTES } from '../../src/wire/proofs.js';
import { TEST_SEED } from '../harness/seeds.js';
import { TestCookies } from '../harness/world.js';
import { CountingPool, dataFrame, type FrameOptions } from './frames.js';

/** What an answer of the switch says, by its type. */
export type Answer =
  | { type: 'attached'; id: number; token: number; rateKbps: number; maxFrameBytes: number; keepAliveMs: number }
  | { type: 'refused'; id: number; token: number; code: number }
  | { type: number; id: number };

export interface HostSide {
  /** Number of its UDP address. */
  peer: number;
  id: number;
  token: number;
  /** By its token where it is left out. */
  nonce?: Uint8Array;
}

function nonceOf(token: number): Uint8Array {
  const nonce = new Uint8Array(BITS_BYTES);
  write32(nonce, 0, token);
  return nonce;
}

/** A switch and hosts that talk to it in datagrams, in virtual time. */
export class SwitchBed {
  readonly pool = new CountingPool();
  readonly target: Switch;
  nowNs = 0;
  private counter = 0;

  constructor(options: Partial<SwitchOptions> & Pick<SwitchOptions, 'topology'>) {
    const random = new SeededRandom(TEST_SEED);
    const cookies = new TestCookies(random.fork());
    this.target = new Switch({ random, check: crc32, pool: this.pool, cookies, ...options });
  }

  /** What comes after the challenge. */
  attach({ peer, id, token, nonce = nonceOf(token) }: HostSide, maxFrameBytes = 0): Answer[] {
    let cookie = new Uint8Array(COOKIE_BYTES);
    const ask = () =>
      this.exchange(peer, (bytes) =>
        Attach.encode(bytes, fromHost(id), { token, maxFrameBytes, nonce, cookie, proof: nonce }, crc32),
      );
    const challenge = ask().find(({ bytes }) => frameType(bytes) === AttachChallenge.type);
    if (challenge === undefined) throw new Error('the switch asks for no cookie');
    cookie = AttachChallenge.read.cookie(challenge.bytes, new Uint8Array(COOKIE_BYTES)) as typeof cookie;
    return ask().map(readAnswer);
  }

  keepAlive({ peer, id, token, nonce = nonceOf(token) }: HostSide): Answer[] {
    const fields = { token, counter: ++this.counter, proof: nonce };
    return this.send(peer, (bytes) => KeepAlive.encode(bytes, fromHost(id), fields, crc32));
  }

  detach({ peer, id, token, nonce = nonceOf(token) }: HostSide): Answer[] {
    const fields = { token, counter: ++this.counter, proof: nonce };
    return this.send(peer, (bytes) => Detach.encode(bytes, fromHost(id), fields, crc32));
  }

  data(peer: number, options: FrameOptions = {}): Answer[] {
    return this.send(peer, (_, frame) => dataFrame({ ...options, into: frame }).length);
  }

  /** Sends what `write` puts into a frame from the address `peer`, and returns what comes out of the switch at once. */
  send(peer: number, write: (bytes: Uint8Array, frame: Frame) => number): Answer[] {
    return this.exchange(peer, write).map(readAnswer);
  }

  private exchange(peer: number, write: (bytes: Uint8Array, frame: Frame) => number): Frame[] {
    const frame = this.pool.take();
    frame.length = write(frame.bytes, frame);
    frame.peer = peer;
    this.target.handleDatagram(frame, this.nowNs);
    return this.frames();
  }

  /** Lets time pass. */
  pass(durationNs: number): Answer[] {
    this.nowNs += durationNs;
    this.target.advance(this.nowNs);
    return this.drain().map(({ answer }) => answer);
  }

  drain(): { peer: number; answer: Answer }[] {
    return this.frames().map((frame) => ({ peer: frame.peer, answer: readAnswer(frame) }));
  }

  private frames(): Frame[] {
    const out: Frame[] = [];
    for (let frame = this.target.poll(); frame !== null; frame = this.target.poll()) {
      const copy = new Frame(frame.bytes.slice(0, frame.length));
      copy.length = frame.length;
      copy.peer = frame.peer;
      out.push(copy);
      this.pool.give(frame);
    }
    return out;
  }

  attached(): number[] {
    return this.target
      .statistics(this.nowNs)
      .hosts.filter(({ attached }) => attached)
      .map(({ id }) => id);
  }

  door(): Record<string, number> {
    return this.target.statistics(this.nowNs).door;
  }
}

function fromHost(id: number) {
  return { source: id, destination: 0, flowId: 0 };
}

function readAnswer(frame: Frame): Answer {
  const { bytes } = frame;
  const type = checkFrame(frame, crc32);
  const id = destinationHost(bytes);
  if (type === AttachRefused.type) {
    return { type: 'refused', id, token: AttachRefused.read.token(bytes), code: AttachRefused.read.code(bytes) };
  }
  if (type !== Attached.type) return { type, id };
  return {
    type: 'attached',
    id,
    token: Attached.read.token(bytes),
    rateKbps: Attached.read.rateKbps(bytes),
    maxFrameBytes: Attached.read.maxFrameBytes(bytes),
    keepAliveMs: Attached.read.keepAliveMs(bytes),
  };
}
