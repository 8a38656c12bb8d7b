import { Fault } from '../../../src/services/file/fault.js';
import { parseDigest, parseFileHeader } from '../../../src/services/file/file-header.js';
import { encodeMessage, MAX_MESSAGE_BYTES, type Message, MessageDecoder } from '../../../src/services/file/message.js';
import { parseVerdict } from '../../../src/services/file/verdict.js';
import { parseHeader } from '../../../src/services/perf/messages.js';
import { parseResults } from '../../../src/services/perf/results.js';
import { must, type Target } from '../engine/target.js';

const SAMPLES: readonly Message[] = [
  { kind: 'file', name: 'a.txt', bytes: 3, mode: 420 },
  { kind: 'digest', sha256: '0'.repeat(64) },
  { kind: 'verdict', ok: true, code: 'ok', message: 'it is', sha256: null },
  { kind: 'perf', role: 'data', test: 'a1', index: 0 },
];

const PERF_REQUEST: Message = {
  kind: 'perf',
  role: 'control',
  test: 'a1',
  direction: 'forward',
  flows: 1,
  durationNs: 1e9,
  bytes: null,
  omitNs: 0,
  window: 'dctcp',
  windowParameters: {},
  share: { weight: 2, creditClass: 'low' },
};

/** A message, split anywhere: it decodes to the same, and each reader of it takes it or names a fault. */
export const messages: Target = {
  name: 'messages',
  seeds: () => [...SAMPLES, PERF_REQUEST].map((message) => Uint8Array.from([3, ...encodeMessage(message)])),
  words: [
    'kind',
    'file',
    'digest',
    'verdict',
    'perf',
    'role',
    'control',
    '"',
    '{',
    '}',
    ':',
    'null',
    '1e9',
    '[]',
    '\\u0000',
  ],
  maxBytes: 2_048,
  run: (input) => {
    const [step = 0] = input;
    const stream = input.subarray(1);
    const result = decoded(stream, stream.length);
    const split = decoded(stream, 1 + step);
    must(JSON.stringify(split) === JSON.stringify(result), 'it makes no difference how it comes');
    if (result === null || result instanceof Fault) return;
    for (const parse of [parseFileHeader, parseDigest, parseVerdict, parseHeader]) parse(result);
    parseResults(result, 1);
    const again = encodeMessage(result);
    if (again.length > MAX_MESSAGE_BYTES) return;
    const repeated = decoded(again, again.length);
    must(JSON.stringify(repeated) === JSON.stringify(result), 'what is written reads back');
  },
};

function decoded(stream: Uint8Array, step: number): Message | Fault | null {
  const decoder = new MessageDecoder();
  for (let at = 0; at < stream.length; at += step) {
    const end = decoder.push(stream.subarray(at, at + step), 0);
    must(end <= step, 'no more is taken than comes');
    if (decoder.result !== null) break;
  }
  return decoder.result;
}
