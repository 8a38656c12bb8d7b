import { isCredits } from './credits.js';
import { ecn, SMALLEST_FRAME_BYTES } from './decode.js';
import { Frame } from './frame.js';
import { BUNDLE_TYPE, Ecn, Header, MAX_BUNDLE_BYTES, MAX_BUNDLED_BYTES, VERSION } from './layout.js';

/** Where the first length stands: after the byte of the ECN field and that of version and type. PROTOCOL §2.8 */
const HEADER_BYTES = Header.versionAndType + 1;
const VERSION_AND_TYPE = (VERSION << 4) | BUNDLE_TYPE;

/** A datagram of several small frames that go to one address, on its way out. A `Frame` only so that a datapath sends it like one. PROTOCOL §2.8 */
export class Bundle extends Frame {
  /** Frames in it. */
  frames = 0;
  /** One of them is CREDITS. */
  hasCredits = false;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.begin();
  }

  /** Empties it. */
  begin(): void {
    this.frames = 0;
    this.hasCredits = false;
    this.bytes[Header.hopLimitAndEcn] = Ecn.notCapable;
    this.bytes[Header.versionAndType] = VERSION_AND_TYPE;
    this.length = HEADER_BYTES;
  }

  /** Whether a frame of `frameBytes` still fits. */
  hasRoom(frameBytes: number): boolean {
    return this.length + 1 + frameBytes <= this.bytes.length;
  }

  /** Takes a copy of a frame of at most MAX_BUNDLED_BYTES, for which there is room. The network may mark it where it may mark one of its frames. */
  append({ bytes, length }: Frame): void {
    const start = this.length + 1;
    this.bytes[start - 1] = length;
    for (let at = 0; at < length; at++) this.bytes[start + at] = bytes[at];
    this.length = start + length;
    this.frames++;
    if (isCredits(bytes)) this.hasCredits = true;
    if (ecn(bytes) !== Ecn.notCapable) this.bytes[Header.hopLimitAndEcn] = Ecn.capable0;
  }

  /** A single frame needs nothing around it: `bytes[0 .. length)` are that frame alone. */
  unwrap(): void {
    this.length -= HEADER_BYTES + 1;
    this.bytes.copyWithin(0, HEADER_BYTES + 1, HEADER_BYTES + 1 + this.length);
  }
}

/** Whether a datagram that arrived is a bundle. One that is empty or too long is none, and no frame either: it is dropped as `short` or `type`. */
export function isBundle(bytes: Uint8Array, length: number): boolean {
  return length > HEADER_BYTES && length <= MAX_BUNDLE_BYTES && bytes[Header.versionAndType] === VERSION_AND_TYPE;
}

/**
 * Reads the frames of a bundle: `next` copies one to `bytes[0 .. length)`, until it returns false. A length that no frame has, or beyond the datagram, ends the
 * bundle with one empty frame, dropped as `short`. At most 28 frames.
 */
export class BundleReader {
  readonly bytes = new Uint8Array(MAX_BUNDLED_BYTES);
  length = 0;
  private bundle: Uint8Array = new Uint8Array(0);
  private at = 0;
  private end = 0;

  /** Begins with `bundle[0 .. length)`, for which `isBundle` holds and which must stay as it is until the last frame has been taken. */
  open(bundle: Uint8Array, length: number): void {
    this.bundle = bundle;
    this.at = HEADER_BYTES;
    this.end = length;
  }

  next(): boolean {
    if (this.at >= this.end) return false;
    const start = this.at + 1;
    const length = this.bundle[this.at];
    const isFrame = length >= SMALLEST_FRAME_BYTES && length <= MAX_BUNDLED_BYTES && start + length <= this.end;
    this.length = isFrame ? length : 0;
    this.at = isFrame ? start + length : this.end;
    for (let at = 0; at < this.length; at++) this.bytes[at] = this.bundle[start + at];
    if (isFrame) this.passMark();
    return true;
  }

  /** A mark that the bundle got on its way is one for each frame that may have one. PROTOCOL §2.1 */
  private passMark(): void {
    const isMarked = (this.bundle[Header.hopLimitAndEcn] & Ecn.congestionExperienced) === Ecn.congestionExperienced;
    if (isMarked && ecn(this.bytes) !== Ecn.notCapable) this.bytes[Header.hopLimitAndEcn] |= Ecn.congestionExperienced;
  }
}
