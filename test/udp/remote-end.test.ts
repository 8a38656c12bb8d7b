import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { RefusalWatch } from '../../src/udp/remote-end.js';

const GIVE_UP_NS = 750 * MILLISECOND_NS;

/** A watch that is told of refusals, each after one more datagram. */
function watching(...refusalsNs: number[]) {
  const watch = new RefusalWatch();
  let sent = 0;
  const refuse = (nowNs: number) => watch.refused(nowNs, ++sent);
  for (const nowNs of refusalsNs) expect(refuse(nowNs)).toBe(true);
  return { watch, refuse };
}

describe('a watch for refusals', () => {
  it('gives a peer up three quarters of a second after the first of three refusals', () => {
    const { watch, refuse } = watching(5, 6);
    expect(watch.nextTimeout()).toBe(NEVER);
    expect(watch.isOver(2 * SECOND_NS)).toBe(false);
    refuse(100 * MILLISECOND_NS);
    expect(watch.nextTimeout()).toBe(5 + GIVE_UP_NS);
    expect(watch.isOver(4 + GIVE_UP_NS)).toBe(false);
    expect(watch.isOver(5 + GIVE_UP_NS)).toBe(true);
    expect(watch.isRefused).toBe(true);
    expect(watch.wasHeard).toBe(false);
  });

  it('counts a refusal only when a datagram was sent since the last one that counted', () => {
    const watch = new RefusalWatch();
    expect(watch.refused(0, 0)).toBe(false);
    expect(watch.isRefused).toBe(false);
    expect([1, 2, 2, 2, 2].map((sent) => watch.refused(1, sent))).toEqual([true, true, false, false, false]);
    expect(watch.nextTimeout()).toBe(NEVER);
    expect(watch.refused(2, 3)).toBe(true);
    expect(watch.nextTimeout()).toBe(1 + GIVE_UP_NS);
  });

  it('starts anew after a gap of more than a second, which those that do not count do not fill', () => {
    const { watch, refuse } = watching(0, SECOND_NS);
    expect(watch.refused(1.5 * SECOND_NS, 2)).toBe(false);
    refuse(2 * SECOND_NS + 1);
    refuse(2.5 * SECOND_NS);
    expect(watch.nextTimeout()).toBe(NEVER);
    refuse(2.9 * SECOND_NS);
    expect(watch.nextTimeout()).toBe(2 * SECOND_NS + 1 + GIVE_UP_NS);
  });

  it('takes a gap of just a second for none', () => {
    expect(watching(0, SECOND_NS, 2 * SECOND_NS).watch.isOver(2 * SECOND_NS)).toBe(true);
  });

  it('begins anew after that, for what is opened later', () => {
    const { watch, refuse } = watching(0, 0, 0);
    expect(watch.isOver(3 * SECOND_NS)).toBe(true);
    expect(watch.isOver(3 * SECOND_NS)).toBe(false);
    refuse(3.2 * SECOND_NS);
    refuse(3.3 * SECOND_NS);
    expect(watch.nextTimeout()).toBe(3 * SECOND_NS + GIVE_UP_NS);
  });

  it('forgets them when the peer says something', () => {
    const { watch, refuse } = watching(0, 1, 2);
    watch.heard();
    expect(watch.isRefused).toBe(false);
    expect(watch.isOver(2 * SECOND_NS)).toBe(false);
    refuse(2 * SECOND_NS);
    refuse(2 * SECOND_NS);
    expect(watch.nextTimeout()).toBe(NEVER);
    expect(watch.wasHeard).toBe(true);
  });

  it('asks a refused peer again every tenth of a second, and gives it up only while it refuses', () => {
    const { watch, refuse } = watching(0);
    expect(watch.takeProbe(99 * MILLISECOND_NS)).toBe(false);
    for (let at = 100; at <= 700; at += 100) {
      expect(watch.nextProbe()).toBe(at * MILLISECOND_NS);
      expect(watch.takeProbe(at * MILLISECOND_NS)).toBe(true);
      refuse(at * MILLISECOND_NS);
    }
    expect(watch.isOver(GIVE_UP_NS)).toBe(true);
    expect(watch.nextProbe()).toBe(NEVER);
  });

  it('forgives a peer that listens again, though it has said nothing yet', () => {
    const { watch, refuse } = watching(0);
    refuse(100 * MILLISECOND_NS);
    refuse(200 * MILLISECOND_NS);
    for (let at = 300; at <= 500; at += 100) expect(watch.takeProbe(at * MILLISECOND_NS)).toBe(true);
    expect(watch.takeProbe(600 * MILLISECOND_NS)).toBe(false);
    expect([watch.isRefused, watch.nextProbe(), watch.isOver(SECOND_NS)]).toEqual([false, NEVER, false]);
  });
});
