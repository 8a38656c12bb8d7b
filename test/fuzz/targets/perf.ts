import type { Message } from '../../../src/services/file/message.js';
import { MAX_TESTS, PerfService } from '../../../src/services/perf/service.js';
import { perfRequest } from '../../harness/perf-request.js';
import { Input } from '../engine/input.js';
import { must, type Target, textOf } from '../engine/target.js';
import { HostileStream, streamBytes } from './served-stream.js';

const STREAMS = 6;
const TESTS = ['a1', 'a1', 'b2', 'zz', ''];

/** Perf tests on hostile streams: their number is bounded, each has one outcome, and none is left when its streams end. */
export const perf: Target = {
  name: 'perf',
  seeds: () => [
    Uint8Array.from([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 9, 5, 1, 2, 3, 4, 5]),
    Uint8Array.from([0, 0, 0, 0, 1, 1, 5, 0, 0, 2, 0, 0, 15]),
  ],
  words: ['perf', 'perf-results', 'role', 'control', 'data', 'test', 'index', 'flows', 'received', 'sent', 'null'],
  maxBytes: 2_048,
  run: (data) => {
    const input = new Input(data);
    let nowNs = 0;
    let outcomes = 0;
    const service = new PerfService({
      onOutcome: () => {
        outcomes++;
      },
    });
    const streams = Array.from({ length: STREAMS }, (_, index) => new HostileStream(service, index + 1, () => nowNs));
    while (!input.isOver) {
      nowNs += input.u8() * 1e5;
      step(input.pick(streams), input);
      must(service.testCount <= MAX_TESTS, `${service.testCount} tests run`);
    }
    for (const stream of streams) stream.abort();
    must(service.testCount === 0, `${service.testCount} tests are left`);
    must(outcomes <= STREAMS, `${outcomes} outcomes`);
    for (const { answers } of streams) must(answers.length <= 2, 'a test is ready once and has results once');
  },
};

function step(stream: HostileStream, input: Input): void {
  const kind = input.below(16);
  if (kind === 15) stream.end();
  else if (kind === 14) stream.abort();
  else if (kind > 8) stream.push(new Uint8Array(input.u16()));
  else stream.push(streamBytes(input, message));
}

function message(input: Input): Message {
  const test = input.pick(TESTS);
  const kind = input.below(5);
  if (kind === 1) return { kind: 'perf', role: 'data', test, index: input.below(4) };
  if (kind === 2) return { kind: 'perf-results', ...JSON.parse('{"received":null,"sent":null}') };
  if (kind === 3) return { kind: textOf(input.bytes(8)), role: 'control', test };
  return {
    ...perfRequest(1 + input.below(3)),
    test,
    // Forward: a server that sends has flows of its own, which `xpass fuzz` plays.
    durationNs: input.below(4) === 0 ? null : 1e9,
    bytes: input.below(4) === 0 ? input.u16() : null,
    omitNs: input.below(2) * input.u16(),
    window: input.pick(['', 'steady', 'dctcp', 'expresspass', '__proto__', 'constructor']),
    windowParameters: input.below(3) === 0 ? { [input.pick(['initial_rate', 'a', '__proto__'])]: input.u8() } : {},
    ...(input.below(3) === 0 && { share: { weight: input.u8(), creditClass: input.pick(['low', 'high', 'x']) } }),
  };
}
