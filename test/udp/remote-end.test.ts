import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { RefusalWatch } from '../../src/udp/remote-end.js';

/** A watch that is told of refusals, each after one more datagram. */
function watching(...refusalsNs: number[]) {
  const watch = new RefusalWatch();
  let sent = 0;
  const refuse = (nowNs: number) => watch.refused(nowNs, ++sent);
  for (const nowNs of refusalsNs) expect(refuse(nowNs)).toBe(true);
  return { watch, refuse };
}

describe('a watch for refusals', () => {
  it('gives a peer up a second after the first of three refusals', () => {
    const { watch, refuse } = watching(5, 6);
    expect(watch.nextTimeout()).toBe(NEVER);
    expect(watch.isOver(2 * SECOND_NS)).toBe(false);
    refuse(100 * MILLISECOND_NS);
    expect(watch.nextTimeout()).toBe(5 + SECOND_NS);
    expect(watch.isOver(4 + SECOND_NS)).toBe(false);
    expect(watch.isOver(5 + SECOND_NS)).toBe(true);
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
    expect(watch.nextTimeout()).toBe(1 + SECOND_NS);
  });

  it('starts anew after a gap of more than a second, which those that do not count do not fill', () => {
    const { watch, refuse } = watching(0, SECOND_NS);
    expect(watch.refused(1.5 * SECOND_NS, 2)).toBe(false);
    refuse(2 * SECOND_NS + 1);
    refuse(2.5 * SECOND_NS);
    expect(watch.nextTimeout()).toBe(NEVER);
    refuse(2.9 * SECOND_NS);
    expect(watch.nextTimeout()).toBe(3 * SECOND_NS + 1);
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
    expect(watch.nextTimeout()).toBe(4 * SECOND_NS);
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
});
