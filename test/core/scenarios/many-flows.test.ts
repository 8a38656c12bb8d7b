import { describe, expect, it, vi } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { frameType } from '../../../src/wire/decode.js';
import { FrameType } from '../../../src/wire/layout.js';
import { Pair } from '../../harness/pair.js';
import { Source } from '../../harness/streams.js';
import { INTACT, LOST } from '../../harness/world.js';

/** It takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

/** What a busy process takes over a frame, ns. */
const SERVICE_NS = 100 * MICROSECOND_NS;
const FLOWS = 2_000;

/** Two hosts that take their time over each frame that arrives, one after the other, as a process does; `requests`: how many frames of that type came. */
function slowHosts(peerRequests: number) {
  const pair = new Pair(1, { rateBps: Number.POSITIVE_INFINITY, hostCredits: 128, peerRequests });
  const freeNs = [0, 0];
  const count = { requests: 0, longestWaitNs: 0 };
  pair.network = (frame) => {
    const { peer: to, atNs: arrivesNs } = frame;
    if (frameType(frame.bytes) === FrameType.creditRequest) count.requests++;
    freeNs[to] = Math.max(freeNs[to], arrivesNs) + SERVICE_NS;
    count.longestWaitNs = Math.max(count.longestWaitNs, freeNs[to] - arrivesNs);
    return [freeNs[to] - arrivesNs];
  };
  return { pair, count };
}

describe('thousands of flows that start at once', () => {
  it('ask at the pace of the answers, each of them once', () => {
    const { pair, count } = slowHosts(64);
    const sources = pair.start(8, FLOWS);
    pair.runUntilClosed(sources, 30);
    expect(sources.every(({ closed }) => closed === null)).toBe(true);
    expect(count.requests).toBe(FLOWS);
    expect(count.longestWaitNs).toBeLessThan(100 * MILLISECOND_NS);
  });

  it('would ask again and again while the peer still reads their first requests', () => {
    const { pair, count } = slowHosts(Number.POSITIVE_INFINITY);
    const sources = pair.start(8, FLOWS);
    pair.runUntilClosed(sources, 30);
    expect(count.requests).toBeGreaterThan(2 * FLOWS);
    expect(count.longestWaitNs).toBeGreaterThan(200 * MILLISECOND_NS);
  });

  it('do not wait for a peer that is not there', () => {
    const { pair } = slowHosts(4);
    pair.addHost({ rateBps: Number.POSITIVE_INFINITY });
    const toNobody = pair.network;
    pair.network = (frame, from, nowNs) => (frame.peer === 2 ? LOST : toNobody(frame, from, nowNs));
    const lost = Array.from({ length: 20 }, () => new Source(pair, 8).start(0, 2));
    const sources = pair.start(8, 20);
    pair.runUntilClosed(sources, 1);
    expect(sources.every(({ closed }) => closed === null)).toBe(true);
    pair.runUntilClosed(lost, 20);
    expect(lost.map(({ closed }) => closed?.code)).toEqual(lost.map(() => 'unreachable'));
  });
});

describe('flows of a few bytes', () => {
  it('are issued one credit each', () => {
    const pair = new Pair(3, { rateBps: 1e9 });
    let credits = 0;
    pair.network = (frame) => {
      if (frameType(frame.bytes) === FrameType.credit) credits++;
      return INTACT;
    };
    pair.runUntilClosed(pair.start(8, 1_000), 10);
    expect(pair.closings).toEqual(new Array(1_000).fill('in order'));
    // Some hundred that start at once meet a NIC whose queue holds eight credits.
    expect(credits).toBeLessThan(1_100);
  });
});

describe('flows that share a link so that each has few frames a second', () => {
  it('have an ACK for four or so of their frames, and repair what is lost', () => {
    const pair = new Pair(2, { rateBps: 100e6 });
    const count = { data: 0, acks: 0 };
    pair.network = (frame) => {
      const type = frameType(frame.bytes);
      if (type === FrameType.data && ++count.data % 500 === 0) return LOST;
      if (type === FrameType.ack) count.acks++;
      return INTACT;
    };
    const sources = pair.start(60_000, 200);
    const tookNs = pair.runUntilClosed(sources, 30);
    expect(sources.every(({ closed }) => closed === null)).toBe(true);
    expect(count.acks / count.data).toBeLessThan(0.35);
    expect(tookNs).toBeLessThan(3 * SECOND_NS);
  });
});
