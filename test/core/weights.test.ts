import { afterEach, describe, expect, it, vi } from 'vitest';
import { crc32 } from '../../src/base/crc32.js';
import { SeededRandom } from '../../src/base/random.js';
import { type EndpointConfig, endpointConfig } from '../../src/core/config.js';
import { naive } from '../../src/core/credit/expresspass.js';
import { Endpoint } from '../../src/core/endpoint.js';
import type { ShareOptions } from '../../src/core/flow-terms.js';
import { creditRateCode, creditSequence, flags, frameType } from '../../src/wire/decode.js';
import { encodeData, seal } from '../../src/wire/encode.js';
import { type Frame, FramePool } from '../../src/wire/frame.js';
import { CreditRequest, Reset } from '../../src/wire/frames.js';
import { CreditFlag, FrameType, HOP_BITS, RequestFlag, ResetCode } from '../../src/wire/layout.js';
import { codeOfRate } from '../../src/wire/rate-code.js';
import { FLOW_PEER, incoming } from '../harness/flow-context.js';
import { RecordingReader } from '../harness/receiver-bench.js';
import { RecordingWriter } from '../harness/sender-bench.js';

afterEach(() => {
  vi.restoreAllMocks();
  Reflect.deleteProperty(naive, 'takesWeights');
});

/** `naive` stands for a rule that gives weights. */
function giveWeights() {
  Reflect.set(naive, 'takesWeights', true);
  return vi.spyOn(naive, 'create');
}

function newEndpoint(changes: Partial<EndpointConfig> = {}): Endpoint {
  const pool = new FramePool(() => new Uint8Array(2_048), 16);
  const config = endpointConfig({ jitter: 0, rateBps: 1e9, creditAlgorithm: 'naive', ...changes });
  const application = { acceptFlow: () => new RecordingReader() };
  return new Endpoint(config, { random: new SeededRandom(1), check: crc32, pool, application });
}

function request(endpoint: Endpoint, weight: number, moreFlags = 0): void {
  const header = { destination: 0, source: 0, flowId: 7 };
  const fields = {
    flags: RequestFlag.open | moreFlags,
    sentOffset: 0,
    probe: 1,
    maxFrameBytes: 1_472,
    pairedFlowId: 0,
  };
  const frame = incoming((bytes) => CreditRequest.encode(bytes, header, { ...fields, backlog: 1e6, weight }, crc32));
  frame.peer = FLOW_PEER;
  endpoint.handleFrame(frame, 0);
}

/** A frame of one byte that echoes a credit. */
function dataOf(endpoint: Endpoint, credit: number, explicitRate: number, nowNs: number): void {
  const header = { destination: 0, source: 0, flowId: 7 };
  const fields = { creditSequence: credit, explicitRate, offset: 0, unused: 0, flags: 0, pathId: 0 };
  const frame = incoming((bytes) => seal(bytes, encodeData(bytes, header, fields) + 1, crc32));
  frame.peer = FLOW_PEER;
  endpoint.handleFrame(frame, nowNs);
}

function output(endpoint: Endpoint, nowNs = 0): Frame[] {
  endpoint.advance(nowNs);
  const frames: Frame[] = [];
  for (let frame = endpoint.poll(); frame !== null; frame = endpoint.poll()) frames.push(frame);
  return frames;
}

