import { describe, expect, it } from 'vitest';
import { NEVER } from '../../src/base/time.js';
import { DeadLinks } from '../../src/switch/dead-links.js';

const DELAY_NS = 100;

function leftOutAt(links: DeadLinks, nowNs: number): number[] {
  links.advance(nowNs);
  return [...links.leftOut].sort();
}

describe('dead links', () => {
  it('are left out after the delay and not before, and used again after the same delay', () => {
    const links = new DeadLinks(DELAY_NS);
    links.note(3, true, 1_000);
    expect(links.nextNs).toBe(1_100);
    expect(leftOutAt(links, 1_099)).toEqual([]);
    expect(leftOutAt(links, 1_100)).toEqual([3]);
    expect(links.nextNs).toBe(NEVER);
    links.note(3, false, 2_000);
    expect(leftOutAt(links, 2_099)).toEqual([3]);
    expect(leftOutAt(links, 2_100)).toEqual([]);
  });

  it('are not acted on where they change back within the delay', () => {
    const links = new DeadLinks(DELAY_NS);
    links.note(3, true, 0);
    links.note(3, false, 99);
    expect(links.nextNs).toBe(NEVER);
    expect(leftOutAt(links, 1_000)).toEqual([]);
    links.note(3, true, 1_000);
    expect(leftOutAt(links, 1_100)).toEqual([3]);
    links.note(3, false, 1_150);
    links.note(3, true, 1_249);
    expect(leftOutAt(links, 5_000)).toEqual([3]);
  });

  it('wait from when they died, however often they are looked at', () => {
    const links = new DeadLinks(DELAY_NS);
    for (const nowNs of [0, 50, 99]) links.note(1, true, nowNs);
    expect(links.nextNs).toBe(100);
  });

  it('have each their own delay', () => {
    const links = new DeadLinks(DELAY_NS);
    links.note(1, true, 0);
    links.note(2, true, 60);
    expect(leftOutAt(links, 100)).toEqual([1]);
    expect(links.nextNs).toBe(160);
    expect(leftOutAt(links, 160)).toEqual([1, 2]);
  });

  it('are never left out where the delay is infinite', () => {
    const links = new DeadLinks(NEVER);
    links.note(1, true, 0);
    expect(links.nextNs).toBe(NEVER);
    expect(leftOutAt(links, 1e18)).toEqual([]);
  });
});
