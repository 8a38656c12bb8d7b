import { describe, expect, it } from 'vitest';
import { addDrops, dropCounts } from '../../../src/apps/demo/drops.js';
import { PORT_DROP_NAMES } from '../../../src/switch/port-statistics.js';

describe('what ports dropped', () => {
  it('is credits of the meter, data of a full queue, frames lost on the link, or what nobody expects', () => {
    const drops = { creditQueueFull: 7, dataQueueFull: 1, speculative: 2, lost: 30, corrupted: 4, noRoute: 5 };
    expect(dropCounts({ drops })).toEqual({ credits: 7, data: 3, lost: 34, other: 5 });
  });

  it('leaves out the last ACKs to hosts that have left', () => {
    expect(dropCounts({ drops: { notAttached: 3 } })).toEqual({ credits: 0, data: 0, lost: 0, other: 0 });
  });

  it('counts every other reason once', () => {
    const reasons = PORT_DROP_NAMES.filter((name) => name !== 'taken' && name !== 'notAttached');
    const all = addDrops(reasons.map((name) => dropCounts({ drops: { [name]: 1 } })));
    expect(all.credits + all.data + all.lost + all.other).toBe(reasons.length);
    expect([all.credits, all.data, all.lost]).toEqual([2, 2, 5]);
  });
});
