// Tested by test/scenario/traffic.test.ts
import { z } from 'zod';
import { duration, fraction, rate, size } from '../base/quantities.js';
import { choice, decimal, integer, text } from '../base/value-kind.js';
import { CREDIT_CLASSES, MAX_WEIGHT } from '../core/flow-terms.js';
import { WINDOW_ALGORITHMS } from '../core/window/registry.js';
import { WORKLOAD_NAMES } from '../sim/traffic/workloads.js';
import { HOSTS_ALLOWED } from './host-list.js';
import { FLOW_BYTES, TIME_OR_NEVER } from './kinds.js';
import { list, mapping, refusal, written, writtenList } from './written.js';

/** Flows of one run (ours): a million of them take about a GiB. */
export const MAX_FLOWS = 1_000_000;
/** Entries and points that a person or a program still looks through (ours). */
const MAX_ENTRIES = 100_000;
const MAX_POINTS = 10_000;

const COUNT = integer({ lowest: 1, highest: MAX_FLOWS });

/** What a flow says whose sender has a window algorithm and which has none itself. */
export const CREDITS = 'credits';
const FLOW_ALGORITHMS = [CREDITS, ...WINDOW_ALGORITHMS.map(({ name }) => name)];

const BASE = {
  group: written(text('a word'), {
    describe: 'Name in the results; flows of one group are compared with each other',
    fallback: 'the kind',
  }).optional(),
  start: written(duration(), { describe: 'When the flows start', fallback: '0' }).optional(),
  startJitter: written(duration(), {
    describe: 'Each flow starts up to this much later, uniform',
    fallback: '0',
  }).optional(),
  algorithm: written(choice(FLOW_ALGORITHMS), {
    words: FLOW_ALGORITHMS,
    describe: 'Window algorithm of the flows, or credits, which are ruled by the algorithm of their receiver',
    fallback: 'that of the sender',
  }).optional(),
  weight: written(integer({ lowest: 1, highest: MAX_WEIGHT }), {
    describe: "Share of each flow's credits against those of a flow of weight 1",
    fallback: '1',
  }).optional(),
  class: written(choice(CREDIT_CLASSES), {
    words: CREDIT_CLASSES,
    describe: "Class of the flows' credits",
    fallback: 'high',
  }).optional(),
};

const ENDLESS_BYTES = written(FLOW_BYTES, { describe: 'Bytes of each flow', fallback: 'endless' }).optional();
const FLOW_COUNT = written(COUNT, { describe: 'How many such flows there are', fallback: '1' }).optional();
const STOP = written(TIME_OR_NEVER, {
  describe: 'When the senders give the flows no more data',
  fallback: 'never',
}).optional();

function hosts(describe: string, fallback?: string): z.ZodType<string[]> {
  return writtenList(HOSTS_ALLOWED, { describe, ...(fallback !== undefined && { fallback }) });
}

const FLOW = mapping({
  kind: z.literal('flow'),
  from: hosts('The senders; as many as receivers, or one'),
  to: hosts('The receivers; as many as senders, or one'),
  bytes: ENDLESS_BYTES,
  count: FLOW_COUNT,
  stop: STOP,
  ...BASE,
});

const PAIRS = mapping({
  kind: z.literal('pairs'),
  hosts: hosts('Hosts both of whose ends have to be among, for a pair to count', 'all').optional(),
  bytes: ENDLESS_BYTES,
  count: FLOW_COUNT,
  stop: STOP,
  ...BASE,
});

const PERMUTATION = mapping({
  kind: z.literal('permutation'),
  hosts: hosts('Each of them sends to another of them', 'all').optional(),
  bytes: ENDLESS_BYTES,
  ...BASE,
});

const INCAST = mapping({
  kind: z.literal('incast'),
  from: hosts('The senders', 'all but the receiver').optional(),
  to: hosts('The receiver'),
  bytes: ENDLESS_BYTES,
  rounds: written(COUNT, { describe: 'How often each sender sends a flow', fallback: '1' }).optional(),
  every: written(duration({ lowest: 1 }), { describe: 'Time between two rounds' }).optional(),
  ...BASE,
});

const SHUFFLE = mapping({
  kind: z.literal('shuffle'),
  hosts: hosts('Every task of every host sends to every task of every other', 'all').optional(),
  tasks: written(integer({ lowest: 1, highest: 1000 }), { describe: 'Tasks of each host', fallback: '1' }).optional(),
  bytes: written(size({ lowest: 1 }), { describe: 'Bytes of each flow', fallback: '1MB' }).optional(),
  rounds: written(COUNT, {
    describe: 'How often each task sends to each other, the next time when the message before has arrived',
    fallback: '1',
  }).optional(),
  ...BASE,
});

const POINT = z.tuple(
  [written(size(), { describe: 'Bytes' }), written(fraction(), { describe: 'Cumulative probability' })],
  {
    error: ({ input }) => refusal(input, 'a size and a cumulative probability, as [1500, 0.2]'),
  },
);

const POISSON = mapping({
  kind: z.literal('poisson'),
  from: hosts('The senders', 'all').optional(),
  to: hosts('The receivers', 'all').optional(),
  workload: written(choice(WORKLOAD_NAMES), {
    words: WORKLOAD_NAMES,
    describe: 'Sizes of the flows, by a table of the papers',
  }).optional(),
  file: written(text('a CSV file of bytes,probability lines'), {
    describe: 'Sizes of the flows, by a table; the path counts from the scenario file',
  }).optional(),
  points: list(POINT, {
    describe: 'Sizes of the flows: ascending bytes and cumulative probability, linear between',
    most: MAX_POINTS,
  }).optional(),
  load: written(decimal({ lowest: 1e-6, highest: 100 }), { describe: 'Part of loadRate that the flows offer' }),
  loadRate: written(rate(), {
    describe: 'What the load is a part of',
    fallback: 'the sum of the rates of the links of the senders',
  }).optional(),
  flows: written(COUNT, { describe: 'How many flows arrive', fallback: '1000' }).optional(),
  ...BASE,
});

const KINDS = ['flow', 'pairs', 'permutation', 'incast', 'shuffle', 'poisson'] as const;
const KINDS_ALLOWED = KINDS.join(', ');

const ENTRY = z.preprocess(
  withKind,
  z.discriminatedUnion('kind', [FLOW, PAIRS, PERMUTATION, INCAST, SHUFFLE, POISSON], {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? refusal((input as { kind?: unknown }).kind, KINDS_ALLOWED)
        : refusal(input, `a mapping with a kind: ${KINDS_ALLOWED}`),
  }),
);

export type TrafficDocument = z.output<typeof ENTRY>;

export const FLOWS_SHAPE = list(ENTRY, { describe: 'Flows, and patterns of flows', most: MAX_ENTRIES }).min(1, {
  error: 'is empty; allowed: at least one entry',
});

/** Keys that only one kind has, so that it need not be named. */
const TELLING_KEYS: readonly (readonly [key: string, kind: (typeof KINDS)[number]])[] = [
  ['load', 'poisson'],
  ['tasks', 'shuffle'],
  ['rounds', 'incast'],
  ['from', 'flow'],
];

function withKind(value: unknown): unknown {
  if (typeof value === 'string') return { kind: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'kind' in value) return value;
  const kind = TELLING_KEYS.find(([key]) => key in value)?.[1];
  return kind === undefined ? value : { kind, ...value };
}
