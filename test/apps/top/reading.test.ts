import { describe, expect, it } from 'vitest';
import { parseExposition, sumOf } from '../../../src/apps/top/reading.js';

const TEXT = `# HELP x_total How many.
# TYPE x_total counter
x_total{port="a->b",reason="full"} 3
x_total{port="a->b",reason="a \\"b\\" \\\\ {c}, d\\n"} 4

y 1.5e-7
y_bucket{le="+Inf"} 7
z +Inf
not a sample
broken{le=1} 2
`;

describe('a scrape', () => {
  const families = parseExposition(TEXT);

  it('is read as samples with their labels', () => {
    expect([...families.keys()]).toEqual(['x_total', 'y', 'y_bucket', 'z']);
    expect(families.get('x_total')?.[1]).toEqual({ labels: { port: 'a->b', reason: 'a "b" \\ {c}, d\n' }, value: 4 });
    expect(families.get('y')).toEqual([{ labels: {}, value: 1.5e-7 }]);
    expect(families.get('z')?.[0].value).toBe(Number.POSITIVE_INFINITY);
  });

  it('is asked for sums by label', () => {
    const reading = { atNs: 0, families };
    expect(sumOf(reading, 'x_total')).toBe(7);
    expect(sumOf(reading, 'x_total', { reason: 'full' })).toBe(3);
    expect(sumOf(reading, 'x_total', { reason: 'none' })).toBeUndefined();
    expect(sumOf(reading, 'nothing')).toBeUndefined();
  });
});
