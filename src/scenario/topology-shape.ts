// Tested by test/scenario/topology.test.ts
import { z } from 'zod';
import { type CheckedKind, text } from '../base/value-kind.js';
import { BUILTIN_TOPOLOGIES, builtinCounts, builtinGroups, type Count } from '../switch/builtin-topologies.js';
import { HOST_ID, MAX_SWITCHES, type Spread, TOPOLOGY_SETTINGS } from '../switch/topology.js';
import { MAX_HOST_ID } from '../wire/layout.js';
import type { LinkTexts } from './link-text.js';
import { LINK_MAPPING, linkShape } from './setting-shapes.js';
import { list, mapping, refusal, written } from './written.js';

/** What both forms of a topology say besides. */
interface RoutingDocument {
  readonly spread?: Spread | undefined;
  readonly failoverDelay?: number | undefined;
}

/** A topology by name: counts, settings of all links, of those at hosts and of those between switches. */
export interface BuiltinTopologyDocument extends RoutingDocument {
  readonly name: string;
  readonly [countSettingOrGroup: string]: unknown;
}

/** Hosts, switches and links one by one, as in topology files. */
export interface ExplicitTopologyDocument extends RoutingDocument {
  readonly name: typeof EXPLICIT;
  readonly hosts: readonly { readonly id: number; readonly name?: string | undefined }[];
  readonly switches: readonly { readonly name: string }[];
  readonly links: readonly ExplicitLink[];
  readonly defaults?: LinkTexts | undefined;
}

/** A link with its settings. */
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
const { spread, failoverDelayNs } = TOPOLOGY_SETTINGS;

const ROUTING = {
  spread: written(spread.kind as CheckedKind<Spread>, {
    words: ['flow', 'path'],
    describe: spread.meaning,
    fallback: spread.default,
  }).optional(),
  failoverDelay: written(failoverDelayNs.kind, {
    describe: failoverDelayNs.meaning,
    fallback: failoverDelayNs.kind.format(failoverDelayNs.default),
  }).optional(),
};

function countField({ kind, meaning, default: usual }: Count): z.ZodType {
  return written(kind, { describe: meaning, fallback: String(usual) }).optional();
}

/** Links that may have settings of their own. */
const GROUPS: Readonly<Record<string, string>> = {
  edge: 'Settings of the links at hosts',
  core: 'Settings of the links between switches',
  aggregation: 'Settings of the links between ToR and aggregation switches, where they are not those of core',
};

function builtinShape(name: string) {
  return mapping({
    name: z.literal(name),
    ...Object.fromEntries(builtinCounts(name).map((count) => [count.name, countField(count)])),
    ...linkShape(),
    ...Object.fromEntries(
      builtinGroups(name).map((group) => [group, LINK_MAPPING.optional().meta({ description: GROUPS[group] })]),
    ),
    ...ROUTING,
  });
}

/** Hosts, switches and links one by one, here and in topology files. */
export const EXPLICIT_FIELDS = {
  hosts: list(
    mapping({
      id: written(HOST_ID, { describe: 'Id of the host' }),
      name: written(NAME, { describe: 'Name of the host', fallback: 'h and the id' }).optional(),
    }),
    { describe: 'Hosts', most: MAX_HOST_ID },
  ),
  switches: list(mapping({ name: written(NAME, { describe: 'Name of the switch' }) }), {
    describe: 'Switches',
    most: MAX_SWITCHES,
  }),
  links: list(
    mapping({
      a: written(text('a host or switch'), { describe: 'One end' }),
      b: written(text('a host or switch'), { describe: 'The other end' }),
      name: written(NAME, { describe: 'Name of the link', fallback: 'l and its number from 1' }).optional(),
      ...linkShape(),
    }),
    { describe: 'Links; each host has exactly one, to a switch', most: MAX_LINKS },
  ),
  defaults: LINK_MAPPING.optional().meta({ description: 'Settings of all links that do not say otherwise' }),
  ...ROUTING,
};

const NAMES_ALLOWED = `${BUILTIN_TOPOLOGIES.join(', ')}; or hosts, switches and links one by one`;

const SHAPES = z.discriminatedUnion(
  'name',
  [mapping({ name: z.literal(EXPLICIT), ...EXPLICIT_FIELDS }), ...BUILTIN_TOPOLOGIES.map(builtinShape)],
  {
    error: ({ code, input }) =>
      code === 'invalid_union'
        ? refusal((input as { name?: unknown }).name, NAMES_ALLOWED)
        : refusal(input, NAMES_ALLOWED),
  },
);

/** A topology: the name of a built-in one, a mapping with its name, counts and settings, or hosts, switches and links. */
export const TOPOLOGY_SHAPE = z.preprocess(withName, SHAPES) as unknown as z.ZodType<TopologyDocument>;

function withName(value: unknown): unknown {
  if (typeof value === 'string' && value !== '') return { name: value };
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'name' in value) return value;
  const isExplicit = 'switches' in value || 'links' in value || ('hosts' in value && Array.isArray(value.hosts));
  return { name: isExplicit ? EXPLICIT : DEFAULT_TOPOLOGY, ...value };
}
