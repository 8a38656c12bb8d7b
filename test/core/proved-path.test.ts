import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, MINUTE_NS } from '../../src/base/time.js';
import { type ProvedPath, ProvedPaths } from '../../src/core/proved-path.js';
import type { Frame } from '../../src/wire/frame.js';
import { FLOW_PEER, newEndpoint, pollAll } from '../harness/flow-context.js';
import { printFrame } from '../harness/print-frame.js';
import { RecordingWriter, SenderBench } from '../harness/sender-bench.js';

const PAYLOAD = 1_446;
const UNPROVED = 10 * PAYLOAD;
const HOST = { frameBytes: 1_472, unprovedFrames: 10 };

function newPath(): ProvedPath {
  return new ProvedPaths(HOST).join(FLOW_PEER);
}

function roomOf(path: ProvedPath, nowNs = 0): number {
  return path.roomBytes(PAYLOAD, nowNs);
}

/** All of `bytes`, one burst after the other, arrives at `nowNs`. */
function deliver(path: ProvedPath, bytes: readonly number[], nowNs = 0): void {
  for (const each of bytes) {
    path.sent(each);
    path.delivered(each, nowNs);
  }
}

/** A burst of `bytes` of which some is lost. */
function lose(path: ProvedPath, bytes: number): void {
  const { losses } = path;
  path.sent(bytes);
  path.noteLoss(losses);
  path.dropped(bytes);
}

describe('a path that has proved nothing', () => {
  it('carries ten frames, less where they are longer than those of Ethernet', () => {
    const rooms = [1_472, 8_972, 20_000, 60_000].map((frameBytes) => {
      return new ProvedPaths({ ...HOST, frameBytes }).join(FLOW_PEER).roomBytes(1, 0);
    });
    expect(rooms).toEqual([14_460, 2 * 8_946, 2 * 19_974, 65_536]);
  });

  it('carries a frame alone, however long', () => {
    const path = newPath();
    expect(path.roomBytes(59_974, 0)).toBe(59_974);
    path.sent(1);
    expect(path.roomBytes(59_974, 0)).toBe(UNPROVED - 1);
  });
});

describe('what a path has proved', () => {
  it('grows by what arrives, up to the least receive window', () => {
    const path = newPath();
    const rooms = [1, 2, 3, 4].map(() => {
      deliver(path, [roomOf(path)]);
      return roomOf(path);
    });
    expect(rooms).toEqual([2 * UNPROVED, 4 * UNPROVED, 65_536, 65_536]);
  });

  it('does not grow by bursts that use less than half of it', () => {
    const path = newPath();
    deliver(path, Array(100).fill(UNPROVED / 2 - 1));
    expect(roomOf(path)).toBe(UNPROVED);
    deliver(path, [UNPROVED / 2]);
    expect(roomOf(path)).toBe(1.5 * UNPROVED);
  });

  it('grows by all of a burst, in whichever pieces it is acknowledged', () => {
    const path = newPath();
    path.sent(UNPROVED);
    for (let frame = 0; frame < 10; frame++) path.delivered(PAYLOAD, 0);
    expect(roomOf(path)).toBe(2 * UNPROVED);
  });

  it('halves at a loss, once in a round trip, down to a frame; then it grows by a frame in a round trip', () => {
    const path = newPath();
    deliver(path, [UNPROVED]);
    const { losses } = path;
    path.noteLoss(losses);
    path.noteLoss(losses);
    expect(roomOf(path)).toBe(UNPROVED);
    deliver(path, [UNPROVED]);
    expect(roomOf(path)).toBe(UNPROVED + PAYLOAD);
    for (let burst = 0; burst < 10; burst++) lose(path, PAYLOAD);
    expect(roomOf(path)).toBe(PAYLOAD);
  });

  it('is kept while the path rests, for five minutes', () => {
    const path = newPath();
    deliver(path, [UNPROVED], MILLISECOND_NS);
    const endNs = MILLISECOND_NS + 5 * MINUTE_NS;
    expect([endNs, endNs + 1].map((nowNs) => roomOf(path, nowNs))).toEqual([2 * UNPROVED, UNPROVED]);
  });

  it('is that of one peer, and of flows that come later too', () => {
    const paths = new ProvedPaths(HOST);
    const first = paths.join(1);
    deliver(first, [UNPROVED]);
    paths.leave(first);
    expect([1, 2].map((peer) => roomOf(paths.join(peer)))).toEqual([2 * UNPROVED, UNPROVED]);
  });

  it('is forgotten when another path leads to the peer, or its number stands for another host', () => {
    const paths = new ProvedPaths(HOST);
    const path = paths.join(1);
    deliver(path, [UNPROVED]);
    paths.forget(1);
    expect(paths.join(1)).toBe(path);
    paths.moved(1);
    expect(roomOf(path)).toBe(UNPROVED);
    paths.leave(path);
    paths.leave(path);
    paths.forget(1);
    expect(paths.join(1)).not.toBe(path);
  });

  it('is forgotten of the peer that has rested longest once there are more than 4,096', () => {
    const paths = new ProvedPaths(HOST);
    const [first, second] = [paths.join(1), paths.join(2)];
    paths.leave(second);
    paths.leave(first);
    for (let peer = 3; peer <= 4_097; peer++) paths.leave(paths.join(peer));
    expect([paths.join(2) === second, paths.join(1) === first]).toEqual([false, true]);
  });
});

