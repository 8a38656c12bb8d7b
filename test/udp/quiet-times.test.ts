import { describe, expect, it } from 'vitest';
import { MICROSECOND_NS, MILLISECOND_NS } from '../../src/base/time.js';
import { QuietTimes } from '../../src/udp/quiet-times.js';

/** Datagrams that come one by one, with `quietNs` between the work on each and the next; returns the time of the last. */
function come(times: QuietTimes, quietNs: number, count: number, fromNs = 0): number {
  let nowNs = fromNs;
  for (let datagram = 0; datagram < count; datagram++) {
    times.begin(nowNs);
    nowNs += quietNs;
    times.end(nowNs);
  }
  times.begin(nowNs);
  return nowNs;
}

describe('quiet times', () => {
  it('are long until some datagrams have come in short order', () => {
    const times = new QuietTimes();
    expect(times.areShort(0)).toBe(false);
    const nowNs = come(times, 65 * MICROSECOND_NS, 4);
    expect(times.areShort(nowNs)).toBe(false);
    expect(times.areShort(come(times, 65 * MICROSECOND_NS, 8, nowNs))).toBe(true);
  });

  it('are not short where datagrams come every millisecond', () => {
    const times = new QuietTimes();
    expect(times.areShort(come(times, MILLISECOND_NS, 100))).toBe(false);
  });

  it('are over once one lasts a millisecond, and stay short when datagrams come again', () => {
    const times = new QuietTimes();
    const nowNs = come(times, 65 * MICROSECOND_NS, 50);
    expect(times.areShort(nowNs + MILLISECOND_NS - 1)).toBe(true);
    expect(times.areShort(nowNs + MILLISECOND_NS)).toBe(false);
    times.end(nowNs + 50 * MILLISECOND_NS);
    times.begin(nowNs + 50 * MILLISECOND_NS);
    expect(times.areShort(nowNs + 50 * MILLISECOND_NS)).toBe(true);
  });

  it('go on through deadlines that are met meanwhile, and count from the end of the work', () => {
    const times = new QuietTimes();
    let nowNs = 0;
    for (let datagram = 0; datagram < 50; datagram++) {
      // 10 us of quiet after 5 ms of work.
      times.begin(nowNs);
      times.end(nowNs + 10 * MICROSECOND_NS);
      times.end(nowNs + 5 * MILLISECOND_NS);
      nowNs += 5 * MILLISECOND_NS + 10 * MICROSECOND_NS;
    }
    times.begin(nowNs);
    expect(times.areShort(nowNs)).toBe(true);
    for (let deadline = 1; deadline <= 10; deadline++) times.begin(nowNs + deadline * 100 * MICROSECOND_NS);
    expect(times.areShort(nowNs + MILLISECOND_NS)).toBe(false);
  });
});
