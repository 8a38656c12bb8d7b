import { describe, expect, it } from 'vitest';
import { ShareMeter } from '../../../src/apps/perf/shares.js';

describe('the shares of clients at a server', () => {
  it('are of what came since the last look, and end with their tests', () => {
    const counts = { a: 0, b: 0 };
    const [a, b] = (['a', 'b'] as const).map((peerName) => ({ peerName, progress: () => [counts[peerName]] }));
    const meter = new ShareMeter(1e9);
    expect(meter.cut(2e9, [])).toBeNull();
    counts.a = 300;
    expect(meter.cut(3e9, [a])).toMatchObject({ startS: 1, endS: 2, clients: [{ peer: 'a', bytes: 300, share: 1 }] });
    Object.assign(counts, { a: 400, b: 300 });
    const both = meter.cut(4e9, [a, b]);
    expect(both?.clients).toEqual([
      { peer: 'a', bytes: 100, share: 0.25 },
      { peer: 'b', bytes: 300, share: 0.75 },
    ]);
    expect(both?.jain).toBeCloseTo(0.8);
    expect(meter.cut(5e9, [b])?.clients).toEqual([{ peer: 'b', bytes: 0, share: Number.NaN }]);
  });
});
