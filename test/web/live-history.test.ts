import { describe, expect, it } from 'vitest';
import { type LiveFlow, type LiveSample, PORT_NUMBERS } from '../../src/report/live-data.js';
import { LiveHistory, percentile } from '../../src/web/live-history.js';

const flow = (name: string, bytes: number, rttNs = 0): LiveFlow => ({
  ...{ name, bytes, rttNs, algorithm: 'steady', rateBps: 0, state: {} },
});
const port = (dataBytes: number): number[] => PORT_NUMBERS.map((name) => (name === 'dataBytes' ? dataBytes : 7));
const sampleAt = (at: number, flows: readonly LiveFlow[]): LiveSample => ({
  ...{ atMs: at * 100, ports: [port(at * 12_500)], flows },
});

function filled(samples: number, flowsAt: (at: number) => LiveFlow[]): LiveHistory {
  const history = new LiveHistory();
  for (let at = 0; at < samples; at++) history.add(sampleAt(at, flowsAt(at)));
  return history;
}

describe('the history of a live page', () => {
  it('makes rates of counts, and an index of fairness of rates', () => {
    const history = filled(20, (at) => [flow('a', at * 1000), flow('b', at * 3000)]);
    expect(history.flows.get('a')?.goodputBps.at(-1)).toBeCloseTo(80e3);
    expect(history.ports[0].loadBps.at(-1)).toBeCloseTo(1e6);
    expect(history.jain.at(-1)).toBeCloseTo(16 / 20);
    expect(history.numbers(0)).toMatchObject({ dataBytes: 19 * 12_500, dataFrames: 7 });
  });

  it('gives percentiles of the round trips of all flows', () => {
    const history = filled(10, () => [flow('a', 0, 1e6), flow('b', 0, 5e6), flow('c', 0)]);
    expect(history.rttNs.map((line) => line.at(-1))).toEqual([1e6, 5e6, 5e6]);
    expect(percentile([], 0.5)).toBeNull();
  });

  it('keeps a minute, and forgets a flow that is gone for as long', () => {
    const history = filled(1300, (at) => (at < 100 ? [flow('a', at), flow('b', at)] : [flow('b', at)]));
    expect(history.timesS).toHaveLength(600);
    expect([...history.flows.keys()]).toEqual(['b']);
    expect(history.flows.get('b')?.goodputBps).toHaveLength(600);
    expect(history.ports[0].loadBps).toHaveLength(600);
  });

  it('draws nothing where a flow began anew or nobody was told anything', () => {
    const history = filled(12, (at) => [flow('a', at < 11 ? at * 1000 : 5)]);
    expect(history.flows.get('a')?.goodputBps.at(-1)).toBeNull();
    history.add(sampleAt(500, [flow('a', 9e6)]));
    expect(history.ports[0].queueBytes.slice(-2)).toEqual([null, 7]);
  });
});
