import { describe, expect, it } from 'vitest';
import { RequestGate } from '../../src/core/request-gate.js';

function gate(limit: number) {
  const sent: number[] = [];
  const requests = new RequestGate(limit, (slot) => sent.push(slot));
  return { requests, sent };
}

describe('RequestGate', () => {
  it('lets as many requests go to a peer as its limit, and holds the rest until one is answered', () => {
    const { requests, sent } = gate(2);
    expect([1, 2, 3, 4].map((slot) => requests.enter(7, slot))).toEqual([true, true, false, false]);
    expect(requests.held).toBe(2);
    requests.leave(7, 2);
    expect(sent).toEqual([3]);
    requests.leave(7, 3);
    requests.leave(7, 1);
    expect(sent).toEqual([3, 4]);
    expect(requests.enter(7, 5)).toBe(true);
    expect(requests.enter(7, 6)).toBe(false);
  });

  it('counts each peer for itself', () => {
    const { requests, sent } = gate(1);
    expect(requests.enter(7, 1)).toBe(true);
    expect(requests.enter(8, 2)).toBe(true);
    expect(requests.enter(7, 3)).toBe(false);
    requests.leave(8, 2);
    expect(sent).toEqual([]);
  });

  it('forgets one that does not want to wait any more', () => {
    const { requests, sent } = gate(1);
    for (const slot of [1, 2, 3]) requests.enter(7, slot);
    requests.leave(7, 2);
    expect(sent).toEqual([]);
    requests.leave(7, 1);
    expect(sent).toEqual([3]);
  });

  it('does nothing for one that has no place', () => {
    const { requests, sent } = gate(1);
    requests.leave(7, 1);
    requests.enter(7, 1);
    requests.enter(7, 2);
    requests.leave(7, 5);
    expect(sent).toEqual([]);
  });

  it('holds none without a limit', () => {
    const { requests } = gate(Number.POSITIVE_INFINITY);
    for (let slot = 0; slot < 1_000; slot++) expect(requests.enter(7, slot)).toBe(true);
    expect(requests.held).toBe(0);
  });
});
