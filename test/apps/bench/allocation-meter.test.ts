import { describe, expect, it } from 'vitest';
import { AllocationMeter } from '../../../src/apps/bench/allocation-meter.js';

describe('the meter of what is allocated', () => {
  it('adds up what the heap grows by, and leaves out the times in which garbage was collected', () => {
    const meter = new AllocationMeter();
    meter.look(1_000, 100);
    expect([meter.bytes, meter.ms]).toEqual([0, 0]);
    meter.look(1_400, 105);
    // Collected.
    meter.look(200, 110);
    meter.look(500, 116);
    meter.look(500, 120);
    expect([meter.bytes, meter.ms]).toEqual([400 + 300, 5 + 6 + 4]);
  });
});
