import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/base/time.js';
import { type AttachClaim, Attachments } from '../../src/switch/attachments.js';
import { AttachRefusal } from '../../src/wire/layout.js';

const SECOND_NS = 1e9;
const HOST_IDS = [30, 10, 20];

const OPTIONS = {
  hostIds: HOST_IDS,
  keepAliveMs: 1000,
  portOf: (id: number) => HOST_IDS.indexOf(id),
  maxFrameBytesAt: () => 1472,
};

function makeAttachments(): Attachments {
  return new Attachments(OPTIONS);
}

function claim(id: number, token: number, peer: number): AttachClaim {
  return { id, token, nonce: Uint8Array.of(0, 0, 0, 0, 0, 0, token >> 8, token), peer, maxFrameBytes: 0 };
}

describe('attachments', () => {
  it('give an id to the first who asks, and refuse it to others', () => {
    const attachments = makeAttachments();
    expect(attachments.attach(claim(10, 111, 1), 0)).toBe(1);
    expect(attachments.attach(claim(10, 222, 2), 0)).toBe(-AttachRefusal.idInUse);
    expect(attachments.peerAt(1)).toBe(1);
    expect(attachments.peerAt(0)).toBe(-1);
  });

  it('answer a repeated ATTACH as the first', () => {
    const attachments = makeAttachments();
    expect(attachments.attach(claim(10, 111, 1), 0)).toBe(1);
    expect(attachments.attach(claim(10, 111, 1), 5)).toBe(1);
    expect(attachments.statistics).toMatchObject({ attached: 1, attaches: 2 });
  });

  it('move the port of a process that comes from a new address', () => {
    const attachments = makeAttachments();
    attachments.attach(claim(10, 111, 1), 0);
    expect(attachments.attach(claim(10, 111, 2), 5)).toBe(1);
    expect(attachments.peerAt(1)).toBe(2);
  });

  it('let a process that was started again at its address have its id back', () => {
    const attachments = makeAttachments();
    attachments.attach(claim(10, 111, 1), 0);
    expect(attachments.attach(claim(10, 999, 1), 5)).toBe(1);
    expect(attachments.attach(claim(10, 111, 2), 6)).toBe(-AttachRefusal.idInUse);
  });

  it('give any id as the lowest that is free', () => {
    const attachments = makeAttachments();
    const ids = [1, 2, 3].map((peer) => HOST_IDS[attachments.attach(claim(0, peer * 11, peer), 0)]);
    expect(ids).toEqual([10, 20, 30]);
    expect(attachments.attach(claim(0, 44, 4), 0)).toBe(-AttachRefusal.noFreeId);
  });

  it('give the same id again to an address that has one, and tell nobody which processes have others', () => {
    const attachments = makeAttachments();
    expect(attachments.attach(claim(0, 11, 1), 0)).toBe(1);
    expect(attachments.attach(claim(0, 11, 1), 0)).toBe(1);
    expect(attachments.attach(claim(0, 22, 1), 0)).toBe(1);
    expect(attachments.attach(claim(0, 22, 2), 0)).toBe(2);
    expect(attachments.statistics.attached).toBe(2);
  });

  it('refuse an id that the topology does not have, and frames larger than the link carries', () => {
    const attachments = makeAttachments();
    expect(attachments.attach(claim(11, 1, 1), 0)).toBe(-AttachRefusal.unknownId);
    expect(attachments.attach({ ...claim(10, 1, 1), maxFrameBytes: 1473 }, 0)).toBe(-AttachRefusal.frameSize);
    expect(attachments.attach({ ...claim(10, 1, 1), maxFrameBytes: 1472 }, 0)).toBe(1);
    expect(attachments.statistics.refusals).toBe(2);
  });

  it('free a port four keep-alive times after the last KEEP_ALIVE', () => {
    const attachments = makeAttachments();
    expect(attachments.nextTimeout()).toBe(NEVER);
    attachments.attach(claim(10, 111, 1), 0);
    attachments.keepAlive(1, 3 * SECOND_NS);
    expect(attachments.nextTimeout()).toBe(7 * SECOND_NS);
    attachments.advance(7 * SECOND_NS - 1);
    expect(attachments.peerAt(1)).toBe(1);
    attachments.advance(7 * SECOND_NS);
    expect(attachments.peerAt(1)).toBe(-1);
    expect(attachments.nextTimeout()).toBe(NEVER);
    expect(attachments.portAt(10, 1)).toBe(-1);
    expect(attachments.statistics).toMatchObject({ attached: 0, expired: 1 });
    expect(attachments.attach(claim(10, 222, 2), 7 * SECOND_NS)).toBe(1);
  });

  it('know a host by its id and address, and take each of its numbers once', () => {
    const attachments = makeAttachments();
    attachments.attach(claim(10, 111, 1), 0);
    expect(attachments.portAt(10, 2)).toBe(-1);
    expect(attachments.portAt(77, 1)).toBe(-1);
    expect(attachments.portAt(10, 1)).toBe(1);
    expect([3, 3, 2, 4].map((counter) => attachments.isNew(1, counter))).toEqual([true, false, false, true]);
    attachments.detach(1);
    expect(attachments.peerAt(1)).toBe(-1);
    expect(attachments.statistics).toMatchObject({ attached: 0, detaches: 1 });
    expect(attachments.nextTimeout()).toBe(NEVER);
  });

  it('hold the addresses of those who are attached, and no others', () => {
    const held: [number, boolean][] = [];
    const onHeld = (peer: number, isHeld: boolean) => held.push([peer, isHeld]);
    const attachments = new Attachments({ ...OPTIONS, onHeld });
    attachments.attach(claim(10, 111, 1), 0);
    attachments.attach(claim(10, 111, 1), 0);
    attachments.attach(claim(10, 222, 2), 0);
    attachments.attach(claim(10, 111, 3), 0);
    attachments.detach(1);
    expect(held).toEqual([
      [1, true],
      [3, true],
      [1, false],
      [3, false],
    ]);
  });

  it('count anew at a reset, but for what is attached', () => {
    const attachments = makeAttachments();
    attachments.attach(claim(10, 111, 1), 0);
    attachments.resetStatistics();
    expect(attachments.statistics).toEqual({ attached: 1, attaches: 0, detaches: 0, expired: 0, refusals: 0 });
  });
});
