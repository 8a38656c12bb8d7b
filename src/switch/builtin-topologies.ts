import { MAX_HOP_LIMIT, MAX_HOST_ID } from '../wire/layout.js';
import { ConfigError, checkObject, showValue } from './config-error.js';
import { checkNumber, IMPAIRMENT_FIELDS, PORT_FIELDS } from './field-rules.js';
import { checkTopology, MAX_SWITCHES, type Topology } from './topology.js';
import {
  type Counts,
  type Draft,
  dumbbell,
  fatTree,
  leafSpine,
  multiBottleneck,
  parkingLot,
  type Settings,
  star,
} from './topology-shapes.js';

/** How many of something a built-in topology has. */
export interface Count {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

interface Builtin {
  readonly counts: Readonly<Record<string, Count>>;
  readonly build: (counts: Counts, settings: Settings) => Draft;
  /** Groups of links that may have settings of their own: LINK_GROUPS where it is not given. */
  readonly groups?: readonly (keyof Settings)[];
  /** What is wrong with counts that are each within their bounds, as the rest of a sentence; null for nothing. */
  readonly fault?: (counts: Counts) => string | null;
}

const SETTING_FIELDS = [...PORT_FIELDS, ...IMPAIRMENT_FIELDS];
const LINK_GROUPS = ['edge', 'core'] as const;
const MAX_HOSTS = MAX_HOST_ID;
/** A chain of more switches than this is longer than the hop limit. */
const MAX_BOTTLENECKS = MAX_HOP_LIMIT - 1;

const BUILTINS: Readonly<Record<string, Builtin>> = {
  star: { counts: { hosts: { fallback: 8, min: 1, max: MAX_HOSTS } }, build: star },
  dumbbell: { counts: { pairs: { fallback: 4, min: 1, max: MAX_HOSTS / 2 } }, build: dumbbell },
  'parking-lot': { counts: { bottlenecks: { fallback: 2, min: 1, max: MAX_BOTTLENECKS } }, build: parkingLot },
  'multi-bottleneck': {
    counts: {
      bottlenecks: { fallback: 2, min: 1, max: MAX_BOTTLENECKS },
      receivers: { fallback: 4, min: 1, max: MAX_HOSTS - 2 },
    },
    build: multiBottleneck,
  },
  'leaf-spine': {
    counts: {
      leaves: { fallback: 4, min: 1, max: 500 },
      spines: { fallback: 2, min: 1, max: 256 },
      hostsPerLeaf: { fallback: 4, min: 1, max: 1000 },
    },
    build: leafSpine,
    fault: ({ leaves, hostsPerLeaf }) => tooMany(leaves * hostsPerLeaf, 'hosts', MAX_HOSTS),
  },
  'fat-tree': {
    counts: {
      pods: { fallback: 8, min: 1, max: 256 },
      coreSwitches: { fallback: 8, min: 1, max: 256 },
      aggregationPerPod: { fallback: 2, min: 1, max: 256 },
      torsPerPod: { fallback: 4, min: 1, max: 256 },
      hostsPerTor: { fallback: 6, min: 1, max: 1000 },
    },
    build: fatTree,
    groups: [...LINK_GROUPS, 'aggregation'],
    fault: fatTreeFault,
  },
};

export const BUILTIN_TOPOLOGIES: readonly string[] = Object.keys(BUILTINS);

/** The counts of each built-in topology by name, for files and options that take them. */
export const BUILTIN_COUNTS: Readonly<Record<string, Readonly<Record<string, Count>>>> = Object.fromEntries(
  Object.entries(BUILTINS).map(([name, { counts }]) => [name, counts]),
);

/** The groups of links of each that may have settings of their own. */
export const BUILTIN_GROUPS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(BUILTINS).map(([name, { groups = LINK_GROUPS }]) => [name, groups]),
);

