import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { hostOf, Places } from '../../src/services/places.js';

function bed(most: number, headerTimeoutMs = 10_000) {
  const givenUp: string[] = [];
  const places = new Places<string>({
    most,
    headerTimeoutMs,
    giveUp: (stream, why) => givenUp.push(`${stream} ${why}`),
  });
  let last = 0;
  const open = (peer: string): boolean => {
    const hasRoom = places.makeRoom(peer);
    if (hasRoom) places.take(`${peer}/${++last}`, peer);
    return hasRoom;
  };
  return { places, givenUp, open };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the places of streams that peers open', () => {
  it('are three fifths at most for one peer, so that others find room', () => {
    const { places, open } = bed(1_000);
    const taken = [...Array(1_000)].filter(() => open('a')).length;
    expect([taken, places.counters.refusedShare]).toEqual([600, 400]);
    expect(open('b')).toBe(true);
  });

  it('leave room for a newcomer beside five hosts that take what they may', () => {
    const { places, open } = bed(1_000);
    for (let peer = 0; peer < 5; peer++) for (let stream = 0; stream < 1_000; stream++) open(`peer ${peer}`);
    for (const stream of places.streams) places.settle(stream);
    expect(places.size).toBeLessThan(1_000);
    expect(open('newcomer')).toBe(true);
  });

  it('go to a peer that has none from the oldest stream without a header', () => {
    const { places, givenUp, open } = bed(3);
    for (const peer of ['a', 'b', 'c']) open(peer);
    places.settle('a/1');
    expect(open('c')).toBe(false);
    expect(open('d')).toBe(true);
    expect([givenUp, places.size, places.counters.evicted]).toEqual([['b/2 evicted'], 3, 1]);
    for (const stream of places.streams) places.settle(stream);
    expect(open('e')).toBe(false);
    expect(places.counters.refusedFull).toBe(2);
  });

  it('are given up when no header comes in time, one timer for all', () => {
    const { places, givenUp, open } = bed(10, 1_000);
    open('a');
    vi.advanceTimersByTime(600);
    open('b');
    open('c');
    places.settle('c/3');
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(500);
    expect(givenUp).toEqual(['a/1 late']);
    vi.advanceTimersByTime(10_000);
    expect(givenUp).toEqual(['a/1 late', 'b/2 late']);
    expect([places.size, places.counters.lateHeaders, vi.getTimerCount()]).toEqual([1, 2, 0]);
  });

  it('are free again when a stream leaves, once', () => {
    const { places, open } = bed(1);
    open('a');
    places.leave('a/1');
    places.leave('a/1');
    expect([places.size, open('a')]).toEqual([0, true]);
  });

  it('are shared by all ports of one host', () => {
    expect(['192.0.2.7:47000', '[2001:db8::1]:5', 'host 3'].map(hostOf)).toEqual([
      '192.0.2.7',
      '[2001:db8::1]',
      'host 3',
    ]);
  });
});
