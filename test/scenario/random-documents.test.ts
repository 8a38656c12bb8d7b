import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/base/config-error.js';
import { scenarioJsonSchema } from '../../src/scenario/json-schema.js';
import { parseScenario } from '../../src/scenario/parse-scenario.js';
import { fieldsOf, type Schema } from '../harness/schema-fields.js';
import { allowLongRuns, holds } from '../harness/seeds.js';

const NAMES = [...new Set(fieldsOf(scenarioJsonSchema() as Schema))];
const WORDS = [
  'all',
  '1',
  '2-',
  'h3',
  'left->right',
  'h1',
  'pairs',
  'star',
  'naive',
  '10gbit',
  '5us',
  '1MB',
  '3',
  '0',
  '5%',
  'true',
  '20frames',
  'endless',
  'explicit',
  '__proto__',
];

const value = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double(),
);
const { document } = fc.letrec((tie) => ({
  document: fc.oneof(
    { depthSize: 'medium' },
    value,
    fc.array(tie('document'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('document'), { maxKeys: 5 }),
  ),
}));

/** A scenario that is right, in which one thing at a random place is another. */
const WHOLE = {
  seed: 1,
  duration: '1ms',
  algorithm: 'steady',
  parameters: { lean: 0.3 },
  topology: { name: 'dumbbell', pairs: 2, edge: { rate: '1gbit' }, spread: 'flow' },
  bottlenecks: ['left->right'],
  hosts: [
    { hosts: '1-2', jitter: 0.1, nic: { creditQueue: 4 }, endpoint: { ackDelay: '1us' }, processing: { delay: '1us' } },
  ],
  flows: [
    { from: 1, to: 3, bytes: 10 },
    { kind: 'incast', to: 1 },
    { load: 1, workload: 'web-server' },
    { kind: 'pairs' },
  ],
  faults: [
    { at: 0, link: 'h1', down: true },
    { at: 0, crash: 1, for: '1us' },
    { at: 0, clock: 1, drift: 3 },
  ],
  jainWindows: ['1ms'],
  probes: { interval: '1us', links: ['h1->left'] },
};

function replaced(from: unknown, path: readonly number[], by: unknown): unknown {
  if (typeof from !== 'object' || from === null || path.length === 0) return by;
  const keys = Object.keys(from);
  const key = keys[path[0] % keys.length];
  const inner = replaced((from as Record<string, unknown>)[key], path.slice(1), by);
  return Array.isArray(from) ? from.with(Number(key), inner) : { ...from, [key]: inner };
}

/** Anything else that is thrown is a bug. */
function isTakenOrRefused(given: unknown): void {
  try {
    parseScenario(given);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
  }
}

allowLongRuns();

describe('documents that nobody would write', () => {
  it('are taken or refused with a sentence', () => {
    holds(document, 300, isTakenOrRefused);
    holds(fc.dictionary(fc.constantFrom(...NAMES), document), 300, (fields) => {
      isTakenOrRefused({ flows: ['pairs'], ...fields });
    });
  });

  it('are taken or refused where one thing is another than it should be', () => {
    parseScenario(WHOLE);
    const change = fc.tuple(fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), document);
    holds(change, 1000, ([path, by]) => isTakenOrRefused(replaced(WHOLE, path, by)));
  });
});
