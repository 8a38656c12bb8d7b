import { describe, expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { MILLISECOND_NS } from '../../src/base/time.js';
import { endpointConfig } from '../../src/core/config.js';
import { Endpoint } from '../../src/core/endpoint.js';
import { encodeSpeculativeData, seal } from '../../src/wire/encode.js';
import { type Frame, FramePool } from '../../src/wire/frame.js';
import { printFrame } from '../../src/wire/print.js';
import { FLOW_HEADER, FLOW_PEER, incoming } from '../harness/flow-context.js';
import { RecordingWriter } from '../harness/sender-bench.js';

/** Three full frames of 1 Gbit/s. */
function makeEndpoint(): Endpoint {
  const pool = new FramePool(() => new Uint8Array(2_048), 16);
  const config = endpointConfig({ rateBps: 1e9, speculativeRttNs: 40_000 });
  return new Endpoint(config, {
    random: new SeededRandom(1),
    check: crc32,
    pool,
    application: { acceptFlow: () => null },
  });
}

/** Opens a flow and writes so many bytes into it. */
function startFlow(endpoint: Endpoint, bytes: number) {
  const flow = endpoint.open(FLOW_PEER, new RecordingWriter(), {}, 0);
  flow.writeLength(bytes, 0);
  return flow;
}

/** What the endpoint sends until `untilNs`. */
function play(endpoint: Endpoint, untilNs: number): Frame[] {
  const frames: Frame[] = [];
  for (let nowNs = 0; nowNs <= untilNs; nowNs = endpoint.nextTimeout()) {
    endpoint.advance(nowNs);
    for (let frame = endpoint.poll(); frame !== null; frame = endpoint.poll()) frames.push(frame);
  }
  return frames;
}

function isSpeculative(frame: Frame): boolean {
  return printFrame(frame).startsWith('SPECULATIVE_DATA');
}

describe('speculative frames of an endpoint', () => {
  it('leave one after the other at the rate of the link, those of all flows together', () => {
    const endpoint = makeEndpoint();
    for (let count = 0; count < 3; count++) startFlow(endpoint, 10_000);
    const times = play(endpoint, MILLISECOND_NS)
      .filter(isSpeculative)
      .map(({ atNs }) => atNs);
    // Three full frames of each, 1538 wire bytes at 1 Gbit/s.
    expect(times).toEqual(Array.from({ length: 9 }, (_, index) => index * 12_304));
  });

  it('are lost to their flow when the NIC of the host drops them', () => {
    const endpoint = makeEndpoint();
    const flow = startFlow(endpoint, 1_446);
    const frame = play(endpoint, 0).find(isSpeculative) as Frame;
    endpoint.takeBack(frame, 0);
    expect(flow.statistics).toMatchObject({ speculativeFrames: 1, speculativeTakenBack: 1 });
    expect(endpoint.counters.nicDrops).toBe(1);
  });

  it('are dropped without a word where nobody knows their flow, as its opening may be lost', () => {
    const endpoint = makeEndpoint();
    const fields = { offset: 0, flags: 0 };
    const frame = incoming((bytes) => seal(bytes, encodeSpeculativeData(bytes, FLOW_HEADER, fields) + 10, crc32));
    endpoint.handleFrame(frame, 0);
    expect(play(endpoint, 0)).toEqual([]);
    expect(endpoint.counters.unknownFlow).toBe(1);
  });
});
