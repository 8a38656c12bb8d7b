import { describe, expect, it } from 'vitest';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { RefusalWatch } from '../../src/udp/refusal-watch.js';

describe('a watch for refusals', () => {
  it('gives a peer up a second after the first of several refusals', () => {
    const watch = new RefusalWatch();
    expect(watch.nextTimeout()).toBe(NEVER);
    watch.refused(5);
    expect(watch.nextTimeout()).toBe(NEVER);
    watch.refused(100 * MILLISECOND_NS);
    expect(watch.nextTimeout()).toBe(5 + SECOND_NS);
    expect(watch.isOver(4 + SECOND_NS)).toBe(false);
    expect(watch.isOver(5 + SECOND_NS)).toBe(true);
    expect(watch.isRefused).toBe(true);
    expect(watch.wasHeard).toBe(false);
  });

  it('begins anew after that, for what is opened later', () => {
    const watch = new RefusalWatch();
    watch.refused(0);
    watch.refused(0);
    expect(watch.isOver(3 * SECOND_NS)).toBe(true);
    expect(watch.isOver(3 * SECOND_NS)).toBe(false);
    watch.refused(3.2 * SECOND_NS);
    expect(watch.nextTimeout()).toBe(4 * SECOND_NS);
  });

  it('forgets them when the peer says something', () => {
    const watch = new RefusalWatch();
    watch.refused(0);
    watch.refused(1);
    watch.heard();
    expect(watch.isRefused).toBe(false);
    expect(watch.isOver(2 * SECOND_NS)).toBe(false);
    watch.refused(2 * SECOND_NS);
    expect(watch.nextTimeout()).toBe(NEVER);
    expect(watch.wasHeard).toBe(true);
  });
});
