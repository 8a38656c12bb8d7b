// Tested by test/scenario/faults.test.ts
import { z } from 'zod';
import { duration, rate } from '../base/quantities.js';
import { FLAG } from '../base/value-kind.js';
import { HOSTS_ALLOWED } from './host-list.js';
import { DRIFT_PPM, TIME_OR_NEVER } from './kinds.js';
import { linkShape } from './setting-shapes.js';
import { list, mapping, refusal, written, writtenFlag, writtenList } from './written.js';

/** Ours: more than a fault a millisecond for a minute. */
const MAX_FAULTS = 100_000;

const AT = written(duration(), { describe: 'When it happens' });
const LINKS_ALLOWED = "a link, or one direction of one as 'left->right', or a list of these";

const LINK = mapping({
  kind: z.literal('link'),
  at: AT,
  link: writtenList(LINKS_ALLOWED, { describe: 'The links that change' }),
  for: written(duration({ lowest: 1 }), {
    describe: 'After this the settings are again those of the topology',
    fallback: 'until another fault',
  }).optional(),
  up: writtenFlag(FLAG, { describe: 'The opposite of down' }).optional(),
  clear: writtenFlag(FLAG, { describe: 'Takes all impairments away, before what else is said here' }).optional(),
  ...linkShape(),
});

const RESTART = mapping({
  kind: z.literal('restart'),
  at: AT,
  restart: writtenList('a switch, or a list of switches', {
    describe: 'The switches that lose all frames and start anew',
  }),
  for: written(duration(), { describe: 'How long they take', fallback: '0' }).optional(),
});

const CRASH = mapping({
  kind: z.literal('crash'),
  at: AT,
  crash: writtenList(HOSTS_ALLOWED, { describe: 'The hosts that forget everything' }),
  for: written(TIME_OR_NEVER, { describe: 'After this they are back', fallback: 'never' }).optional(),
});

const READER = mapping({
  kind: z.literal('reader'),
  at: AT,
  reader: writtenList(HOSTS_ALLOWED, { describe: 'The hosts whose programs read what arrives at another rate' }),
  rate: written(rate({ unlimited: true }), { describe: 'How fast they read' }),
  for: written(duration({ lowest: 1 }), {
    describe: 'After this they read at once again',
    fallback: 'until another fault',
  }).optional(),
});

const CLOCK = mapping({
  kind: z.literal('clock'),
  at: AT,
  clock: writtenList(HOSTS_ALLOWED, { describe: 'The hosts whose clocks change their rate' }),
  drift: written(DRIFT_PPM, { describe: 'How much faster they run than they should' }),
});

/** Each kind has the key of its name, which says what it befalls, so that the kind need not be named. */
const KINDS = ['link', 'restart', 'crash', 'reader', 'clock'] as const;
const ALLOWED = `a mapping with one of ${KINDS.join(', ')}`;

const FAULT = z.preprocess(
  withKind,
  z.discriminatedUnion('kind', [LINK, RESTART, CRASH, READER, CLOCK], {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? refusal((input as { kind?: unknown }).kind, KINDS.join(', '))
        : refusal(input, ALLOWED),
  }),
);

export type FaultDocument = z.output<typeof FAULT>;

export const FAULTS_SHAPE = list(FAULT, { describe: 'What goes wrong, or right again, and when', most: MAX_FAULTS });

function withKind(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'kind' in value) return value;
  const kind = KINDS.find((key) => key in value);
  return kind === undefined ? value : { kind, ...value };
}
