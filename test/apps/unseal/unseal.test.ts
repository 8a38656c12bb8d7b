import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FrameUnsealer } from '../../../src/apps/unseal/frame-unsealer.js';
import { type UnsealSummary, unsealFile } from '../../../src/apps/unseal/unseal.js';
import { crc32 } from '../../../src/base/crc32.js';
import { Capture } from '../../../src/telemetry/capture/capture.js';
import { newMadeUpEnds } from '../../../src/telemetry/capture/ip-headers.js';
import { type ReadBlock, readBlocks } from '../../../src/telemetry/capture/pcapng.js';
import { makeNodeGcm } from '../../../src/udp/seal/gcm.js';
import { Sealer } from '../../../src/udp/seal/sealer.js';
import { Bundle, BundleReader } from '../../../src/wire/bundle.js';
import { checkFrame } from '../../../src/wire/decode.js';
import { encodeCredit, encodeData, seal } from '../../../src/wire/encode.js';
import { Frame } from '../../../src/wire/frame.js';
import { Data, FrameType } from '../../../src/wire/layout.js';
import { scratchDirectory } from '../../harness/scratch.js';

const SECRET = new Uint8Array(32).fill(5);
const ASSOCIATION = { ci: new Uint8Array(8), cr: new Uint8Array(8), secret: SECRET };
const HEADERS_BYTES = 28;

const makeSealer = (secret = SECRET) => new Sealer({ secret, isInitiator: true, makeGcm: makeNodeGcm });

function data(payloadBytes = 100): Frame {
  const frame = new Frame(new Uint8Array(200));
  const fields = { creditSequence: 7, offset: 0, unused: 0, explicitRate: 0, pathId: 0, flags: 0 };
  const start = encodeData(frame.bytes, { destination: 1, source: 2, flowId: 7 }, fields);
  frame.bytes.fill(0xab, start, start + payloadBytes);
  frame.length = seal(frame.bytes, start + payloadBytes, crc32);
  return frame;
}

function credit(): Frame {
  const frame = new Frame(new Uint8Array(64));
  const fields = { sequence: 9, rateCode: 0, pathId: 0, hop: 0, paddingBytes: 0 };
  frame.length = encodeCredit(frame.bytes, { destination: 1, source: 2, flowId: 7 }, fields, crc32);
  return frame;
}

function sealed(sealer: Sealer, frame: Frame): Frame {
  expect(sealer.seal(frame)).toBe(true);
  return frame;
}

const bytesOf = ({ bytes, length }: Frame): Uint8Array => bytes.slice(0, length);

/** What `xpass unseal` makes of these datagrams. */
async function unsealed(
  datagrams: readonly Uint8Array[],
  { snapBytes = 65_507, secrets = [ASSOCIATION] } = {},
): Promise<{ summary: UnsealSummary; packets: ReadBlock[] }> {
  const directory = await scratchDirectory();
  const [from, to] = [join(directory, 'in.pcapng'), join(directory, 'out.pcapng')];
  const capture = new Capture({
    ...{ path: from, filter: undefined, sizeBytes: 1e9, files: 1, snapBytes, dropNames: [], originNs: 0n },
    ports: [{ name: 'one', link: 'one', description: '' }],
    isSync: true,
    onEnd: (sentence) => expect.unreachable(sentence),
  });
  for (const bytes of datagrams) capture.datagram(0, bytes, newMadeUpEnds(), { length: bytes.length, atNs: 5 });
  capture.closeNow();
  const summary = unsealFile(from, to, new FrameUnsealer(secrets, makeNodeGcm));
  return { summary, packets: (readBlocks(readFileSync(to)) ?? []).filter(({ type }) => type === 'packet') };
}

const datagramOf = ({ data: bytes }: ReadBlock): Uint8Array => bytes.slice(HEADERS_BYTES);
const comment = ({ options }: ReadBlock): string => Buffer.from(options ?? []).toString('latin1');

describe('xpass unseal', () => {
  it('writes what was sealed, with checks that hold and lengths that fit', async () => {
    const sealer = makeSealer();
    const { summary, packets } = await unsealed([bytesOf(sealed(sealer, data())), bytesOf(sealed(sealer, credit()))]);
    expect(summary).toEqual({ opened: 2, plain: 0, refused: 0, cut: 0 });
    expect(packets.map(datagramOf)).toEqual([bytesOf(data()), expect.any(Uint8Array)]);
    const types = packets.map((packet) => {
      const frame = new Frame(datagramOf(packet));
      frame.length = frame.bytes.length;
      expect(packet.original).toBe(packet.data.length);
      expect(Buffer.from(packet.data).readUInt16BE(2)).toBe(packet.data.length);
      return checkFrame(frame, crc32);
    });
    expect(types).toEqual([FrameType.data, FrameType.credit]);
    expect(packets[0].stamp.low).toBe(5);
  });

  it('opens each frame of a bundle', async () => {
    const sealer = makeSealer();
    const bundle = new Bundle(new Uint8Array(548));
    bundle.append(sealed(sealer, credit()));
    bundle.append(sealed(sealer, data(20)));
    const { summary, packets } = await unsealed([bundle.bytes.slice(0, bundle.length)]);
    expect(summary.opened).toBe(1);
    const reader = new BundleReader();
    const datagram = datagramOf(packets[0]);
    reader.open(datagram, datagram.length);
    expect([reader.next(), reader.next(), reader.next()]).toEqual([true, true, false]);
    const found = Buffer.from(datagram).includes(Buffer.from(bytesOf(data(20)).slice(Data.payload)));
    expect(found).toBe(true);
  });

  it('says of each frame that it cannot open why', async () => {
    const frames = [data(), sealed(makeSealer(new Uint8Array(32).fill(6)), data()), sealed(makeSealer(), data())];
    const whole = frames.map(bytesOf);
    const { summary, packets } = await unsealed(whole);
    expect(summary).toEqual({ opened: 1, plain: 1, refused: 1, cut: 0 });
    expect(datagramOf(packets[1])).toEqual(whole[1]);
    expect(packets.map(comment)).toEqual(['', expect.stringContaining('no secret of the key log fits'), '']);
    const short = await unsealed([whole[2]], { snapBytes: 60 });
    expect(short.summary.cut).toBe(1);
    expect(comment(short.packets[0])).toContain('only its beginning');
  });

  it('goes on when an association is new, after thousands that no secret opens', async () => {
    const stranger = makeSealer(new Uint8Array(32).fill(6));
    const many = Array.from({ length: 300 }, () => bytesOf(sealed(stranger, data())));
    const known = makeSealer();
    const later = Array.from({ length: 200 }, () => bytesOf(sealed(known, data())));
    const { summary } = await unsealed([...many, ...later]);
    expect(summary.refused).toBeGreaterThanOrEqual(300);
    expect(summary.opened).toBeGreaterThan(200 - 64);
  });

  it('refuses what is no capture', async () => {
    const path = join(await scratchDirectory(), 'text');
    writeFileSync(path, 'no capture, but long enough for a header');
    const unsealer = new FrameUnsealer([], makeNodeGcm);
    expect(() => unsealFile(path, `${path}.out`, unsealer)).toThrow(/is not a capture: allowed are the files/);
  });
});
