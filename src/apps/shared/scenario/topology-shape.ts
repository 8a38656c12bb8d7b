// Tested by test/apps/shared/scenario/topology.test.ts
import { z } from 'zod';
import { choice, integer, text } from '../../../base/value-kind.js';
import { BUILTIN_COUNTS, BUILTIN_GROUPS, BUILTIN_TOPOLOGIES, type Count } from '../../../switch/builtin-topologies.js';
import { MAX_HOST_ID } from '../../../wire/layout.js';
import { FAILOVER_DELAY } from '../link-settings.js';
import { LINK_SETTINGS, type Settings, settingShape } from './setting-shapes.js';
import { list, mapping, refusal, written } from './written.js';

/** A topology by name: counts, settings of all links, of those at hosts and of those between switches. */
export interface BuiltinTopologyDocument {
  readonly name: string;
  readonly spread?: string;
  readonly failoverDelay?: number;
  readonly [countSettingOrGroup: string]: unknown;
}

/** Hosts, switches and links one by one, as in topology files. */
export interface ExplicitTopologyDocument {
  readonly name: typeof EXPLICIT;
  readonly hosts: readonly { readonly id: number; readonly name?: string }[];
  readonly switches: readonly { readonly name: string }[];
  readonly links: readonly ExplicitLink[];
  readonly defaults?: Settings;
  readonly spread?: string;
  readonly failoverDelay?: number;
}

export interface ExplicitLink {
  readonly a: string;
  readonly b: string;
  readonly name?: string;
  readonly [setting: string]: string | undefined;
}

export type TopologyDocument = BuiltinTopologyDocument | ExplicitTopologyDocument;

/** What `name` is of a topology whose hosts and links are listed. */
export const EXPLICIT = 'explicit';

/** What a scenario has that says nothing else. */
export const DEFAULT_TOPOLOGY = 'dumbbell';

/** More links than this fit in no memory (ours: 65,534 hosts and their fabric). */
const MAX_LINKS = 131_072;

const NAME = text('a name');
const SPREADS = ['flow', 'path'] as const;
const SPREAD = written(choice(SPREADS), {
  words: SPREADS,
  describe: 'By what frames choose among equal paths',
  fallback: 'flow',
}).optional();

const FAILOVER = written(FAILOVER_DELAY, {
  describe: 'How long a link between switches is dead before paths avoid it, and live before they use it again',
  fallback: '10ms',
}).optional();

function countField({ fallback, min, max }: Count, name: string): z.ZodType {
  return written(integer({ lowest: min, highest: max }), {
    describe: `How many ${name} there are`,
    fallback: String(fallback),
  }).optional();
}

/** Links that may have settings of their own. */
const GROUPS: Readonly<Record<string, string>> = {
  edge: 'Settings of the links at hosts',
  core: 'Settings of the links between switches',
  aggregation: 'Settings of the links between ToR and aggregation switches, where they are not those of core',
};

function builtinShape(name: string) {
  const counts = Object.entries(BUILTIN_COUNTS[name]).map(([key, count]) => [key, countField(count, key)]);
  return mapping({
    name: z.literal(name),
    ...Object.fromEntries(counts),
    ...settingShape(),
    ...Object.fromEntries(
      BUILTIN_GROUPS[name].map((group) => [group, LINK_SETTINGS.optional().meta({ description: GROUPS[group] })]),
    ),
    spread: SPREAD,
    failoverDelay: FAILOVER,
  });
}

const EXPLICIT_SHAPE = mapping({
  name: z.literal(EXPLICIT),
  hosts: list(
    mapping({
      id: written(integer({ lowest: 1, highest: MAX_HOST_ID }), { describe: 'Id of the host' }),
      name: written(NAME, { describe: 'Name of the host', fallback: 'h and the id' }).optional(),
    }),
    { describe: 'Hosts', most: MAX_HOST_ID },
  ),
  switches: list(mapping({ name: written(NAME, { describe: 'Name of the switch' }) }), {
    describe: 'Switches',
    most: 1024,
  }),
  links: list(
    mapping({
      a: written(text('a host or switch'), { describe: 'One end' }),
      b: written(text('a host or switch'), { describe: 'The other end' }),
      name: written(NAME, { describe: 'Name of the link', fallback: 'l and its number from 1' }).optional(),
      ...settingShape(),
    }),
    { describe: 'Links; each host has exactly one, to a switch', most: MAX_LINKS },
  ),
  defaults: LINK_SETTINGS.optional().meta({ description: 'Settings of all links that do not say otherwise' }),
  spread: SPREAD,
  failoverDelay: FAILOVER,
});

const NAMES_ALLOWED = `${BUILTIN_TOPOLOGIES.join(', ')}; or hosts, switches and links one by one`;

const SHAPES = z.discriminatedUnion('name', [EXPLICIT_SHAPE, ...BUILTIN_TOPOLOGIES.map(builtinShape)], {
  error: ({ code, input }) =>
    code === 'invalid_union'
      ? refusal((input as { name?: unknown }).name, NAMES_ALLOWED)
      : refusal(input, NAMES_ALLOWED),
});

/** A topology: the name of a built-in one, a mapping with its name, counts and settings, or hosts, switches and links. */
export const TOPOLOGY_SHAPE = z.preprocess(withName, SHAPES) as unknown as z.ZodType<TopologyDocument>;

function withName(value: unknown): unknown {
  if (typeof value === 'string' && value !== '') return { name: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'name' in value) return value;
  const isExplicit = 'switches' in value || 'links' in value || ('hosts' in value && Array.isArray(value.hosts));
  return { name: isExplicit ? EXPLICIT : DEFAULT_TOPOLOGY, ...value };
}
