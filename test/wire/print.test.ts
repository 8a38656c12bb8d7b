import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { RangeSet } from '../../src/base/range-set.js';
import { addCredit, beginCredits, endCredits } from '../../src/wire/credits.js';
import * as encode from '../../src/wire/encode.js';
import { Frame } from '../../src/wire/frame.js';
import {
  Attach,
  Attached,
  AttachRefused,
  CreditRequest,
  CreditStop,
  Detach,
  Fin,
  Hello,
  KeepAlive,
  Reset,
  Version,
} from '../../src/wire/frames.js';
import {
  AckFlag,
  AttachRefusal,
  CreditFlag,
  DataFlag,
  RequestFlag,
  ResetCode,
  ResetFlag,
  WindowAckFlag,
} from '../../src/wire/layout.js';
import { lowerExplicitRate } from '../../src/wire/rewrite.js';
import { printFrame } from '../harness/print-frame.js';

const header = { destination: 7, source: 3, flowId: 0xbeef };
const fromSwitch = { destination: 7, source: 0, flowId: 0 };
const toSwitch = { destination: 0, source: 3, flowId: 0 };

function print(write: (bytes: Uint8Array) => number): string {
  const frame = new Frame(new Uint8Array(400));
  frame.length = write(frame.bytes);
  return printFrame(frame);
}

/** CREDITS with three credits from each of these on. */
function printRows(...rows: encode.CreditFields[]): string {
  return print((bytes) => {
    const credits = new Frame(bytes);
    beginCredits(credits);
    for (const row of rows) {
      for (let more = 0; more < 3; more++) {
        const credit = new Frame(new Uint8Array(40));
        credit.length = encode.encodeCredit(credit.bytes, header, { ...row, sequence: row.sequence + more }, crc32);
        addCredit(credits, credit);
      }
    }
    endCredits(credits, crc32);
    return credits.length;
  });
}

function ranges(...pairs: [number, number][]): RangeSet {
  const set = new RangeSet(8);
  for (const [start, end] of pairs) set.add(start, end);
  return set;
}

