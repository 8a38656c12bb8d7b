import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { Switch, type SwitchOptions } from '../../src/switch/switch.js';
import { checkFrame, destinationHost } from '../../src/wire/decode.js';
import type { Frame } from '../../src/wire/frame.js';
import { Attach, Attached, AttachRefused, Detach, KeepAlive } from '../../src/wire/frames.js';
import { CountingPool, dataFrame, type FrameOptions, testSeed } from './frames.js';

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
}

/** A switch and hosts that talk to it in datagrams, in virtual time. */
export class SwitchBed {
  readonly pool = new CountingPool();
  readonly target: Switch;
  nowNs = 0;

  constructor(options: Partial<SwitchOptions> & Pick<SwitchOptions, 'topology'>) {
    this.target = new Switch({ random: new SeededRandom(testSeed()), check: crc32, pool: this.pool, ...options });
  }

  attach({ peer, id, token }: HostSide, maxFrameBytes = 0): Answer[] {
    return this.send(peer, (bytes) => Attach.encode(bytes, fromHost(id), { token, maxFrameBytes }, crc32));
  }

  keepAlive({ peer, id, token }: HostSide): Answer[] {
    return this.send(peer, (bytes) => KeepAlive.encode(bytes, fromHost(id), { token }, crc32));
  }

  detach({ peer, id, token }: HostSide): Answer[] {
    return this.send(peer, (bytes) => Detach.encode(bytes, fromHost(id), { token }, crc32));
  }

  data(peer: number, options: FrameOptions = {}): Answer[] {
    return this.send(peer, (_, frame) => dataFrame({ ...options, into: frame }).length);
  }

  /** Sends what `write` puts into a frame from the address `peer`, and returns what comes out of the switch at once. */
  send(peer: number, write: (bytes: Uint8Array, frame: Frame) => number): Answer[] {
    const frame = this.pool.take();
    frame.length = write(frame.bytes, frame);
    frame.peer = peer;
    this.target.handleDatagram(frame, this.nowNs);
    return this.drain().map(({ answer }) => answer);
  }

  /** Lets time pass. */
  pass(durationNs: number): Answer[] {
    this.nowNs += durationNs;
    this.target.advance(this.nowNs);
    return this.drain().map(({ answer }) => answer);
  }

  drain(): { peer: number; answer: Answer }[] {
    const out = [];
    for (let frame = this.target.poll(); frame !== null; frame = this.target.poll()) {
      out.push({ peer: frame.peer, answer: readAnswer(frame) });
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
