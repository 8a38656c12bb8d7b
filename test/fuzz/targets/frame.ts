import { crc32 } from '../../../src/base/crc32.js';
import { checkFrame, DROP_NAMES, DropCode, frameType } from '../../../src/wire/decode.js';
import { seal } from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { CHECK_BYTES, FrameType } from '../../../src/wire/layout.js';
import { printFrame } from '../../harness/print-frame.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';
import { copiedFrame } from './copied-frame.js';
import { hostileFrame, SAMPLES } from './hostile-frames.js';

/** One datagram: it is dropped with a reason that has a name, or every field of it reads, prints, and writes back the same. */
export const frame: Target = {
  name: 'frame',
  seeds: () => SAMPLES.map((sample) => Uint8Array.from([0, ...hostileFrame(new Input(sample)).bytes.slice(0, 200)])),
  maxBytes: 9_100,
  run: (input) => {
    const [isSealed = 0] = input;
    const datagram = frameOf(input.subarray(1));
    // Frames with a check that fits, or one that is not looked at.
    if (isSealed % 2 === 1 && datagram.length > 2 * CHECK_BYTES && frameType(datagram.bytes) !== FrameType.credit)
      seal(datagram.bytes, datagram.length - CHECK_BYTES, crc32);
    const strict = checkFrame(datagram, crc32);
    const type = checkFrame(datagram, null);
    must(strict === type || strict === DropCode.check, 'the check alone tells the two apart');
    if (type < 0) {
      must((DROP_NAMES[-type] ?? '') !== '', 'a drop has a name');
      return;
    }
    must(type === frameType(datagram.bytes), 'the type is the one in the header');
    const line = printFrame(datagram);
    const copy = copiedFrame(datagram);
    if (copy === null) return;
    must(checkFrame(copy, crc32) === type, `what is written of '${line}' is intact`);
    must(withoutMarks(printFrame(copy)) === withoutMarks(line), `'${line}' reads back as '${printFrame(copy)}'`);
  },
};

function frameOf(bytes: Uint8Array): Frame {
  const made = new Frame(new Uint8Array(Math.max(64, bytes.length)));
  made.bytes.set(bytes);
  made.length = bytes.length;
  return made;
}

/** The hop limit, the mark and what a credit is offered are the network's. */
function withoutMarks(line: string): string {
  return line.replace(/ hop=\S+ \S+/, '').replace(/^(CREDIT .*) offer=\S+/, '$1');
}
