// Tested by test/sim/fuzz/audited-pool.test.ts
import { type Frame, FramePool } from '../../wire/frame.js';
import { fail } from './violation.js';

/** What a frame's bytes are overwritten with once it is nobody's, so that whoever still reads them reads nonsense. */
const POISON = 0xdb;

/** A store of frames that knows who was given what: no frame is given back twice, or read after that. */
export class AuditedPool extends FramePool {
  /** Frames that are somebody's. */
  readonly taken = new Set<Frame>();
  /** Told of each frame that comes back, before its bytes are overwritten. */
  onGive: (frame: Frame) => void = () => {};

  override take(): Frame {
    const frame = super.take();
    this.taken.add(frame);
    return frame;
  }

  override give(frame: Frame): void {
    if (!this.taken.delete(frame)) fail('pool', "a frame was given back that was nobody's");
    this.onGive(frame);
    frame.bytes.fill(POISON, 0, frame.length);
    super.give(frame);
  }
}