describe('the weight of a flow', () => {
  it('reaches the credit algorithm of its receiver', () => {
    const create = giveWeights();
    const endpoint = newEndpoint();
    request(endpoint, 3);
    expect(create.mock.calls.map(([, , , weight]) => weight)).toEqual([3]);
    expect(endpoint.counters.weightsLimited).toBe(0);
  });

  it('multiplies the rate that is offered, while credits name that of one flow', () => {
    const endpoint = newEndpoint({ creditAlgorithm: 'steady' });
    request(endpoint, 3);
    const explicitRate = (codeOfRate(300e6) << HOP_BITS) | 2;
    // Answers each credit after 0.1 ms, for some round trips.
    let credits: Frame[] = [];
    for (let nowNs = 0; nowNs < 2e6; nowNs += 1e5) {
      for (const { bytes } of credits) dataOf(endpoint, creditSequence(bytes), explicitRate, nowNs);
      credits = output(endpoint, nowNs).filter(({ bytes }) => frameType(bytes) === FrameType.credit);
    }
    expect(new Set(credits.map(({ bytes }) => creditRateCode(bytes)))).toEqual(new Set([codeOfRate(300e6)]));
    // 900 Mbit/s, at 13,008 bits a credit
    expect(Math.abs(credits.length - (900e6 * 1e-4) / 13_008)).toBeLessThanOrEqual(1);
  });

  it('is bounded by the receiver, and counted', () => {
    const create = giveWeights();
    const endpoint = newEndpoint({ maxWeight: 5 });
    request(endpoint, 200);
    expect(create.mock.calls.map(([, , , weight]) => weight)).toEqual([5]);
    expect(endpoint.counters.weightsLimited).toBe(1);
  });

  it('is refused where the algorithm gives none, unless the receiver allows none anyway', () => {
    const endpoint = newEndpoint();
    request(endpoint, 2);
    expect(endpoint.flowCount).toBe(0);
    expect(output(endpoint).map(({ bytes }) => [frameType(bytes), Reset.read.code(bytes)])).toEqual([
      [FrameType.reset, ResetCode.weight],
    ]);
    const bounded = newEndpoint({ maxWeight: 1 });
    request(bounded, 2);
    expect(bounded.flowCount).toBe(1);
  });

  it('of 0 is invalid', () => {
    const endpoint = newEndpoint();
    request(endpoint, 0);
    expect(endpoint.counters.invalid).toBe(1);
  });

  it('ends the flow of who asked with an error of that name', () => {
    const writer = new RecordingWriter();
    const flow = newEndpoint().open(FLOW_PEER, writer, { weight: 2 }, 0);
    flow.handleReset(ResetCode.weight);
    expect(writer.events).toEqual(['closed weight']);
  });
});

describe('an opening', () => {
  const opened = (options: ShareOptions & { windowAlgorithm?: string }) => {
    const endpoint = newEndpoint();
    endpoint.open(FLOW_PEER, new RecordingWriter(), options, 0).write(new Uint8Array(1), 0);
    const [frame] = output(endpoint);
    return { weight: CreditRequest.read.weight(frame.bytes), flags: flags(frame.bytes) & RequestFlag.lowClass };
  };

  it('says weight and class', () => {
    expect(opened({})).toEqual({ weight: 1, flags: 0 });
    expect(opened({ weight: 255, creditClass: 'high' })).toEqual({ weight: 255, flags: 0 });
    expect(opened({ creditClass: 'low' })).toEqual({ weight: 1, flags: RequestFlag.lowClass });
  });

  it.each([0, 256, 1.5, Number.NaN])('refuses a weight of %s', (weight) => {
    expect(() => opened({ weight })).toThrow(`weight is ${weight}: it must be a whole number from 1 to 255`);
  });

  it('refuses a class that there is not, which programs without types can name', () => {
    const creditClass = JSON.parse('"LOW"') as 'low';
    expect(() => opened({ creditClass })).toThrow('creditClass is LOW: it must be high or low');
  });

  it('refuses either for a flow without credits', () => {
    expect(() => opened({ windowAlgorithm: 'dctcp', weight: 2 })).toThrow('flows with credits');
    expect(() => opened({ windowAlgorithm: 'dctcp', creditClass: 'low' })).toThrow('flows with credits');
    expect(() => opened({ windowAlgorithm: 'dctcp', creditClass: 'high', weight: 1 })).not.toThrow();
  });
});

it.each([
  ['high', 0, 0],
  ['low', RequestFlag.lowClass, CreditFlag.lowClass],
])('credits of the %s class say so', (_, requestFlags, creditFlags) => {
  const endpoint = newEndpoint();
  request(endpoint, 1, requestFlags);
  const credits = output(endpoint, 1e5).filter(({ bytes }) => frameType(bytes) === FrameType.credit);
  expect(credits.length).toBeGreaterThan(1);
  expect(new Set(credits.map(({ bytes }) => flags(bytes)))).toEqual(new Set([creditFlags]));
});
