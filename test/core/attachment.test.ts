import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { Attachment, type AttachmentOptions } from '../../src/core/attachment.js';
import { checkFrame, destinationHost, sourceHost } from '../../src/wire/decode.js';
import { encodeCredit } from '../../src/wire/encode.js';
import { Frame, FramePool } from '../../src/wire/frame.js';
import { Attach, AttachChallenge, Attached, AttachRefused, Detach, KeepAlive, Version } from '../../src/wire/frames.js';
import { AttachRefusal } from '../../src/wire/layout.js';
import { COOKIE_BYTES, NONCE_PROOF } from '../../src/wire/proofs.js';

const TOKEN = 0xcafe_f00d;
const NONCE = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
const FROM_SWITCH = { destination: 3, source: 0, flowId: 0 };
const CREDIT = { sequence: 1, pathId: 0, paddingBytes: 0, rateCode: 0, hop: 15 };

/** An attachment, and a switch that the test plays. */
function newBench(changes: Partial<AttachmentOptions> = {}) {
  const pool = new FramePool(() => new Uint8Array(128), 16);
  const attachment = new Attachment(
    {
      hostId: 3,
      maxFrameBytes: 1472,
      token: TOKEN,
      nonce: NONCE,
      proof: NONCE_PROOF,
      connectTimeoutNs: 5 * SECOND_NS,
      check: crc32,
      pool,
      switchName: '10.0.0.1:9000',
      ...changes,
    },
    0,
  );
  const frame = new Frame(new Uint8Array(128));
  let counter = 0;
  const give = (length: number, nowNs: number) => {
    frame.length = length;
    const taken = attachment.handleFrame(frame, nowNs);
    attachment.advance(nowNs);
    return taken;
  };
  return {
    attachment,
    frame,
    give,
    /** Everything that is sent up to `endNs`, the time of each and its type. */
    run(endNs: number): { atNs: number; frame: Frame; type: number }[] {
      const sent: { atNs: number; frame: Frame; type: number }[] = [];
      const poll = (atNs: number) => {
        for (let out = attachment.poll(); out !== null; out = attachment.poll()) {
          sent.push({ atNs, frame: out, type: checkFrame(out, crc32) });
        }
      };
      poll(0);
      for (let atNs = attachment.nextTimeout(); atNs <= endNs; atNs = attachment.nextTimeout()) {
        attachment.advance(atNs);
        poll(atNs);
        if (attachment.nextTimeout() <= atNs) throw new Error('the deadline does not move');
      }
      return sent;
    },
    attached(nowNs: number, proof = NONCE, keepAliveMs = 1000, rateKbps = 100_000): boolean {
      const fields = { token: TOKEN, rateKbps, maxFrameBytes: 1472, keepAliveMs, counter: ++counter, proof };
      return give(Attached.encode(frame.bytes, FROM_SWITCH, fields, crc32), nowNs);
    },
    refused(nowNs: number, code: number, token = TOKEN): boolean {
      return give(AttachRefused.encode(frame.bytes, FROM_SWITCH, { token, code }, crc32), nowNs);
    },
  };
}

/** The same once it has asked for the first time. */
function bench(changes: Partial<AttachmentOptions> = {}) {
  const made = newBench(changes);
  made.run(0);
  return made;
}

/** The same once the switch has given a port, at time 0. */
function attachedBench(changes: Partial<AttachmentOptions> = {}) {
  const made = bench(changes);
  made.attached(0);
  return made;
}

