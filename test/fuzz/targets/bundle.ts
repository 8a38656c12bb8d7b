import { Bundle, BundleReader, isBundle } from '../../../src/wire/bundle.js';
import { checkFrame, SMALLEST_FRAME_BYTES } from '../../../src/wire/decode.js';
import { Frame } from '../../../src/wire/frame.js';
import { MAX_BUNDLE_BYTES, MAX_BUNDLED_BYTES } from '../../../src/wire/layout.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';
import { hostileFrame } from './hostile-frames.js';

/** PROTOCOL §2.8 */
const MOST_FRAMES = 28;

/** A datagram of several frames: the reader ends, yields whole frames or one empty one at the end, and what it read packs into the same again. */
export const bundle: Target = {
  name: 'bundle',
  seeds: () => [packed(1), packed(3), packed(20), packed(3).subarray(0, 50)],
  maxBytes: MAX_BUNDLE_BYTES + 20,
  run: (input) => {
    if (!isBundle(input, input.length)) return;
    const frames = framesOf(input);
    must(frames.length >= 1 && frames.length <= MOST_FRAMES, `a bundle has ${frames.length} frames`);
    const whole = frames.filter(({ length }) => length > 0);
    must(whole.length === frames.length || frames.at(-1)!.length === 0, 'only the last is empty');
    for (const frame of whole) checkFrame(frame, null);
    const again = new Bundle(new Uint8Array(MAX_BUNDLE_BYTES));
    for (const frame of whole) again.append(frame);
    must(again.length <= input.length, 'frames lie within their datagram');
    const repeated = framesOf(again.bytes.subarray(0, again.length));
    if (whole.length > 0) must(repeated.length === whole.length, 'the same frames come again');
    for (const [index, { bytes, length }] of whole.entries())
      must(Buffer.compare(bytes.subarray(0, length), repeated[index]!.bytes.subarray(0, length)) === 0, 'as they were');
  },
};

function framesOf(datagram: Uint8Array): Frame[] {
  const reader = new BundleReader();
  reader.open(datagram, datagram.length);
  const frames: Frame[] = [];
  while (reader.next() && frames.length <= MOST_FRAMES) {
    const isSized = reader.length >= SMALLEST_FRAME_BYTES && reader.length <= MAX_BUNDLED_BYTES;
    must(reader.length === 0 || isSized, `a frame of ${reader.length} bytes`);
    const frame = new Frame(reader.bytes.slice());
    frame.length = reader.length;
    frames.push(frame);
  }
  return frames;
}

function packed(count: number): Uint8Array {
  const made = new Bundle(new Uint8Array(MAX_BUNDLE_BYTES));
  for (let index = 0; index < count; index++) {
    const frame = hostileFrame(new Input(Uint8Array.from([1, 0, 0, 0, 2, 0, index, 0])));
    if (made.hasRoom(frame.length)) made.append(frame);
  }
  return made.bytes.slice(0, made.length);
}
