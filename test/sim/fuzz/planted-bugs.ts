/** Switches that are wrong on purpose, each in one way, to see that the checks of the fuzzer find it. */
import { crc32 } from '../../../src/base/crc32.js';
import { NEVER } from '../../../src/base/time.js';
import type { MakeFabric } from '../../../src/sim/world.js';
import { startMeter } from '../../../src/switch/credit-meter.js';
import { Fabric, type FabricOptions, type LinkChanges } from '../../../src/switch/fabric.js';
import type { LinkDirection } from '../../../src/switch/link-direction.js';
import type { Port, PortConfig } from '../../../src/switch/port.js';
import { read32, write32 } from '../../../src/wire/bytes.js';
import { hasChunks } from '../../../src/wire/chunks.js';
import { frameType } from '../../../src/wire/decode.js';
import type { Frame, FramePool } from '../../../src/wire/frame.js';
import { CHECK_BYTES, Chunks, Data, FrameType } from '../../../src/wire/layout.js';

/** One frame in so many goes wrong, the first one earlier: many worlds have no more than some hundred. */
const RARELY = 1_000;
const FIRST = 100;

/** A fabric whose frames go through `onFrame` when they leave; null: none leaves now. */
abstract class WrongAtExit extends Fabric {
  protected readonly frames: FramePool;
  protected readonly hostCount: number;
  private left = FIRST;

  constructor(options: FabricOptions) {
    super(options);
    this.frames = options.pool;
    this.hostCount = options.topology.hosts.length;
  }

  override poll(): Frame | null {
    const frame = super.poll();
    if (frame === null || --this.left > 0 || !this.suits(frame)) return frame;
    this.left = RARELY;
    return this.onFrame(frame);
  }

  protected suits(_frame: Frame): boolean {
    return true;
  }

  protected abstract onFrame(frame: Frame): Frame | null;
}

class Duplicates extends WrongAtExit {
  private second: Frame | null = null;

  override poll(): Frame | null {
    const { second } = this;
    this.second = null;
    return second ?? super.poll();
  }

  protected onFrame(frame: Frame): Frame {
    const copy = this.frames.take();
    copy.bytes.set(frame.bytes.subarray(0, frame.length));
    Object.assign(copy, { ...frame, bytes: copy.bytes });
    this.second = copy;
    return frame;
  }
}

class Leaks extends WrongAtExit {
  protected onFrame(): Frame | null {
    return super.poll();
  }
}

class DropsInSilence extends WrongAtExit {
  protected onFrame(frame: Frame): Frame | null {
    this.frames.give(frame);
    return super.poll();
  }
}

class WrongHost extends WrongAtExit {
  protected onFrame(frame: Frame): Frame {
    frame.port = (frame.port + 1) % this.hostCount;
    return frame;
  }
}

/** Keeps one frame until many others have passed. */
class LateFrame extends WrongAtExit {
  private kept: Frame | null = null;
  private passed = 0;

  override poll(): Frame | null {
    if (this.kept === null || ++this.passed < 40) return super.poll();
    const { kept } = this;
    this.kept = null;
    return kept;
  }

  protected onFrame(frame: Frame): Frame | null {
    this.kept = frame;
    this.passed = 0;
    return super.poll();
  }
}

/** Bad memory: the check of the frame does not fit any more. */
class FlipsBit extends WrongAtExit {
  protected onFrame(frame: Frame): Frame {
    frame.bytes[frame.length - 1] ^= 1;
    return frame;
  }
}

/** Worse: the check fits what is wrong. */
/** Changes a frame so that its check is as good as before, under the mask of an association too. */
function reseal({ bytes, length }: Frame, change: () => void): void {
  const at = length - CHECK_BYTES;
  const before = crc32(bytes, 1, at);
  change();
  const difference = before ^ crc32(bytes, 1, at);
  for (let index = 0; index < CHECK_BYTES; index++) bytes[at + index] ^= difference >>> (8 * index);
}

class ChangesContent extends WrongAtExit {
  protected override suits(frame: Frame): boolean {
    return frameType(frame.bytes) === FrameType.data && frame.phantomBytes === 0;
  }

  protected onFrame(frame: Frame): Frame {
    reseal(frame, () => {
      frame.bytes[Data.payload] ^= 1;
    });
    return frame;
  }
}

