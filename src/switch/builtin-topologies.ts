import { ConfigError, checkObject, showValue } from '../base/config-error.js';
import { checkValue, type Setting } from '../base/setting.js';
import { integer, type NumberKind } from '../base/value-kind.js';
import { MAX_HOP_LIMIT, MAX_HOST_ID } from '../wire/layout.js';
import { LINK_FIELDS, type LinkFields } from './link-settings.js';
import { checkTopology, MAX_SWITCHES, type Topology, type TopologyDraft } from './topology.js';
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
export interface Count extends Setting<number> {
  readonly kind: NumberKind;
  readonly default: number;
}

interface Builtin {
  readonly counts: readonly Count[];
  readonly build: (counts: Counts, settings: Settings) => Draft;
  /** Groups of links that may have settings of their own: LINK_GROUPS where it is not given. */
  readonly groups?: readonly (keyof Settings)[];
  /** What is wrong with counts that are each within their bounds, as the rest of a sentence; null for nothing. */
  readonly fault?: (counts: Counts) => string | null;
}

const LINK_GROUPS = ['edge', 'core'] as const;
const MAX_HOSTS = MAX_HOST_ID;
/** A chain of more switches than this is longer than the hop limit. */
const MAX_BOTTLENECKS = MAX_HOP_LIMIT - 1;
/** The sizes of ExpressPass 2017, section 6.3, for the fat tree; ours for the others. */
const SOURCE = 'ours; ExpressPass 2017, section 6.3';

function count(name: string, [value, highest]: readonly [number, number], meaning: string): Count {
  return { name, kind: integer({ lowest: 1, highest }), default: value, meaning, source: SOURCE };
}

const BOTTLENECKS = count('bottlenecks', [2, MAX_BOTTLENECKS], 'links that the longest flows share');

const BUILTINS: Readonly<Record<string, Builtin>> = {
  star: { counts: [count('hosts', [8, MAX_HOSTS], 'hosts at the switch')], build: star },
  dumbbell: { counts: [count('pairs', [4, MAX_HOSTS / 2], 'hosts on each side')], build: dumbbell },
  'parking-lot': { counts: [BOTTLENECKS], build: parkingLot },
  'multi-bottleneck': {
    counts: [BOTTLENECKS, count('receivers', [4, MAX_HOSTS - 2], 'hosts behind all bottlenecks')],
    build: multiBottleneck,
  },
  'leaf-spine': {
    counts: [
      count('leaves', [4, 500], 'switches with hosts'),
      count('spines', [2, 256], 'switches that join the leaves'),
      count('hostsPerLeaf', [4, 1000], 'hosts at each leaf'),
    ],
    build: leafSpine,
    fault: ({ leaves, hostsPerLeaf }) => tooMany(leaves * hostsPerLeaf, 'hosts', MAX_HOSTS),
  },
  'fat-tree': {
    counts: [
      count('pods', [8, 256], 'groups of ToR and aggregation switches'),
      count('coreSwitches', [8, 256], 'switches that join the pods'),
      count('aggregationPerPod', [2, 256], 'aggregation switches in each pod'),
      count('torsPerPod', [4, 256], 'ToR switches in each pod'),
      count('hostsPerTor', [6, 1000], 'hosts at each ToR switch'),
    ],
    build: fatTree,
    groups: [...LINK_GROUPS, 'aggregation'],
    fault: fatTreeFault,
  },
};

export const BUILTIN_TOPOLOGIES: readonly string[] = Object.keys(BUILTINS);

/** The counts of a built-in topology. */
export function builtinCounts(name: string): readonly Count[] {
  return BUILTINS[name].counts;
}

/** The groups of links of a built-in topology that may have settings of their own. */
export function builtinGroups(name: string): readonly string[] {
  return BUILTINS[name].groups ?? LINK_GROUPS;
}

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
 * all of them. The fat-tree's numbers are those of ExpressPass 2017, Section 6.3: 192 hosts, over-subscribed 3 to 1 at the ToR switches. Its ToR
 * switches have links to the `agg` switches of their pod, these to the `core` switches; `aggregation: {...}` has settings of the former where they
 * differ from `core`.
 *
 * Throws a ConfigError that says what is allowed.
 */
export function builtinTopology(name: string, parameters: unknown = {}): Topology {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin === undefined) {
    throw new ConfigError(`unknown topology ${showValue(name)}; allowed: ${BUILTIN_TOPOLOGIES.join(', ')}`);
  }
  const what = `topology '${name}'`;
  const countNames = builtin.counts.map((each) => each.name);
  const allowed = [...countNames, ...LINK_FIELDS, ...builtinGroups(name), 'spread', 'failoverDelayNs'];
  const { spread, failoverDelayNs, ...fields } = checkObject(parameters, what, allowed) as Parameters;
  const counts = checkCounts(builtin, fields, what);
  const group = (key: string): LinkFields => checkObject(fields[key] ?? {}, `${key} of ${what}`, LINK_FIELDS);
  const core = group('core');
  const settings = { edge: group('edge'), core, aggregation: { ...core, ...group('aggregation') } };
  const defaults: LinkFields = Object.fromEntries(Object.entries(fields).filter(([key]) => LINK_FIELDS.includes(key)));
  return checkTopology({ ...builtin.build(counts, settings), defaults, spread, failoverDelayNs });
}

/** Fields whose names are checked and whose values are not. */
type Parameters = Pick<TopologyDraft, 'spread' | 'failoverDelayNs'> & Record<string, unknown>;

function checkCounts({ counts: declared, fault }: Builtin, fields: Record<string, unknown>, what: string): Counts {
  const entries = declared.map(({ name, kind, default: usual }) => {
    return [name, checkValue(kind, fields[name] ?? usual, `${name} of ${what}`, [name])] as const;
  });
  const counts = Object.fromEntries(entries);
  const found = fault?.(counts) ?? null;
  if (found !== null) throw new ConfigError(`${what} ${found}`);
  return counts;
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
