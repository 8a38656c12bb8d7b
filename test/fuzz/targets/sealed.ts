import { Opening } from '../../../src/core/frame-sealer.js';
import { makeNodeGcm } from '../../../src/udp/seal/gcm.js';
import { Sealer } from '../../../src/udp/seal/sealer.js';
import { Frame } from '../../../src/wire/frame.js';
import { CHECK_BYTES, Credit, Data, FrameType, Header } from '../../../src/wire/layout.js';
import { isCredit, SealedCredit } from '../../../src/wire/sealed.js';
import { Input } from '../engine/input.js';
import { must, type Target } from '../engine/target.js';

const SECRET = new Uint8Array(32).fill(5);
const ROOM = 64;
const MOST_BYTES = 300;
const MOST_FRAMES = 16;

/** Sealed frames that were changed, cut or made up on their way: none opens but one that the peer sealed, once. */
export const sealed: Target = {
  name: 'sealed',
  seeds: () => [
    Uint8Array.from([3, 3, 40, 0, 1, 0, 12, 1, 1, 3, 2, 20, 1, 2, 0, 16]),
    Uint8Array.from([2, 2, 4, 0, 1, 0, 13, 1, 1, 18, 255, 3, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]),
  ],
  maxBytes: 1_024,
  run: (data) => {
    const input = new Input(data);
    const common = { secret: SECRET, makeGcm: makeNodeGcm };
    const [here, there] = [new Sealer({ ...common, isInitiator: true }), new Sealer({ ...common, isInitiator: false })];
    for (let count = 0; count < MOST_FRAMES && !input.isOver; count++) {
      const plain = plainFrame(input);
      const frame = copyOf(plain);
      must(here.seal(frame), 'a young association seals');
      for (let lies = input.below(4); lies > 0; lies--) lie(there, frame, input);
      if (input.below(4) === 0) continue;
      arrive(there, frame, plain);
    }
    must(!there.isOver, 'some forgeries end no association');
    here.close();
    there.close();
  },
};

/** The true frame opens, and not a second time. */
function arrive(there: Sealer, frame: Frame, plain: Frame): void {
  const again = copyOf(frame);
  must(there.open(frame) === Opening.opened, 'what the peer sealed opens, whatever came before it');
  must(frame.length === plain.length, `${frame.length} bytes of ${plain.length} come out`);
  must(Buffer.compare(contentOf(frame), contentOf(plain)) === 0, 'what comes out is what went in');
  must(there.open(again) !== Opening.opened, 'no frame opens twice');
}

function lie(there: Sealer, frame: Frame, input: Input): void {
  const copy = copyOf(frame);
  const kind = input.below(4);
  if (kind === 0) {
    const made = input.bytes(Math.min(input.u8(), copy.bytes.length));
    copy.bytes.set(made);
    copy.length = made.length;
  } else if (kind === 1) copy.bytes[input.u16() % copy.length]! ^= input.u8();
  else if (kind === 2) copy.length = Math.min(copy.length, input.u16() % MOST_BYTES);
  else copy.length = Math.min(copy.length + 1 + input.below(8), copy.bytes.length);
  if (isAsSealed(copy, frame)) return;
  must(there.open(copy) !== Opening.opened, `${copy.length} bytes that nobody sealed open`);
}

/** Switches write byte 0, and the explicit rate of a CREDIT, whose padding is outside its tag. */
function isAsSealed(copy: Frame, frame: Frame): boolean {
  return Buffer.compare(tagged(copy), tagged(frame)) === 0;
}

/** What a tag stands for, and the tag. */
function tagged({ bytes, length }: Frame): Uint8Array {
  const all = bytes.slice(1, length);
  if (!isCredit(bytes)) return all;
  all.fill(0, SealedCredit.explicitRate - 1, SealedCredit.explicitRate - 1 + Credit.explicitBytes);
  return all.subarray(0, SealedCredit.bytes - 1);
}

function plainFrame(input: Input): Frame {
  const type = input.pick([FrameType.data, FrameType.ack, FrameType.credit, input.below(16)]);
  const isOfCredit = type === FrameType.credit;
  const length = isOfCredit ? Credit.bytes + input.below(Credit.maxPaddingBytes + 1) : Data.overheadBytes + input.u8();
  const frame = new Frame(new Uint8Array(length + ROOM));
  frame.bytes.fill(0x5a, 0, isOfCredit ? Credit.check : length - CHECK_BYTES);
  frame.bytes[Header.versionAndType] = 0x20 | type;
  frame.length = length;
  return frame;
}

/** Without the check, which a sealed frame does not have. */
function contentOf({ bytes, length }: Frame): Uint8Array {
  if (isCredit(bytes))
    return Uint8Array.from([...bytes.subarray(0, Credit.check), ...bytes.subarray(Credit.bytes, length)]);
  return bytes.subarray(0, length - CHECK_BYTES);
}

function copyOf(frame: Frame): Frame {
  const copy = new Frame(frame.bytes.slice());
  copy.length = frame.length;
  return copy;
}