/** Puts the bytes of each filled frame's first chunk at another place of their stream: most worlds have no such frame, and few have many. */
class MovesChunks extends Fabric {
  override poll(): Frame | null {
    const frame = super.poll();
    if (frame === null || !hasChunks(frame.bytes)) return frame;
    const at = Chunks.chunks + Chunks.offset;
    const move = () => write32(frame.bytes, at, read32(frame.bytes, at) + 1);
    if (frame.phantomBytes === 0) reseal(frame, move);
    else move();
    return frame;
  }
}

/** Sends data by the way that another flow would take. */
class WrongPath extends Fabric {
  constructor(options: FabricOptions) {
    super(options);
    const find = this.routes.find.bind(this.routes);
    this.routes.find = (bytes, at) => {
      if (frameType(bytes) !== FrameType.data) return find(bytes, at);
      const other = bytes.slice(0, 12);
      other[3] ^= 1;
      other[11] ^= 0x55;
      return find(other, at);
    };
  }
}

/** A fabric that does something wrong to the links that change. */
abstract class WrongAfterChange extends Fabric {
  override configureLink(name: string, changes: LinkChanges, nowNs: number): readonly LinkDirection[] {
    const changed = super.configureLink(name, changes, nowNs);
    for (const { port } of changed) if (port !== null) this.onChange(port);
    return changed;
  }

  protected abstract onChange(port: Port): void;
}

class ForgetsMeter extends WrongAfterChange {
  protected onChange(port: Port): void {
    const { numbers, at } = port.statistics.record;
    startMeter(numbers, at, { rateBps: Number.POSITIVE_INFINITY, depthBytes: 1_000 });
  }
}

class LosesHead extends WrongAfterChange {
  protected onChange(port: Port): void {
    const queue = Reflect.get(port, 'data') as { shift(): Frame | undefined };
    queue.shift();
  }
}

class ForgetsDeadline extends WrongAfterChange {
  private isAsleep = false;

  override nextTimeout(): number {
    return this.isAsleep ? NEVER : super.nextTimeout();
  }

  protected onChange(): void {
    this.isAsleep = true;
  }
}

/** Ports that are other than they should be. */
class OtherPorts extends Fabric {
  constructor(options: FabricOptions, change: (config: Readonly<PortConfig>) => Partial<PortConfig>) {
    super(options);
    for (const { port } of this.linkDirections) port?.configure(change(port.settings), 0);
  }
}

/** What is wrong, the switch that does it, and the checks of which one has to say so. */
export const PLANTED_BUGS: readonly (readonly [string, MakeFabric, readonly string[]])[] = [
  ['duplicates a frame and does not count it', (options) => new Duplicates(options), ['copies']],
  ['leaks a frame', (options) => new Leaks(options), ['census']],
  ['drops a frame and does not count it', (options) => new DropsInSilence(options), ['drops']],
  ['delivers a frame to the wrong host', (options) => new WrongHost(options), ['destination']],
  ['delivers a frame late, after others', (options) => new LateFrame(options), ['order', 'census', 'leftovers']],
  ['damages a frame', (options) => new FlipsBit(options), ['refused', 'door forged']],
  [
    'changes bytes of a stream',
    (options) => new ChangesContent(options),
    // Where a door is watched that says so first; in a filled frame the byte is the count of its chunks.
    ['assertion: a byte arrived in the wrong place', 'door forged', 'refused'],
  ],
  [
    'moves chunks of filled frames in their streams',
    (options) => new MovesChunks(options),
    // Its receiver resets a flow whose end moves, and acknowledges what its sender has not sent.
    ['assertion: a byte arrived in the wrong place', 'liveness', 'refused', 'door forged'],
  ],
  ['sends data by another path than its credits', (options) => new WrongPath(options), ['path']],
  // A credit that waits when the link changes may go at once, as of the time when it came.
  ['forgets to meter credits on a link that changed', (options) => new ForgetsMeter(options), ['meter', 'time']],
  // A port that was about to send the lost frame trips over its own assertion first.
  [
    'loses the head of a queue when the link changes',
    (options) => new LosesHead(options),
    ['queues', 'census', 'assertion: a scheduled start has a frame'],
  ],
  ['forgets to wake up once a link has changed', (options) => new ForgetsDeadline(options), ['timers', 'liveness']],
  [
    'queues more credits than its limit',
    (options) => new OtherPorts(options, ({ creditQueueFrames }) => ({ creditQueueFrames: 1 + creditQueueFrames })),
    ['queues'],
  ],
  [
    'sends faster than its link',
    (options) => new OtherPorts(options, ({ rateBps }) => ({ rateBps: 1.2 * rateBps })),
    ['serialiser', 'meter'],
  ],
];
