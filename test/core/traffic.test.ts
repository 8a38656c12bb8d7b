import { describe, expect, it } from 'vitest';
import { type CountedFlow, type FlowSums, Traffic } from '../../src/core/traffic.js';

function flow(payloadBytes: number, terms: Partial<CountedFlow> = {}): CountedFlow {
  return {
    isReceived: true,
    algorithmName: 'steady',
    rttNs: 30_000,
    completionNs: () => 4e6,
    addTo: (sums: FlowSums) => {
      sums.open++;
      sums.payloadBytes += payloadBytes;
      sums.outstanding += 3;
    },
    ...terms,
  };
}

describe('the traffic of an endpoint', () => {
  it('adds flows that are open to those that are over, and only grows', () => {
    const traffic = new Traffic();
    const flows = [flow(100), null, flow(20)];
    expect(traffic.snapshot(flows).flow).toMatchObject([{ open: 2, closed: 0, payloadBytes: 120, outstanding: 6 }]);
    traffic.flowClosed(flows[0] as CountedFlow, 0);
    const after = traffic.snapshot([null, null, flows[2]]);
    expect(after.flow).toMatchObject([{ open: 1, closed: 1, payloadBytes: 120, outstanding: 3 }]);
    expect(traffic.snapshot([null, null, flows[2]])).toEqual(after);
  });

  it('tells directions and algorithms apart; of what is sent it does not know the fate of credits', () => {
    const traffic = new Traffic();
    const rows = traffic.snapshot([
      flow(1),
      flow(2, { algorithmName: 'ec4' }),
      flow(4, { isReceived: false, algorithmName: 'credits' }),
    ]).flow;
    expect(rows.map((row) => [row.direction, row.algorithm, row.payloadBytes, row.used])).toEqual([
      ['sent', 'credits', 4, null],
      ['received', 'steady', 1, 0],
      ['received', 'ec4', 2, 0],
    ]);
  });

  it('puts round-trip and completion times into classes when a flow ends, if they are known', () => {
    const traffic = new Traffic();
    traffic.flowClosed(flow(1), 0);
    traffic.flowClosed(flow(1, { rttNs: 0, completionNs: () => -1 }), 0);
    const { flowRtt, flowCompletion } = traffic.snapshot([]);
    expect(flowRtt.classes.filter(([, count]) => count > 0)).toEqual([[50_000, 1]]);
    expect(flowCompletion.classes.filter(([, count]) => count > 0)).toEqual([[5e6, 1]]);
    expect(flowRtt.classes.at(0)).toEqual([10_000, 0]);
    expect(flowRtt.classes.at(-2)).toEqual([100e9, 0]);
  });
});
