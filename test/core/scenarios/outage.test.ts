import { describe, expect, it, vi } from 'vitest';
import { MILLISECOND_NS, SECOND_NS } from '../../../src/base/time.js';
import { KINDS, outcome, Pair } from '../../harness/pair.js';
import { Source } from '../../harness/streams.js';

/** Each takes a second or so on an idle machine, and the machine may be busy. */
vi.setConfig({ testTimeout: 60_000 });

const ENDLESS = Number.POSITIVE_INFINITY;

/** Nothing gets through in the time between. */
function addOutage(pair: Pair, fromNs: number, untilNs: number): void {
  pair.network = () => (pair.nowNs >= fromNs && pair.nowNs < untilNs ? [] : [0]);
}

describe.each(KINDS)('a link that goes down for two seconds under $kind flows', ({ changes }) => {
  it.each([1, 5])('delays %i flows, and none of them fails', (flows) => {
    const pair = new Pair(1, changes);
    addOutage(pair, 0.1 * SECOND_NS, 2.1 * SECOND_NS);
    const sources = pair.start(1_000_000, flows);
    const tookNs = pair.runUntilClosed(sources, 20);
    expect(sources.map((source) => source.closed)).toEqual(new Array(flows).fill(null));
    expect(pair.sinks[1].readers.map(({ received, wrong }) => [received, wrong])).toEqual(
      new Array(flows).fill([1_000_000, 0]),
    );
    // 2 s without the link, at most 1 s until the next request, and the transfer itself.
    expect(tookNs).toBeLessThan((2 + 1 + 0.4 * flows) * SECOND_NS);
  });
});

describe('a link that goes down for two seconds under flows with credits', () => {
  it('is not filled with credits meanwhile', () => {
    const pair = new Pair(1);
    addOutage(pair, 0.1 * SECOND_NS, 2.1 * SECOND_NS);
    pair.start(ENDLESS);
    pair.run(0.1 * SECOND_NS);
    const before = pair.frames;
    pair.run(2.1 * SECOND_NS);
    // The receiver sends credits for the data timeout of 0.2 s, 7,700 a second, and the sender a few requests.
    expect(pair.frames - before).toBeLessThan(0.2 * 7_700 + 50);
  });
});

describe.each(KINDS)('a peer that dies under $kind flows', ({ changes }) => {
  it('while it receives: the sender says so within the idle timeout', () => {
    const pair = new Pair(1, changes);
    const [source] = pair.start(ENDLESS);
    pair.run(SECOND_NS);
    pair.kill(1);
    pair.run(10.9 * SECOND_NS);
    expect(source.closed).toBeUndefined();
    pair.run(11.1 * SECOND_NS);
    expect(outcome(source.closed)).toBe('idle');
    expect(pair.hosts[0].nextTimeout()).toBe(ENDLESS);
  });

  it('while it sends: the receiver says so within the idle timeout', () => {
    const pair = new Pair(1, changes);
    pair.start(ENDLESS);
    pair.run(SECOND_NS);
    pair.kill(0);
    pair.run(11.1 * SECOND_NS);
    expect(pair.closings).toEqual(['idle']);
    expect(pair.hosts[1].nextTimeout()).toBe(ENDLESS);
  });

  it.each([
    { who: 'receiver', victim: 1 },
    { who: 'sender', victim: 0 },
  ])('while nothing is sent: the $who is missed within the idle timeout', ({ victim }) => {
    const pair = new Pair(1, changes);
    const source = new Source(pair, ENDLESS).pauseAt(50_000).start(0, 1);
    pair.run(30 * SECOND_NS);
    expect([source.closed, ...pair.closings]).toEqual([undefined, undefined]);
    pair.kill(victim);
    pair.run(41 * SECOND_NS);
    expect(victim === 1 ? outcome(source.closed) : pair.closings[0]).toBe('idle');
    expect(pair.hosts[1 - victim].endpoint.flowCount).toBe(0);
  });

  it('and comes back without its memory: the sender is told at once', () => {
    const pair = new Pair(1, changes);
    const [source] = pair.start(ENDLESS);
    pair.run(SECOND_NS);
    pair.restart(1);
    pair.run(1.1 * SECOND_NS);
    expect(outcome(source.closed)).toBe('reset');
    expect(pair.sinks[1].readers).toHaveLength(1);
  });

  it('and comes back as a sender without its memory: the receiver is told at once', () => {
    const pair = new Pair(1, changes);
    pair.start(ENDLESS);
    pair.run(SECOND_NS);
    pair.restart(0);
    pair.run(1.1 * SECOND_NS);
    expect(pair.closings).toEqual(['reset']);
  });
});

describe.each(KINDS)('a peer that never answers under $kind flows', ({ changes }) => {
  it('is unreachable at the connect timeout', () => {
    const pair = new Pair(1, { ...changes, connectTimeoutNs: 3 * SECOND_NS });
    pair.kill(1);
    const [source] = pair.start(1_000);
    pair.run(3 * SECOND_NS - 1);
    expect(source.closed).toBeUndefined();
    pair.run(3 * SECOND_NS);
    expect(outcome(source.closed)).toBe('unreachable');
    expect(pair.hosts[0].nextTimeout()).toBe(ENDLESS);
  });

  it('but does in the end is not', () => {
    const pair = new Pair(1, changes);
    addOutage(pair, 0, 4.4 * SECOND_NS);
    const sources = pair.start(1_000);
    pair.runUntilClosed(sources, 20);
    expect(sources[0].closed).toBeNull();
  });
});

describe.each(KINDS)('a host that closes everything under $kind flows', ({ kind, changes }) => {
  it('ends all flows on the other side too, at once', () => {
    const pair = new Pair(1, changes);
    const sources = [...pair.start(ENDLESS, 3, 0), ...pair.start(ENDLESS, 3, 1)];
    pair.run(100 * MILLISECOND_NS);
    pair.hosts[0].endpoint.closeAll(pair.nowNs);
    expect(sources.slice(0, 3).map((source) => outcome(source.closed))).toEqual(new Array(3).fill('reset'));
    // Reactive flows fill the NIC's queue of 250 frames where nothing marks them, and the RESETs wait behind.
    pair.run((kind === 'credited' ? 101 : 131) * MILLISECOND_NS);
    expect(sources.slice(3).map((source) => outcome(source.closed))).toEqual(new Array(3).fill('shutdown'));
    expect(pair.closings).toEqual([...new Array(3).fill('reset'), ...new Array(3).fill('shutdown')]);
    pair.run(60 * SECOND_NS);
    expect(pair.hosts.map((host) => host.endpoint.flowCount)).toEqual([0, 0]);
  });
});