describe('Attachment', () => {
  it('asks at once, with the id, the token and the frame size that it wants', () => {
    const [first] = newBench().run(0);
    expect(first.type).toBe(Attach.type);
    expect(sourceHost(first.frame.bytes)).toBe(3);
    expect(destinationHost(first.frame.bytes)).toBe(0);
    expect(Attach.read.token(first.frame.bytes)).toBe(TOKEN);
    expect(Attach.read.maxFrameBytes(first.frame.bytes)).toBe(1472);
  });

  it('asks again each second while it has no answer, and gives up after the connect timeout', () => {
    const { attachment, run } = newBench();
    const times = run(20 * SECOND_NS).map(({ atNs }) => atNs / SECOND_NS);
    expect(times).toEqual([0, 1, 2, 3, 4]);
    expect(attachment.error?.code).toBe('unreachable');
    expect(attachment.error?.message).toBe('the switch at 10.0.0.1:9000 has not answered for 5 s');
    expect(attachment.nextTimeout()).toBe(NEVER);
  });

  it('takes what the switch gives', () => {
    const { attachment, attached } = bench({ hostId: 0 });
    expect(attachment.isAttached).toBe(false);
    expect(attached(10)).toBe(true);
    expect(attachment.isAttached).toBe(true);
    expect(attachment.link).toEqual({ hostId: 3, rateBps: 100e6, maxFrameBytes: 1472 });
  });

  it('takes another rate from a later ATTACHED, and sends the next one no later for it', () => {
    const { attachment, attached } = attachedBench();
    expect(attachment.nextTimeout()).toBe(0.75 * SECOND_NS);
    attached(0.5 * SECOND_NS, NONCE, 1000, 20_000);
    expect(attachment.link?.rateBps).toBe(20e6);
    expect(attachment.attachments).toBe(1);
    expect(attachment.nextTimeout()).toBe(0.75 * SECOND_NS);
  });

  it('calls a switch silent from which nothing has come for two keep-alive times', () => {
    const { attachment, attached, frame, give } = bench();
    expect(attachment.silentNs(60 * SECOND_NS)).toBe(0);
    attached(1 * SECOND_NS);
    expect(attachment.silentNs(2.9 * SECOND_NS)).toBe(0);
    expect(attachment.silentNs(3 * SECOND_NS)).toBe(2 * SECOND_NS);
    // Any frame shows that it is there.
    give(encodeCredit(frame.bytes, { ...FROM_SWITCH, flowId: 7 }, CREDIT, crc32), 3 * SECOND_NS);
    expect(attachment.silentNs(4 * SECOND_NS)).toBe(0);
  });

  it('asks again soon where nobody listens, and gives up when told so', () => {
    const { attachment } = bench();
    attachment.handleRefusal(1);
    expect(attachment.nextTimeout()).toBe(0.25 * SECOND_NS + 1);
    attachment.giveUp();
    expect(attachment.error).toMatchObject({
      code: 'unreachable',
      message: 'nobody listens at 10.0.0.1:9000, where the switch should be (ECONNREFUSED)',
    });
    expect(attachment.nextTimeout()).toBe(NEVER);
  });

  it('does not give up a switch that it was attached to', () => {
    const { attachment } = attachedBench();
    attachment.handleRefusal(1);
    expect(attachment.nextTimeout()).toBe(0.75 * SECOND_NS);
    attachment.giveUp();
    expect(attachment.error).toBeNull();
    expect(attachment.isAttached).toBe(true);
  });

  it('reads a rate of 0 as unlimited', () => {
    const { attachment, attached } = bench();
    attached(10, NONCE, 1000, 0);
    expect(attachment.link?.rateBps).toBe(Number.POSITIVE_INFINITY);
  });

  it('then sends KEEP_ALIVE more often than the switch asks for, with the id that it was given', () => {
    const { run, attached } = bench({ hostId: 0 });
    attached(0, NONCE, 400);
    const sent = run(3 * SECOND_NS);
    expect(sent.map(({ atNs }) => atNs / MILLISECOND_NS)).toEqual([
      300, 600, 900, 1200, 1500, 1800, 2100, 2400, 2700, 3000,
    ]);
    for (const { frame, type } of sent) {
      expect(type).toBe(KeepAlive.type);
      expect(sourceHost(frame.bytes)).toBe(3);
      expect(KeepAlive.read.token(frame.bytes)).toBe(TOKEN);
    }
  });

  it('never gives up a switch that falls silent', () => {
    const { attachment, run } = attachedBench();
    expect(run(3600 * SECOND_NS).length).toBe(4800);
    expect(attachment.error).toBeNull();
  });

  it('attaches again at once, with the id that it had, when the switch does not know it', () => {
    const { attachment, run, attached, refused } = attachedBench({ hostId: 0 });
    refused(100e6, AttachRefusal.notAttached, 0);
    refused(100e6, AttachRefusal.notAttached, 0);
    const sent = run(100e6);
    expect(sent.map(({ type }) => type)).toEqual([Attach.type]);
    expect(sourceHost(sent[0].frame.bytes)).toBe(3);
    attached(101e6);
    expect(attachment.isAttached).toBe(true);
    expect(attachment.attachments).toBe(2);
  });

  it('asks for ever when the switch that it was attached to does not answer any more', () => {
    const { attachment, run, refused } = attachedBench();
    refused(0, AttachRefusal.notAttached, 0);
    expect(run(60 * SECOND_NS).length).toBe(61);
    expect(attachment.error).toBeNull();
  });

  it.each([
    [AttachRefusal.idInUse, 'attach', 'the host id 3 to another host'],
    [AttachRefusal.unknownId, 'attach', 'no host 3 in its topology'],
    [AttachRefusal.noFreeId, 'attach', 'no free host id'],
    [AttachRefusal.frameSize, 'frameSize', 'no frames of 1472 bytes'],
    [99, 'attach', 'code 99'],
  ])('fails with one sentence when it is refused with code %d', (code, errorCode, words) => {
    const { attachment, run, refused } = bench();
    expect(refused(5, code)).toBe(true);
    expect(attachment.error?.code).toBe(errorCode);
    expect(attachment.error?.message).toContain(words);
    expect(attachment.error?.message).toContain('10.0.0.1:9000');
    expect(run(10 * SECOND_NS)).toEqual([]);
  });

  it('fails when the switch speaks other versions', () => {
    const { attachment, frame, give } = bench();
    expect(give(Version.encode(frame.bytes, FROM_SWITCH, { lowest: 4, highest: 6 }, crc32), 5)).toBe(true);
    expect(attachment.error?.code).toBe('version');
    expect(attachment.error?.message).toContain('versions 4 to 6');
  });

  it('drops and counts answers to another process, and refusals that come when it is attached', () => {
    const { attachment, attached, refused } = bench();
    expect(attached(1, NONCE.toReversed())).toBe(true);
    expect(refused(1, AttachRefusal.idInUse, TOKEN + 1)).toBe(true);
    expect(attachment.isAttached).toBe(false);
    attached(2);
    refused(3, AttachRefusal.idInUse);
    expect(attachment.isAttached).toBe(true);
    expect(attachment.dropped).toBe(3);
  });

  it('says again at once what a challenge asks for, and once only', () => {
    const { run, frame, give } = bench();
    const cookie = new Uint8Array(COOKIE_BYTES).fill(9);
    const challenge = (nonce: Uint8Array) =>
      give(AttachChallenge.encode(frame.bytes, FROM_SWITCH, { token: TOKEN, nonce, cookie }, crc32), 5);
    challenge(NONCE.toReversed());
    expect(run(5)).toEqual([]);
    challenge(NONCE);
    challenge(NONCE);
    const sent = run(5);
    expect(sent.map(({ type }) => type)).toEqual([Attach.type]);
    expect(Attach.read.cookie(sent[0].frame.bytes, new Uint8Array(COOKIE_BYTES))).toEqual(cookie);
    expect(Attach.read.nonce(sent[0].frame.bytes, new Uint8Array(8))).toEqual(NONCE);
  });

  it('goes by the latest ATTACHED, however late an older one comes', () => {
    const { attachment, attached, frame, give } = attachedBench();
    attached(1, NONCE, 1000, 50_000);
    const old = { token: TOKEN, rateKbps: 7, maxFrameBytes: 1472, keepAliveMs: 1000, counter: 1, proof: NONCE };
    give(Attached.encode(frame.bytes, FROM_SWITCH, old, crc32), 2);
    expect(attachment.link?.rateBps).toBe(50e6);
    expect(attachment.dropped).toBe(1);
  });

  it('goes on asking when the switch that it was attached to has given its place away', () => {
    const { attachment, run, refused } = attachedBench();
    refused(0, AttachRefusal.notAttached, 0);
    run(0);
    refused(1, AttachRefusal.idInUse);
    expect(attachment.error).toBeNull();
    expect(run(3 * SECOND_NS).length).toBe(3);
  });

  it('drops and counts damaged frames', () => {
    const { attachment, frame, give } = bench();
    const fields = { token: TOKEN, rateKbps: 1, maxFrameBytes: 1472, keepAliveMs: 1000, counter: 1, proof: NONCE };
    const length = Attached.encode(frame.bytes, FROM_SWITCH, fields, crc32);
    frame.bytes[13] ^= 1;
    expect(give(length, 1)).toBe(true);
    expect(give(14, 1)).toBe(true);
    expect(attachment.isAttached).toBe(false);
    expect(attachment.dropped).toBe(2);
  });

  it('leaves the frames of flows to the endpoint, also VERSION frames that answer them', () => {
    const { attachment, frame, give } = bench();
    const flow = { destination: 3, source: 4, flowId: 77 };
    expect(give(encodeCredit(frame.bytes, flow, CREDIT, crc32), 1)).toBe(false);
    expect(give(Version.encode(frame.bytes, flow, { lowest: 3, highest: 3 }, crc32), 1)).toBe(false);
    expect(give(5, 1)).toBe(false);
    expect(attachment.error).toBeNull();
  });

  it('takes its leave with DETACH, once, and is quiet from then on', () => {
    const { attachment, run, attached } = attachedBench();
    attachment.detach();
    const sent = run(60 * SECOND_NS);
    expect(sent.map(({ type }) => type)).toEqual([Detach.type]);
    expect(attached(61 * SECOND_NS)).toBe(true);
    expect(attachment.isAttached).toBe(false);
    expect(run(120 * SECOND_NS)).toEqual([]);
  });

  it('has nothing to take leave of when it is not attached', () => {
    const { attachment, run } = newBench();
    attachment.detach();
    expect(run(60 * SECOND_NS)).toEqual([]);
  });
});
