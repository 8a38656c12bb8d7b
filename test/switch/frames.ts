import { crc32 } from '../../src/base/crc32.js';
import { checkFrame } from '../../src/wire/decode.js';
import { encodeCredit, encodeData, encodeSpeculativeData, seal } from '../../src/wire/encode.js';
import { Frame, FramePool } from '../../src/wire/frame.js';
import { CreditStop } from '../../src/wire/frames.js';
import { CHECK_BYTES, Credit, NO_HOP, WIRE_OVERHEAD_BYTES } from '../../src/wire/layout.js';

/** Frames that tests of the switch room send through ports and fabrics. */

const BUFFER_BYTES = 2048;

/** Wire bytes of a data frame of the default size, and of a credit without padding. */
export const FULL_WIRE_BYTES = 1538;
export const CREDIT_WIRE_BYTES = 84;

export interface FrameOptions {
  source?: number;
  destination?: number;
  flowId?: number;
  pathId?: number;
  /** Bits of CreditFlag. */
  flags?: number;
  /** A number that tells frames apart: the credit sequence, or its echo. */
  label?: number;
  wireBytes?: number;
  /** Of a credit: it asks for an explicit rate. */
  rateCode?: number;
  /** Of such a credit: the hop that limits its flow. */
  hop?: number;
  /** Leaves zeros in place of a data frame's CRC-32: for tests that make many frames and check none. */
  unchecked?: boolean;
  /** Instead of a new frame. */
  into?: Frame;
}

/** Counts what is out, so that a test can show that nothing leaks. */
export class CountingPool extends FramePool {
  out = 0;

  constructor() {
    super(() => new Uint8Array(BUFFER_BYTES), 1_000_000);
  }

  override take(): Frame {
    this.out++;
    return super.take();
  }

  override give(frame: Frame): void {
    this.out--;
    super.give(frame);
  }
}

export function emptyFrame(): Frame {
  return new Frame(new Uint8Array(BUFFER_BYTES));
}

export function creditFrame(options: FrameOptions = {}): Frame {
  const frame = options.into ?? emptyFrame();
  const { rateCode = 0 } = options;
  const smallest = CREDIT_WIRE_BYTES + (rateCode === 0 ? 0 : Credit.explicitBytes);
  const paddingBytes = (options.wireBytes ?? smallest) - WIRE_OVERHEAD_BYTES - Credit.bytes;
  const fields = {
    flags: options.flags ?? 0,
    sequence: options.label ?? 1,
    pathId: options.pathId ?? 0,
    paddingBytes,
    rateCode,
    hop: options.hop ?? NO_HOP,
  };
  frame.length = encodeCredit(frame.bytes, header(options), fields, crc32);
  return frame;
}

export function dataFrame(options: FrameOptions = {}): Frame {
  const frame = options.into ?? emptyFrame();
  const fields = {
    creditSequence: options.label ?? 1,
    explicitRate: 0,
    offset: 0,
    unused: 0,
    flags: 0,
    pathId: options.pathId ?? 0,
  };
  encodeData(frame.bytes, header(options), fields);
  const length = (options.wireBytes ?? FULL_WIRE_BYTES) - WIRE_OVERHEAD_BYTES;
  frame.length = seal(frame.bytes, length - CHECK_BYTES, options.unchecked ? null : crc32);
  return frame;
}

export function speculativeFrame(options: FrameOptions = {}): Frame {
  const frame = options.into ?? emptyFrame();
  encodeSpeculativeData(frame.bytes, header(options), { offset: 0, flags: 0 });
  const length = (options.wireBytes ?? FULL_WIRE_BYTES) - WIRE_OVERHEAD_BYTES;
  frame.length = seal(frame.bytes, length - CHECK_BYTES, crc32);
  return frame;
}

export function stopFrame(options: FrameOptions = {}): Frame {
  const frame = options.into ?? emptyFrame();
  const fields = { sentOffset: 0, probe: 1, unused: 0 };
  frame.length = CreditStop.encode(frame.bytes, header(options), fields, crc32);
  return frame;
}

export function isIntact(frame: Frame): boolean {
  return checkFrame(frame, crc32) > 0;
}

function header(options: FrameOptions) {
  return {
    source: options.source ?? 1,
    destination: options.destination ?? 2,
    flowId: options.flowId ?? 7,
  };
}