/**
 * A topology by name. Parameters are the counts below, any settings of ports and impairments for all links, `edge: {...}` for settings of the links
 * at hosts alone, `core: {...}` for those between switches alone, `spread` and `failoverDelayNs`.
 *
 * | name | counts | hosts |
 * |---|---|---|
 * | star | hosts (8) | 1 to n at switch `s1` |
 * | dumbbell | pairs (4) | 1 to n at switch `left`, n + 1 to 2n at `right`; host i's partner is n + i |
 * | parking-lot | bottlenecks (2) | chain `s1` to `s(n+1)`; host 1 at its start and 2 at its end; 2i + 1 and 2i + 2 at the ends of its link i |
 * | multi-bottleneck | bottlenecks (2), receivers (4) | chain `s1` to `sn`; 1, which sends, and 2 at its start; the receivers, from 3, at its end |
 * | leaf-spine | leaves (4), spines (2), hostsPerLeaf (4) | 1 to k at `leaf1`, k + 1 to 2k at `leaf2`, ...; each leaf has a link to each `spine` |
 * | fat-tree | pods (8), coreSwitches (8), aggregationPerPod (2), torsPerPod (4), hostsPerTor (6) | 1 to k at `tor1`, k + 1 to 2k at `tor2`, ... |
 *
 * In multi-bottleneck the link of host 1 is the first bottleneck and has the core settings; flows from 1 to 2 cross it alone, those to the receivers
 * all of them. The fat-tree's numbers are those of ExpressPass 2017, Section 6.3: 192 hosts, over-subscribed 3 to 1 at the ToR switches. Its ToR switches have links to the
 * `agg` switches of their pod, these to the `core` switches; `aggregation: {...}` has settings of the former where they differ from `core`.
 *
 * Throws a ConfigError that says what is allowed.
 */
export function builtinTopology(name: string, parameters: unknown = {}): Topology {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin === undefined) {
    throw new ConfigError(`unknown topology ${showValue(name)}; allowed: ${BUILTIN_TOPOLOGIES.join(', ')}`);
  }
  const what = `topology '${name}'`;
  const groups = builtin.groups ?? LINK_GROUPS;
  const allowed = [...Object.keys(builtin.counts), ...SETTING_FIELDS, ...groups, 'spread', 'failoverDelayNs'];
  const fields = checkObject(parameters, what, allowed);
  const counts = checkCounts(builtin, fields, what);
  const group = (key: string) => checkObject(fields[key] ?? {}, `${key} of ${what}`, SETTING_FIELDS);
  const core = group('core');
  const settings = { edge: group('edge'), core, aggregation: { ...core, ...group('aggregation') } };
  const defaults = Object.fromEntries(SETTING_FIELDS.filter((key) => key in fields).map((key) => [key, fields[key]]));
  const { spread, failoverDelayNs } = fields;
  return checkTopology({ ...builtin.build(counts, settings), defaults, spread, failoverDelayNs });
}

function checkCounts(builtin: Builtin, fields: Readonly<Record<string, unknown>>, what: string): Counts {
  const entries = Object.entries(builtin.counts).map(([key, count]) => {
    return [key, checkCount(fields[key], `${key} of ${what}`, count)] as const;
  });
  const counts = Object.fromEntries(entries);
  const fault = builtin.fault?.(counts) ?? null;
  if (fault !== null) throw new ConfigError(`${what} ${fault}`);
  return counts;
}

function checkCount(value: unknown, what: string, { fallback, min, max }: Count): number {
  return value === undefined ? fallback : checkNumber(value, what, { min, max, integer: true });
}

function fatTreeFault({ pods, coreSwitches, aggregationPerPod, torsPerPod, hostsPerTor }: Counts): string | null {
  if (coreSwitches % aggregationPerPod !== 0) {
    return `has ${coreSwitches} core switches for ${aggregationPerPod} aggregation switches in each pod; allowed: a multiple`;
  }
  const switches = coreSwitches + pods * (aggregationPerPod + torsPerPod);
  return tooMany(switches, 'switches', MAX_SWITCHES) ?? tooMany(pods * torsPerPod * hostsPerTor, 'hosts', MAX_HOSTS);
}

function tooMany(count: number, what: string, max: number): string | null {
  return count > max ? `would have ${count} ${what}; allowed: at most ${max}` : null;
}
