// Tested by test/scenario/hosts.test.ts
import { z } from 'zod';
import { duration } from '../base/quantities.js';
import { settingsOf } from '../base/setting.js';
import { choice } from '../base/value-kind.js';
import { ALGORITHM_CONSTANT, ALGORITHM_NAMES } from '../core/algorithms.js';
import { ENDPOINT_SETTINGS } from '../core/config.js';
import { SIMULATION_CONFIG } from '../sim/endpoint-defaults.js';
import { PORT_SETTINGS } from '../switch/link-settings.js';
import { MAX_HOST_ID } from '../wire/layout.js';
import { HOSTS_ALLOWED } from './host-list.js';
import { DRIFT_PPM } from './kinds.js';
import type { LinkTexts } from './link-text.js';
import { ENDPOINT_SHAPE, linkShape } from './setting-shapes.js';
import { list, mapping, refusal, written, writtenList } from './written.js';

const JITTER = ENDPOINT_SETTINGS.jitter;

/** What some hosts have in common. */
export interface HostGroupDocument {
  readonly hosts?: readonly string[];
  readonly algorithm?: string;
  readonly parameters?: Readonly<Record<string, number>>;
  readonly jitter?: number;
  readonly endpoint?: Readonly<Record<string, number | undefined>>;
  readonly nic?: LinkTexts;
  readonly processing?: { readonly delay?: number; readonly jitter?: number; readonly work?: number };
  readonly clockDrift?: number;
}

export const ALGORITHM = written(choice(ALGORITHM_NAMES), {
  words: ALGORITHM_NAMES,
  describe: 'Credit algorithm for the flows that these hosts receive, or window algorithm for those that they send',
  fallback: SIMULATION_CONFIG.creditAlgorithm,
});

const CONSTANTS_ALLOWED = 'a mapping of constants of the algorithm by name';

/** Which names there are depends on the algorithm: checked where both are known. */
export const PARAMETERS = z
  .record(z.string(), written(ALGORITHM_CONSTANT, { describe: 'A constant of the algorithm' }), {
    error: ({ input }) => refusal(input, CONSTANTS_ALLOWED),
  })
  .meta({ description: 'Constants of the algorithm by name, where they are not the defaults' });

/** More groups than hosts say nothing new. */
const MAX_GROUPS = MAX_HOST_ID;
/** Ours: a host that takes longer over a frame is not a host. */
const PROCESSING = duration({ highest: 1e9 });

const GROUP = mapping({
  hosts: writtenList(HOSTS_ALLOWED, { describe: 'The hosts of the group', fallback: 'all' }).optional(),
  algorithm: ALGORITHM.optional(),
  parameters: PARAMETERS.optional(),
  jitter: written(JITTER.kind, { describe: JITTER.meaning, fallback: String(SIMULATION_CONFIG.jitter) }).optional(),
  endpoint: mapping(ENDPOINT_SHAPE, 'Constants of the endpoint, where they are not the defaults').optional(),
  nic: mapping(
    linkShape(settingsOf(PORT_SETTINGS)),
    'Settings of the NIC that sends into the link, where they are not those of the link',
  ).optional(),
  processing: mapping(
    {
      delay: written(PROCESSING, {
        describe: 'How long a host takes over each frame that arrives',
        fallback: '0',
      }).optional(),
      jitter: written(PROCESSING, { describe: 'And up to this much longer, uniform', fallback: '0' }).optional(),
      work: written(PROCESSING, {
        describe: 'Before that, how long its core is busy with each, one after the other: a slow host',
        fallback: '0',
      }).optional(),
    },
    'Time between the arrival of a frame and what the host does about it',
  ).optional(),
  clockDrift: written(DRIFT_PPM, {
    describe: 'How much faster the clocks run than they should',
    fallback: '0ppm',
  }).optional(),
});

/** The groups of hosts of a scenario. */
export const HOSTS_SHAPE = list(GROUP, {
  describe: 'Groups of hosts; what a later group says overrides the earlier ones',
  most: MAX_GROUPS,
}) as unknown as z.ZodType<readonly HostGroupDocument[]>;
