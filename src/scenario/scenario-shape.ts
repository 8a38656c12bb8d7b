// Tested by test/scenario/parse-scenario.test.ts
import { z } from 'zod';
import { duration } from '../base/quantities.js';
import { choice, FLAG, integer, text } from '../base/value-kind.js';
import { FAULTS_SHAPE } from './fault-shape.js';
import { ALGORITHM, HOSTS_SHAPE, PARAMETERS } from './host-shape.js';
import { AUTO_FLAG, MAX_SEED } from './kinds.js';
import { DEFAULT_TOPOLOGY, TOPOLOGY_SHAPE } from './topology-shape.js';
import { FLOWS_SHAPE } from './traffic-shape.js';
import { list, mapping, written, writtenFlag } from './written.js';

/** An hour of virtual time (ours): what runs longer is a mistake of a unit. */
const RUN_TIME = duration({ lowest: 1_000, highest: 3.6e12 });
/** Directions, windows and samples that a report still shows (ours). */
const MAX_LISTED = 10_000;
const MAX_WINDOWS = 16;

/** What holds when a scenario says nothing. Where two are named, the second is for flows without an end. */
export const DEFAULTS = {
  name: 'scenario',
  seed: 1,
  /** Ends with the flows, so this only bounds a run in which something is stuck; ours. */
  finiteDurationNs: 10e9,
  /** Ours: a thousand RTTs of 100 us. */
  endlessDurationNs: 100e6,
  /** As in the authors' runs of one bottleneck, measured from 20 to 60 ms. */
  warmUpPart: 1 / 3,
  /** Those in which the papers' figures of fairness are given. */
  jainWindowsNs: [1e6, 10e6],
  /** As many as a plot of rates can tell apart (ours). */
  maxFlows: 64,
} as const;

const LINK_DIRECTION = text("a direction of a link, such as 'left->right'");

const PROBES = mapping(
  {
    interval: written(duration(), {
      describe: 'Time between two samples of the series; 0: none are taken',
      fallback: '0; with --csv or --report a 500th of the duration',
    }).optional(),
    links: list(written(LINK_DIRECTION, { describe: 'A direction of a link' }), {
      describe: 'Directions whose queues are sampled; none: the bottlenecks, or the busiest',
      most: MAX_LISTED,
    }).optional(),
    maxFlows: written(integer({ highest: MAX_LISTED }), {
      describe: 'How many flows at most have series of their own, the first ones',
      fallback: String(DEFAULTS.maxFlows),
    }).optional(),
  },
  'What is sampled along the way, for plots',
);

const TIES = ['deadlines', 'places'] as const;
const PAYLOADS = ['lengths', 'bytes'] as const;

/** A scenario file. */
export const SCENARIO_SHAPE = mapping({
  $schema: z.string().optional().meta({ description: 'Where this schema is, for editors; not read' }),
  name: written(text('a name'), { describe: 'Name in the results', fallback: "the file's name" }).optional(),
  seed: written(integer({ highest: MAX_SEED }), {
    describe: 'All chance of the run comes from it; --seed overrides it',
    fallback: String(DEFAULTS.seed),
  }).optional(),
  duration: written(RUN_TIME, {
    describe: 'How long the run lasts at most',
    fallback: '10s where every flow has an end, else 100ms',
  }).optional(),
  warmUp: written(duration(), {
    describe: 'Rates, queues and fairness are measured from here to the end',
    fallback: '0 where every flow has an end, else a third of the duration',
  }).optional(),
  endsWithFlows: writtenFlag(AUTO_FLAG, {
    describe: 'Whether the run ends as soon as all flows that have an end have ended; auto: if every flow has one',
    fallback: 'auto',
  }).optional(),
  algorithm: ALGORITHM.optional(),
  parameters: PARAMETERS.optional(),
  topology: TOPOLOGY_SHAPE.optional().meta({ description: `Hosts, switches and links. Default: ${DEFAULT_TOPOLOGY}.` }),
  bottlenecks: list(written(LINK_DIRECTION, { describe: 'A direction of a link' }), {
    describe: 'Directions whose lowest utilisation is that of the run; none: the highest of all',
    most: MAX_LISTED,
  }).optional(),
  hosts: HOSTS_SHAPE.optional(),
  flows: FLOWS_SHAPE,
  faults: FAULTS_SHAPE.optional(),
  jainWindows: list(written(duration({ lowest: 1_000 }), { describe: 'Length of a window' }), {
    describe:
      "Windows over which Jain's index is taken and averaged; the first is that of the result. Default: 1ms, 10ms",
    most: MAX_WINDOWS,
  })
    .min(1, { error: 'is empty; allowed: at least one window' })
    .optional(),
  probes: PROBES.optional(),
  payload: written(choice(PAYLOADS), {
    words: PAYLOADS,
    describe: 'Whether data frames carry bytes, which are then checked where they arrive',
    fallback: 'lengths',
  }).optional(),
  ties: written(choice(TIES), {
    words: TIES,
    describe:
      'Order of events at one time: by when their deadlines were set, or by place in the topology. xpass sim --threads needs places',
    fallback: 'deadlines',
  }).optional(),
  slowdowns: writtenFlag(FLAG, {
    describe: 'Whether each flow with an end is played alone too, to know how much longer it takes beside others',
    fallback: 'true',
  }).optional(),
});

export type ScenarioDocument = z.output<typeof SCENARIO_SHAPE>;
