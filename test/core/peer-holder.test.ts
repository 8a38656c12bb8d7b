import { describe, expect, it } from 'vitest';
import { XpassError } from '../../src/base/errors.js';
import { EndpointBench } from '../harness/endpoint-bench.js';
import { FLOW_PEER } from '../harness/flow-context.js';
import { RecordingWriter } from '../harness/sender-bench.js';

function bed(changes = {}) {
  const held = new Map<number, number>();
  const count = (by: number) => (peer: number) => void held.set(peer, (held.get(peer) ?? 0) + by);
  const bench = new EndpointBench(changes, { hold: count(1), release: count(-1) });
  return { bench, held };
}

describe('the numbers of peers', () => {
  it('are held by the flows of both directions, once for each, until those are forgotten', () => {
    const { bench, held } = bed();
    const ours = bench.endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0);
    bench.request(9);
    bench.request(10, { peer: FLOW_PEER + 1 });
    expect([...held]).toEqual([
      [FLOW_PEER, 2],
      [FLOW_PEER + 1, 1],
    ]);
    ours.close(new XpassError('reset', 'the test is over'));
    bench.reset(9, false);
    bench.endpoint.closeAll(0);
    expect([...held.values()]).toEqual([0, 0]);
  });

  it('are held while a complete flow lingers', () => {
    const { bench, held } = bed({ lingerNs: 1e9 });
    bench.request(9);
    bench.fin(9);
    expect([bench.endpoint.flowCount, bench.endpoint.lingeringCount, held.get(FLOW_PEER)]).toEqual([0, 1, 1]);
    bench.wait(2e9);
    expect([bench.endpoint.lingeringCount, held.get(FLOW_PEER)]).toEqual([0, 0]);
  });

  it('are not held by flows that were refused', () => {
    const { bench, held } = bed({ maxFlows: 1 });
    bench.onAccept = () => false;
    bench.request(9);
    expect(held.get(FLOW_PEER)).toBe(0);
    bench.request(9, { maxFrameBytes: 60_000 });
    expect(held.get(FLOW_PEER)).toBe(0);
  });
});
