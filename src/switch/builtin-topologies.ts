import { MAX_HOP_LIMIT } from '../wire/layout.js';
import { ConfigError, checkObject, showValue } from './config-error.js';
import { checkNumber, IMPAIRMENT_FIELDS, PORT_FIELDS } from './field-rules.js';
import { checkTopology, type Topology } from './topology.js';

/** How many of something a built-in topology has. */
export interface Count {
  readonly fallback: number;
  readonly min: number;
  readonly max: number;
}

interface Builtin {
  readonly counts: Readonly<Record<string, Count>>;
  readonly build: (counts: Readonly<Record<string, number>>, settings: Settings) => Draft;
}

/** Settings of the links at hosts and of those between switches. */
interface Settings {
  edge: object;
  core: object;
}

/** What `checkTopology` takes. */
interface Draft {
  hosts: { id: number }[];
  switches: { name: string }[];
  links: object[];
}

const SETTING_FIELDS = [...PORT_FIELDS, ...IMPAIRMENT_FIELDS];
/** Beyond these, ids or memory run out (ours). */
const MAX_HOSTS = 65_534;

const BUILTINS: Readonly<Record<string, Builtin>> = {
  star: { counts: { hosts: { fallback: 8, min: 1, max: MAX_HOSTS } }, build: star },
  dumbbell: { counts: { pairs: { fallback: 4, min: 1, max: MAX_HOSTS / 2 } }, build: dumbbell },
  'parking-lot': { counts: { bottlenecks: { fallback: 2, min: 1, max: MAX_HOP_LIMIT - 1 } }, build: parkingLot },
  'leaf-spine': {
    counts: {
      leaves: { fallback: 4, min: 1, max: 500 },
      spines: { fallback: 2, min: 1, max: 256 },
      hostsPerLeaf: { fallback: 4, min: 1, max: 1000 },
    },
    build: leafSpine,
  },
};

export const BUILTIN_TOPOLOGIES: readonly string[] = Object.keys(BUILTINS);

/** The counts of each built-in topology by name, for files and options that take them. */
export const BUILTIN_COUNTS: Readonly<Record<string, Readonly<Record<string, Count>>>> = Object.fromEntries(
  Object.entries(BUILTINS).map(([name, { counts }]) => [name, counts]),
);

/**
 * A topology by name. Parameters are the counts below, any settings of ports and impairments for all links, `edge: {...}` for settings of the links
 * at hosts alone, `core: {...}` for those between switches alone, and `spread`.
 *
 * | name | counts | hosts |
 * |---|---|---|
 * | star | hosts (8) | 1 to n at switch `s1` |
 * | dumbbell | pairs (4) | 1 to n at switch `left`, n + 1 to 2n at `right`; host i's partner is n + i |
 * | parking-lot | bottlenecks (2) | chain `s1` to `s(n+1)`; host 1 at its start and 2 at its end; 2i + 1 and 2i + 2 at the ends of its link i |
 * | leaf-spine | leaves (4), spines (2), hostsPerLeaf (4) | 1 to k at `leaf1`, k + 1 to 2k at `leaf2`, ...; each leaf has a link to each `spine` |
 *
 * Throws a ConfigError that says what is allowed.
 */
export function builtinTopology(name: string, parameters: unknown = {}): Topology {
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin === undefined) {
    throw new ConfigError(`unknown topology ${showValue(name)}; allowed: ${BUILTIN_TOPOLOGIES.join(', ')}`);
  }
  const what = `topology '${name}'`;
  const counted = Object.keys(builtin.counts);
  const fields = checkObject(parameters, what, [...counted, ...SETTING_FIELDS, 'edge', 'core', 'spread']);
  const counts: Record<string, number> = {};
  for (const key of counted) counts[key] = checkCount(fields[key], `${key} of ${what}`, builtin.counts[key]);
  const settings = {
    edge: checkObject(fields.edge ?? {}, `edge of ${what}`, SETTING_FIELDS),
    core: checkObject(fields.core ?? {}, `core of ${what}`, SETTING_FIELDS),
  };
  const defaults = Object.fromEntries(SETTING_FIELDS.filter((key) => key in fields).map((key) => [key, fields[key]]));
  return checkTopology({ ...builtin.build(counts, settings), defaults, spread: fields.spread });
}

function checkCount(value: unknown, what: string, { fallback, min, max }: Count): number {
  return value === undefined ? fallback : checkNumber(value, what, { min, max, integer: true });
}

function hosts(count: number): { id: number }[] {
  return Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
}

function edgeLink(host: number, at: string, settings: Settings): object {
  return { name: `h${host}`, a: `h${host}`, b: at, ...settings.edge };
}

function coreLink(a: string, b: string, settings: Settings): object {
  return { name: `${a}-${b}`, a, b, ...settings.core };
}

function star(counts: Readonly<Record<string, number>>, settings: Settings): Draft {
  const all = hosts(counts.hosts);
  return { hosts: all, switches: [{ name: 's1' }], links: all.map(({ id }) => edgeLink(id, 's1', settings)) };
}

function dumbbell(counts: Readonly<Record<string, number>>, settings: Settings): Draft {
  const all = hosts(counts.pairs * 2);
  const edges = all.map(({ id }) => edgeLink(id, id <= counts.pairs ? 'left' : 'right', settings));
  return {
    hosts: all,
    switches: [{ name: 'left' }, { name: 'right' }],
    links: [coreLink('left', 'right', settings), ...edges],
  };
}

function parkingLot(counts: Readonly<Record<string, number>>, settings: Settings): Draft {
  const bottlenecks = counts.bottlenecks;
  const links = [edgeLink(1, 's1', settings), edgeLink(2, `s${bottlenecks + 1}`, settings)];
  for (let index = 1; index <= bottlenecks; index++) {
    links.push(coreLink(`s${index}`, `s${index + 1}`, settings));
    links.push(edgeLink(2 * index + 1, `s${index}`, settings), edgeLink(2 * index + 2, `s${index + 1}`, settings));
  }
  const switches = Array.from({ length: bottlenecks + 1 }, (_, index) => ({ name: `s${index + 1}` }));
  return { hosts: hosts(2 * bottlenecks + 2), switches, links };
}

function leafSpine(counts: Readonly<Record<string, number>>, settings: Settings): Draft {
  const perLeaf = counts.hostsPerLeaf;
  const all = hosts(counts.leaves * perLeaf);
  const leaves = Array.from({ length: counts.leaves }, (_, index) => `leaf${index + 1}`);
  const spines = Array.from({ length: counts.spines }, (_, index) => `spine${index + 1}`);
  const edges = all.map(({ id }) => edgeLink(id, leaves[Math.floor((id - 1) / perLeaf)], settings));
  const cores = leaves.flatMap((leaf) => spines.map((spine) => coreLink(leaf, spine, settings)));
  return {
    hosts: all,
    switches: [...leaves, ...spines].map((name) => ({ name })),
    links: [...cores, ...edges],
  };
}