/** Unlimited link: bursts have no other bound than the path's. */
const SPECULATIVE = { speculativeRttNs: MILLISECOND_NS, unprovedFrames: 10 };

function burstBytes(lines: readonly string[]): number {
  const payloads = lines.map((line) => /^SPECULATIVE_DATA .*payload=(\d+)/.exec(line)?.[1] ?? 0);
  return payloads.reduce((sum: number, payload) => sum + Number(payload), 0);
}

describe('a flow on a path', () => {
  it('sends what the path has proved, and asks for credits for the rest', () => {
    const bench = new SenderBench(SPECULATIVE);
    bench.write(20 * PAYLOAD);
    bench.wait(0);
    const lines = bench.context.sent();
    expect(burstBytes(lines)).toBe(UNPROVED);
    expect(lines.at(-1)).toContain(`sent=${UNPROVED} probe=2`);
    expect(lines.at(-1)).toContain(`backlog=${10 * PAYLOAD}`);
  });

  it('proves more with each burst that arrives whole', () => {
    const bench = new SenderBench(SPECULATIVE);
    const sent = [10, 20, 40].map((frames) => {
      bench.write(frames * PAYLOAD);
      bench.wait(0);
      const bytes = burstBytes(bench.context.sent());
      bench.ack(bench.flow.sentBytes);
      return bytes / PAYLOAD;
    });
    expect(sent).toEqual([10, 20, 40]);
  });

  it('proves it also where credits have released more before the answer comes', () => {
    const bench = new SenderBench(SPECULATIVE);
    bench.write(30 * PAYLOAD);
    bench.wait(0);
    for (let credit = 0; credit < 15; credit++) bench.credit();
    expect(bench.flow.sentBytes).toBe(25 * PAYLOAD);
    bench.ack(UNPROVED);
    expect(bench.context.speculation?.paths?.join(FLOW_PEER).roomBytes(1, 0)).toBe(2 * UNPROVED);
  });

  it('has room again as its bytes arrive, before the burst is answered', () => {
    const bench = new SenderBench(SPECULATIVE);
    const sent = [1, 2, 3, 4, 5].map((message) => {
      bench.write(4 * PAYLOAD);
      bench.wait(0);
      bench.write(4 * PAYLOAD);
      bench.wait(0);
      const bytes = burstBytes(bench.context.sent());
      bench.ack(bench.flow.sentBytes - 4 * PAYLOAD, { probe: 2 * message });
      return bytes / PAYLOAD;
    });
    expect(sent).toEqual([8, 8, 8, 8, 8]);
  });

  it('halves what the path has proved when bytes of its burst are lost', () => {
    const bench = new SenderBench(SPECULATIVE);
    bench.write(10 * PAYLOAD);
    bench.wait(0);
    bench.ack(9 * PAYLOAD);
    expect(bench.context.speculation?.paths?.join(FLOW_PEER).roomBytes(1, 0)).toBe(5 * PAYLOAD);
  });
});

/** What an endpoint sends at once to each of `peers` when it opens a flow of `bytes` to it. */
function opened(peers: readonly number[], bytes: number): Frame[] {
  const endpoint = newEndpoint(SPECULATIVE);
  for (const peer of peers) endpoint.open(peer, new RecordingWriter(), {}, 0).writeLength(bytes, 0);
  endpoint.advance(0);
  return pollAll(endpoint);
}

describe('flows that open at once', () => {
  it('share what the path to their peer has proved', () => {
    const lines = opened(Array(64).fill(1), 20_000).map((frame) => printFrame(frame));
    expect(burstBytes(lines)).toBe(UNPROVED);
    expect(burstBytes(opened([1, 2, 3], 20_000).map((frame) => printFrame(frame)))).toBe(3 * UNPROVED);
  });

  it('give back what was under way when they are closed', () => {
    const endpoint = newEndpoint(SPECULATIVE);
    for (let turn = 0; turn < 3; turn++) {
      const flow = endpoint.open(1, new RecordingWriter(), {}, 0);
      flow.writeLength(20_000, 0);
      endpoint.advance(0);
      expect(burstBytes(pollAll(endpoint).map((frame) => printFrame(frame)))).toBe(UNPROVED);
      flow.reset(0, 1);
      pollAll(endpoint);
    }
  });
});
