// Tested by test/apps/unseal/unseal.test.ts
/** Opens recorded frames by the secrets of a key log. */
import { crc32 } from '../../base/crc32.js';
import { isEndpointControl } from '../../core/door.js';
import type { AssociationSecret } from '../../net/keys.js';
import type { MakeGcm } from '../../udp/seal/gcm.js';
import { RecordedDirection } from '../../udp/seal/recorded-direction.js';
import { write16 } from '../../wire/bytes.js';
import { peekHeader } from '../../wire/decode.js';
import { seal } from '../../wire/encode.js';
import type { Frame } from '../../wire/frame.js';
import { Confirm } from '../../wire/frames.js';
import { CHECK_BYTES, CHECK_RESIDUE, CONTROL_CODES, Credit, FrameType } from '../../wire/layout.js';
import { isCredit, SealedCredit } from '../../wire/sealed.js';

/** Frames in a row that no secret opens, after which only every such one is tried with all of them (ours): a capture may have millions. */
const PATIENCE = 64;

/** `plain`: it was not sealed. */
export type Unsealing = 'opened' | 'plain' | 'refused';

/** The frames from one end to another. */
interface Way {
  known: RecordedDirection | null;
  refusals: number;
}

export class FrameUnsealer {
  private readonly directions: readonly RecordedDirection[];
  private readonly ways = new Map<string, Way>();

  constructor(secrets: readonly AssociationSecret[], makeGcm: MakeGcm) {
    this.directions = secrets.flatMap(({ secret }) =>
      ([0, 1] as const).map((direction) => new RecordedDirection({ secret, direction, makeGcm })),
    );
  }

  /** Makes the frame plain in place, with a check. `from` and `to` are its ends. */
  unseal(frame: Frame, from: string, to: string): Unsealing {
    const type = peekHeader(frame.bytes, frame.length);
    if (!isSealable(type)) {
      // A handshake: secrets that did not fit may fit now.
      for (const way of [this.way(from, to), this.way(to, from)]) way.refusals = 0;
      return 'plain';
    }
    if (isPlain(frame)) return 'plain';
    if (!this.open(frame, this.way(from, to))) return 'refused';
    writeCheck(frame);
    return 'opened';
  }

  close(): void {
    for (const direction of this.directions) direction.close();
  }

  private open(frame: Frame, way: Way): boolean {
    if (way.known?.open(frame) === true) return true;
    if (way.refusals++ >= PATIENCE && way.refusals % PATIENCE !== 0) return false;
    const found = this.directions.find((direction) => direction !== way.known && direction.open(frame));
    if (found === undefined) return false;
    way.known = found;
    way.refusals = 0;
    return true;
  }

  private way(from: string, to: string): Way {
    const name = `${from}>${to}`;
    const known = this.ways.get(name);
    if (known !== undefined) return known;
    const way = { known: null, refusals: 0 };
    this.ways.set(name, way);
    return way;
  }
}

/** What associations seal. PROTOCOL §7.3 */
function isSealable(type: number): boolean {
  if (type < 0 || type === FrameType.version) return false;
  return type < CONTROL_CODES || isEndpointControl(type) || type === Confirm.type;
}

/** A sealed CREDIT has a tag where a plain one has zeros, and any other frame a right check once in 2^32. */
function isPlain({ bytes, length }: Frame): boolean {
  if (!isCredit(bytes)) return crc32(bytes, 1, length) === CHECK_RESIDUE;
  return (
    length < SealedCredit.bytes || bytes.subarray(SealedCredit.tag, SealedCredit.bytes).every((byte) => byte === 0)
  );
}

function writeCheck({ bytes, length }: Frame): void {
  if (isCredit(bytes)) write16(bytes, Credit.check, crc32(bytes, 1, Credit.check));
  else seal(bytes, length - CHECK_BYTES, crc32);
}
