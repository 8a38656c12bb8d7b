import { describe, expect, it } from 'vitest';
import { WindowCounter } from '../../../src/apps/lab/flow-sink.js';

describe('WindowCounter', () => {
  it('counts from the first window in which something came, and keeps empty ones in between', () => {
    const counter = new WindowCounter(100);
    counter.add(10, 250);
    counter.add(5, 299);
    counter.add(7, 300);
    counter.add(1, 599);
    expect(counter.counts()).toEqual({ windowNs: 100, first: 2, bytes: [15, 7, 0, 1] });
  });

  it('is empty where nothing came', () => {
    expect(new WindowCounter(100).counts()).toEqual({ windowNs: 100, first: 0, bytes: [] });
  });
});
