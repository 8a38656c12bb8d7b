import { expect, it } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { MILLISECOND_NS, NEVER, SECOND_NS } from '../../src/base/time.js';
import { endpointConfig } from '../../src/core/config.js';
import { Endpoint } from '../../src/core/endpoint.js';
import { encodeFin, encodeRequest } from '../../src/wire/encode.js';
import { FramePool } from '../../src/wire/frame.js';
import { FLOW_PEER, incoming } from '../harness/flow-context.js';
import { RecordingReader } from '../harness/receiver-bench.js';

const HEADER = { destination: 0, source: 0, flowId: 1 };
const REQUEST = {
  flags: 1,
  sentOffset: 0,
  probe: 1,
  maxFrameBytes: 1_472,
  pairedFlowId: 0,
  backlog: 2 ** 31,
  weight: 1,
};

/** A host whose only flow has been opened at 0. */
function hostOf(timerSlackNs: number): Endpoint {
  const pool = new FramePool(() => new Uint8Array(2_048), 16);
  const config = endpointConfig({ jitter: 0, rateBps: 1e9, creditAlgorithm: 'naive', timerSlackNs });
  const application = { acceptFlow: () => new RecordingReader() };
  const endpoint = new Endpoint(config, { random: new SeededRandom(1), check: crc32, pool, application });
  give(endpoint, (bytes) => encodeRequest(bytes, HEADER, REQUEST, crc32));
  return endpoint;
}

/** The same, complete, so that it waits for nothing but to be forgotten. */
function lingeringHostOf(timerSlackNs: number): Endpoint {
  const endpoint = hostOf(timerSlackNs);
  give(endpoint, (bytes) => encodeFin(bytes, HEADER, { finalOffset: 0, probe: 2, unused: 0 }, crc32));
  // Timers of before that were put off.
  endpoint.advance(SECOND_NS);
  return endpoint;
}

function give(endpoint: Endpoint, write: (bytes: Uint8Array) => number): void {
  const frame = incoming(write);
  frame.peer = FLOW_PEER;
  endpoint.handleFrame(frame, 0);
}

it('is added to the time of the earliest timer', () => {
  expect(lingeringHostOf(0).nextTimeout()).toBe(2 * SECOND_NS);
  expect(lingeringHostOf(MILLISECOND_NS).nextTimeout()).toBe(2 * SECOND_NS + MILLISECOND_NS);
});

it('keeps no timer from its time where something else brings the host round then', () => {
  const host = lingeringHostOf(MILLISECOND_NS);
  host.advance(2 * SECOND_NS - 1);
  expect(host.lingeringCount).toBe(1);
  host.advance(2 * SECOND_NS);
  expect([host.lingeringCount, host.nextTimeout()]).toEqual([0, NEVER]);
});

it('is not for credits', () => {
  const [exact, lax] = [0, MILLISECOND_NS].map((timerSlackNs) => {
    const host = hostOf(timerSlackNs);
    host.advance(0);
    return host.nextTimeout();
  });
  expect(exact).toBeGreaterThan(0);
  expect(exact).toBeLessThan(MILLISECOND_NS);
  expect(lax).toBe(exact);
});