describe('printFrame', () => {
  it('prints every type on a line that says what is in it', () => {
    const { open } = RequestFlag;
    const lines = [
      print((bytes) =>
        CreditRequest.encode(
          bytes,
          header,
          { flags: open, sentOffset: 10, probe: 2, maxFrameBytes: 1472, pairedFlowId: 0, backlog: 99, weight: 3 },
          crc32,
        ),
      ),
      print((bytes) =>
        encode.encodeCredit(bytes, header, { sequence: 5, pathId: 9, paddingBytes: 1, rateCode: 0, hop: 15 }, crc32),
      ),
      print((bytes) => {
        const fields = { sequence: 6, pathId: 9, paddingBytes: 2, rateCode: 2_560, hop: 2 };
        return encode.encodeCredit(bytes, header, fields, crc32);
      }),
      print((bytes) => {
        const fields = { sequence: 7, pathId: 9, paddingBytes: 2, rateCode: 2_560, hop: 15 };
        const length = encode.encodeCredit(bytes, header, fields, crc32);
        lowerExplicitRate(bytes, 2_432, 3);
        return length;
      }),
      printRows(
        { sequence: 1_048_574, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 15 },
        { sequence: 7, pathId: 0, paddingBytes: 2, rateCode: 2_560, hop: 2, flags: CreditFlag.lowClass },
      ),
      print((bytes) => {
        const flags = DataFlag.end | DataFlag.creditCe;
        const at = encode.encodeData(bytes, header, {
          creditSequence: 5,
          explicitRate: 0x9803,
          offset: 20,
          unused: 1,
          flags,
          pathId: 9,
        });
        return encode.seal(bytes, at + 30, crc32);
      }),
      print((bytes) =>
        encode.encodeAck(
          bytes,
          header,
          { flags: AckFlag.paused, cumulative: 50, probe: 2, ranges: ranges([60, 70], [80, 90]) },
          crc32,
        ),
      ),
      print((bytes) =>
        encode.encodeAck(bytes, header, { flags: 0, cumulative: 50, probe: 2, ranges: ranges() }, crc32),
      ),
      print((bytes) => {
        const flags = DataFlag.reactive | DataFlag.early;
        const at = encode.encodeData(bytes, header, {
          creditSequence: 0xfedcba98,
          explicitRate: 0,
          offset: 20,
          unused: 0,
          flags,
          pathId: 0,
        });
        return encode.seal(bytes, at + 30, crc32);
      }),
      print((bytes) =>
        encode.encodeWindowAck(
          bytes,
          header,
          {
            flags: WindowAckFlag.echo,
            cumulative: 50,
            probe: 2,
            ranges: ranges([60, 70]),
            arrivedWith: 62 * 4 + 3,
            windowEnd: 9_000,
            frameNumber: 6,
            remoteQueuing: 12,
            arrivalTime: 34,
          },
          crc32,
        ),
      ),
      print((bytes) => CreditStop.encode(bytes, header, { sentOffset: 50, probe: 3, unused: 4 }, crc32)),
      print((bytes) => Fin.encode(bytes, header, { finalOffset: 50, probe: 4, unused: 4 }, crc32)),
      print((bytes) =>
        Reset.encode(bytes, header, { flags: ResetFlag.fromReceiver, code: ResetCode.unknownFlow }, crc32),
      ),
      print((bytes) => Reset.encode(bytes, header, { flags: 0, code: 99 }, crc32)),
      print((bytes) => Attach.encode(bytes, toSwitch, { token: 0xabc, maxFrameBytes: 0 }, crc32)),
      print((bytes) =>
        Attached.encode(
          bytes,
          fromSwitch,
          { token: 0xabc, rateKbps: 100_000, maxFrameBytes: 1472, keepAliveMs: 500 },
          crc32,
        ),
      ),
      print((bytes) => AttachRefused.encode(bytes, fromSwitch, { token: 0xabc, code: AttachRefusal.idInUse }, crc32)),
      print((bytes) => KeepAlive.encode(bytes, toSwitch, { token: 0xabc }, crc32)),
      print((bytes) => Detach.encode(bytes, toSwitch, { token: 0xabc }, crc32)),
      print((bytes) => {
        const fields = {
          messageBytes: 3,
          ci: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
          message: Uint8Array.of(9, 10, 11),
        };
        return Hello.encode(bytes, { ...header, flowId: 0 }, fields, crc32);
      }),
      print((bytes) => Version.encode(bytes, header, { lowest: 1, highest: 2 }, crc32)),
    ];
    expect(lines).toMatchInlineSnapshot(`
      [
        "CREDIT_REQUEST 3>7 flow=0x0000beef path=0 hop=63 - [OPEN] sent=10 probe=2 max=1472 paired=0x00000000 backlog=99 weight=3",
        "CREDIT 3>7 flow=0x0000beef path=9 hop=63 ect0 credit=5",
        "CREDIT 3>7 flow=0x0000beef path=9 hop=63 ect0 credit=6 rate=1048576kbit/s limited-by=2 offer=4271771996kbit/s@none",
        "CREDIT 3>7 flow=0x0000beef path=9 hop=63 ect0 credit=7 rate=1048576kbit/s limited-by=none offer=524288kbit/s@3",
        "CREDITS 0>0 flow=0x00000000 path=0 hop=63 ect0 0x0000beef:1048574+3, 0x0000beef:7+3 [LOW_CLASS] rate=1048576kbit/s limited-by=2 offer=4271771996kbit/s@none",
        "DATA 3>7 flow=0x0000beef path=9 hop=63 ect0 [END CREDIT_CE] credit=5 offset=20 payload=30 unused=1 offer=524288kbit/s@3",
        "ACK 3>7 flow=0x0000beef path=0 hop=63 - [PAUSED] cumulative=50 probe=2 ranges=60-70,80-90",
        "ACK 3>7 flow=0x0000beef path=0 hop=63 - cumulative=50 probe=2 ranges=none",
        "DATA 3>7 flow=0x0000beef path=0 hop=63 ect0 [REACTIVE EARLY] frame=4275878552 offset=20 payload=30 unused=0",
        "WINDOW_ACK 3>7 flow=0x0000beef path=0 hop=63 - [ECHO] cumulative=50 probe=2 ranges=60-70 window=9000 frame=6 arrived-with=62,ce queued=12us at=34",
        "CREDIT_STOP 3>7 flow=0x0000beef path=0 hop=63 - sent=50 probe=3 unused=4",
        "FIN 3>7 flow=0x0000beef path=0 hop=63 - final=50 probe=4 unused=4",
        "RESET 3>7 flow=0x0000beef path=0 hop=63 - [FROM_RECEIVER] code=UNKNOWN_FLOW",
        "RESET 3>7 flow=0x0000beef path=0 hop=63 - code=99",
        "ATTACH 3>0 flow=0x00000000 path=0 hop=63 - max=0 token=0x00000abc nonce=none cookie=none proof=none",
        "ATTACHED 0>7 flow=0x00000000 path=0 hop=63 - max=1472 token=0x00000abc rateKbps=100000 keepAliveMs=500 counter=0 proof=none",
        "ATTACH_REFUSED 0>7 flow=0x00000000 path=0 hop=63 - code=ID_IN_USE token=0x00000abc",
        "KEEP_ALIVE 3>0 flow=0x00000000 path=0 hop=63 - token=0x00000abc counter=0 proof=none",
        "DETACH 3>0 flow=0x00000000 path=0 hop=63 - token=0x00000abc counter=0 proof=none",
        "HELLO 3>7 flow=0x00000000 path=0 hop=63 - messageBytes=3 ci=0102030405060708 cookie=none message=090a0b0000000000..",
        "VERSION 3>7 flow=0x0000beef path=0 hop=63 - lowest=1 highest=2",
      ]
    `);
  });

  it('prints the reason where there is no frame', () => {
    expect(print(() => 3)).toBe('dropped as short, 3 bytes');
  });

  it('counts a payload that is only counted', () => {
    const frame = new Frame(new Uint8Array(22));
    frame.length = encode.encodeData(frame.bytes, header, {
      creditSequence: 5,
      explicitRate: 0,
      offset: 20,
      unused: 1,
      flags: 0,
      pathId: 0,
    });
    frame.phantomBytes = 1450;
    expect(printFrame(frame)).toContain('payload=1446');
  });
});
