import { describe, expect, it } from 'vitest';
import { LATE_CLASSES_NS, Lateness } from '../../src/udp/lateness.js';

describe('Lateness', () => {
  it('counts wakes by class, the longest, and those over a millisecond', () => {
    const lateness = new Lateness();
    for (const lateNs of [1, 10e3, 10e3 + 1, 1e6, 1e6 + 1, 250e6]) lateness.add(lateNs);
    const { wakes, maxNs, overMillisecond, classes } = lateness.snapshot();
    expect({ wakes, maxNs, overMillisecond }).toEqual({ wakes: 6, maxNs: 250e6, overMillisecond: 2 });
    expect(classes.map(([, count]) => count)).toEqual([2, 1, 0, 0, 1, 1, 0, 0, 0, 1]);
    expect(classes.length).toBe(LATE_CLASSES_NS.length + 1);
  });
});
