import { describe, expect, it } from 'vitest';
import { liveDirections } from '../../src/apps/shared/web/live-switch.js';
import { layOut } from '../../src/web/live-layout.js';

function network(links: readonly (readonly [string, string])[]) {
  const names = [...new Set(links.flat())];
  return {
    nodes: names.map((name) => ({ name, isHost: name.startsWith('h'), isThere: true })),
    directions: links.flatMap(([a, b]) => [
      { ...liveDirections([])[0], name: `${a}->${b}`, from: a, to: b },
      { ...liveDirections([])[0], name: `${b}->${a}`, from: b, to: a },
    ]),
  } as Parameters<typeof layOut>[0];
}

describe('places of a network', () => {
  it.each([240, 390, 1280])('puts every node of a star into a width of %i, and none onto another', (width) => {
    const { places, height } = layOut(network([1, 2, 3, 4, 5].map((id) => ['s1', `h${id}`])), width);
    expect(places.size).toBe(6);
    for (const { x, y } of places.values()) {
      expect(x).toBeGreaterThan(0);
      expect(x).toBeLessThan(width);
      expect(y).toBeLessThan(height);
    }
    expect(new Set([...places.values()].map(({ x, y }) => `${Math.round(x)} ${Math.round(y)}`)).size).toBe(6);
  });

  it('puts switches above their hosts, those without hosts on top', () => {
    const { places } = layOut(
      network([
        ['h1', 's1'],
        ['h2', 's2'],
        ['s1', 's3'],
        ['s2', 's3'],
      ]),
      600,
    );
    const row = (name: string): number => places.get(name)?.y ?? Number.NaN;
    expect(row('s3')).toBeLessThan(row('s1'));
    expect(row('s1')).toBe(row('s2'));
    expect(row('s1')).toBeLessThan(row('h1'));
  });

  it('breaks a row that is too long', () => {
    const hosts = Array.from({ length: 30 }, (_, at) => ['s1', `h${at}`] as const);
    const { places } = layOut(network([...hosts, ['s1', 's2']]), 300);
    expect(new Set([...places].filter(([name]) => name.startsWith('h')).map(([, { y }]) => y)).size).toBe(5);
  });
});
