import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/base/time.js';
import { type AttachClaim, Attachments } from '../../src/switch/attachments.js';
import { AttachRefusal } from '../../src/wire/layout.js';

const SECOND_NS = 1e9;
const HOST_IDS = [30, 10, 20];

function makeAttachments(): Attachments {
  return new Attachments({
    hostIds: HOST_IDS,
    keepAliveMs: 1000,
    portOf: (id) => HOST_IDS.indexOf(id),
    maxFrameBytesAt: () => 1472,
  });
}

function claim(id: number, token: number, peer: number): AttachClaim {
  return { id, token, peer, maxFrameBytes: 0 };
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

  it('move the port of a token that comes from a new address', () => {
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

  it('give the same id again to a token or an address that has one', () => {
    const attachments = makeAttachments();
    expect(attachments.attach(claim(0, 11, 1), 0)).toBe(1);
    expect(attachments.attach(claim(0, 11, 1), 0)).toBe(1);
    expect(attachments.attach(claim(0, 11, 2), 0)).toBe(1);
    expect(attachments.attach(claim(0, 22, 2), 0)).toBe(1);
    expect(attachments.statistics.attached).toBe(1);
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
    expect(attachments.keepAlive(10, 111, { peer: 1, nowNs: 3 * SECOND_NS })).toBe(1);
    expect(attachments.nextTimeout()).toBe(7 * SECOND_NS);
    attachments.advance(7 * SECOND_NS - 1);
    expect(attachments.peerAt(1)).toBe(1);
    attachments.advance(7 * SECOND_NS);
    expect(attachments.peerAt(1)).toBe(-1);
    expect(attachments.nextTimeout()).toBe(NEVER);
    expect(attachments.keepAlive(10, 111, { peer: 1, nowNs: 7 * SECOND_NS })).toBe(-1);
    expect(attachments.statistics).toMatchObject({ attached: 0, expired: 1 });
    expect(attachments.attach(claim(10, 222, 2), 7 * SECOND_NS)).toBe(1);
  });

  it('take KEEP_ALIVE and DETACH only with the token and from the address that attached', () => {
    const attachments = makeAttachments();
    attachments.attach(claim(10, 111, 1), 0);
    expect(attachments.keepAlive(10, 112, { peer: 1, nowNs: 1 })).toBe(-1);
    expect(attachments.keepAlive(10, 111, { peer: 2, nowNs: 1 })).toBe(-1);
    attachments.detach(10, 112, 1);
    attachments.detach(10, 111, 2);
    attachments.detach(77, 111, 1);
    expect(attachments.peerAt(1)).toBe(1);
    attachments.detach(10, 111, 1);
    expect(attachments.peerAt(1)).toBe(-1);
    expect(attachments.statistics).toMatchObject({ attached: 0, detaches: 1 });
    expect(attachments.nextTimeout()).toBe(NEVER);
  });

  it('count anew at a reset, but for what is attached', () => {
    const attachments = makeAttachments();
    attachments.attach(claim(10, 111, 1), 0);
    attachments.resetStatistics();
    expect(attachments.statistics).toEqual({ attached: 1, attaches: 0, detaches: 0, expired: 0, refusals: 0 });
  });
});
