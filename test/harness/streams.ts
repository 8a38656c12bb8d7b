import type { XpassError } from '../../src/base/errors.js';
import type { Application } from '../../src/core/application.js';
import type { FlowReader, FlowWriter } from '../../src/core/flow-callbacks.js';
import type { ReceiverFlow } from '../../src/core/receiver-flow.js';
import type { SenderFlow } from '../../src/core/sender-flow.js';
import type { World } from './world.js';

/** Byte `offset` of the test stream: any shift, loss or repetition of bytes shows. */
export function patternByte(offset: number): number {
  return (offset * 31 + (offset >>> 8) * 17 + (offset >>> 16) * 7) & 0xff;
}

/** The stream repeats after 16 MiB: made block by block where a test comes to it. */
const BLOCK_BYTES = 65_536;
const blocks: Buffer[] = [];

function blockAt(offset: number): Buffer {
  const number = Math.floor(offset / BLOCK_BYTES) % 256;
  blocks[number] ??= Buffer.from(
    Uint8Array.from({ length: BLOCK_BYTES }, (_, at) => patternByte(number * BLOCK_BYTES + at)),
  );
  return blocks[number];
}

/** Calls with each part of a block of the stream that lies in `length` bytes from `offset` on, and where it begins there. */
function eachPart(offset: number, length: number, take: (part: Buffer, at: number) => void): void {
  for (let at = 0; at < length; ) {
    const from = (offset + at) % BLOCK_BYTES;
    const part = blockAt(offset + at).subarray(from, from + length - at);
    take(part, at);
    at += part.length;
  }
}

export function pattern(offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  eachPart(offset, length, (part, at) => bytes.set(part, at));
  return bytes;
}

/** How many of these bytes, which arrived at `offset`, are not those of the stream. */
export function wrongBytes(bytes: Uint8Array, offset: number): number {
  let wrong = 0;
  eachPart(offset, bytes.length, (part, at) => {
    if (part.equals(bytes.subarray(at, at + part.length))) return;
    for (let index = 0; index < part.length; index++) if (bytes[at + index] !== part[index]) wrong++;
  });
  return wrong;
}

/** Reads a flow and checks every byte against the pattern. */
export class PatternReader implements FlowReader {
  received = 0;
  wrong = 0;
  ended = false;
  closed: XpassError | null | undefined;
  closings = 0;
  /** Called with every delivery; the default releases at once. */
  onBytes: (flow: ReceiverFlow, count: number) => void;
  readonly flow: ReceiverFlow;

  constructor(flow: ReceiverFlow, onBytes: (flow: ReceiverFlow, count: number) => void) {
    this.flow = flow;
    this.onBytes = onBytes;
  }

  onData(bytes: Uint8Array): void {
    this.wrong += wrongBytes(bytes, this.received);
    this.received += bytes.length;
    this.onBytes(this.flow, bytes.length);
  }

  onEnd(): void {
    this.ended = true;
  }

  onClosed(error: XpassError | null): void {
    this.closed = error;
    this.closings++;
  }
}

/** Takes every flow and reads it. */
export class Sink implements Application {
  readonly readers: PatternReader[] = [];
  private readonly world: World;
  private readonly slow: boolean;

  /** `slow`: nothing is released unless the test does so. */
  constructor(world: World, slow = false) {
    this.world = world;
    this.slow = slow;
  }

  acceptFlow(flow: ReceiverFlow): FlowReader {
    const release = (of: ReceiverFlow, count: number) => of.release(count, this.world.nowNs);
    const reader = new PatternReader(flow, this.slow ? () => {} : release);
    this.readers.push(reader);
    return reader;
  }
}

/** Writes `bytes` bytes of the pattern into a flow as fast as it takes them, then ends it. Infinity: goes on for ever. */
export class Source implements FlowWriter {
  closed: XpassError | null | undefined;
  closings = 0;
  flow!: SenderFlow;
  private written = 0;
  private limit = Number.POSITIVE_INFINITY;
  private readonly bytes: number;
  private readonly world: World;
  private readonly chunkBytes: number;

  constructor(world: World, bytes: number, chunkBytes = 65_536) {
    this.world = world;
    this.bytes = bytes;
    this.chunkBytes = chunkBytes;
  }

  /** Opens a flow from host `from` to host `to` and starts writing. */
  start(from: number, to: number): this {
    this.flow = this.world.hosts[from].endpoint.open(to, this, {}, this.world.nowNs);
    this.onWritable();
    return this;
  }

  /** Writes no more than `bytes` in all until it is told another number. Tell it before it starts, or what it has written stays written. */
  pauseAt(bytes: number): this {
    this.limit = bytes;
    return this;
  }

  /** Goes on up to `bytes` in all. */
  resume(bytes = Number.POSITIVE_INFINITY): void {
    this.limit = bytes;
    this.onWritable();
  }

  onWritable(): void {
    while (this.written < Math.min(this.bytes, this.limit)) {
      const count = Math.min(this.chunkBytes, this.bytes - this.written, this.limit - this.written);
      if (!this.flow.write(pattern(this.written, count), this.world.nowNs)) return;
      this.written += count;
    }
    if (this.written === this.bytes) this.flow.end(this.world.nowNs);
  }

  onClosed(error: XpassError | null): void {
    this.closed = error;
    this.closings++;
  }
}
