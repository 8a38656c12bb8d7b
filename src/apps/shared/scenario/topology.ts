import { BUILTIN_COUNTS, BUILTIN_GROUPS, builtinTopology } from '../../../switch/builtin-topologies.js';
import { ConfigError } from '../../../switch/config-error.js';
import { checkTopology, type Topology } from '../../../switch/topology.js';
import { linkFields, type WrittenSetting } from '../link-settings.js';
import { type Path, Problem } from './problem.js';
import { type Settings, writtenSettings } from './setting-shapes.js';
import {
  type BuiltinTopologyDocument,
  EXPLICIT,
  type ExplicitTopologyDocument,
  type TopologyDocument,
} from './topology-shape.js';

const PATH: Path = ['topology'];

/**
 * Settings of links that say nothing: an unlimited link has no credits to meter, so a scenario's links have a rate. 10 Gbit/s and 4 us are those of the
 * authors' parking lot, by which the papers' figures are compared.
 */
const DEFAULT_SETTINGS: readonly WrittenSetting[] = [
  { name: 'rate', text: '10gbit', label: 'rate' },
  { name: 'delay', text: '4us', label: 'delay' },
];

/** The topology that a document asks for. Throws a Problem. */
export function topologyOf(document: TopologyDocument): Topology {
  try {
    return isExplicit(document) ? explicit(document) : builtin(document);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new Problem(PATH, `cannot be built: ${error.message}`, placeOf(error.message, document));
  }
}

/** Where the link or host stands that an error of the switch speaks of first. */
function placeOf(sentence: string, document: TopologyDocument): Path {
  if (!isExplicit(document)) return PATH;
  const [, link, host] = /\blink '([^']+)'|\bhost '([^']+)'/.exec(sentence) ?? [];
  const links = document.links.map(({ name }, index) => name ?? `l${index + 1}`);
  if (link !== undefined) return [...PATH, 'links', links.indexOf(link)];
  const hosts = document.hosts.map(({ id, name }) => name ?? `h${id}`);
  return host === undefined ? PATH : [...PATH, 'hosts', hosts.indexOf(host)];
}

function isExplicit(document: TopologyDocument): document is ExplicitTopologyDocument {
  return document.name === EXPLICIT;
}

function builtin(document: BuiltinTopologyDocument): Topology {
  const counted = Object.keys(BUILTIN_COUNTS[document.name]);
  const all = [...DEFAULT_SETTINGS, ...writtenSettings(document, PATH)];
  // Sizes in frames depend on the frame size, which the settings of all links may give.
  const frames = (fields: object): number | undefined => (fields as { maxFrameBytes?: number }).maxFrameBytes;
  const fields = linkFields(all);
  const own = (group: string) =>
    linkFields(writtenSettings((document[group] as Settings | undefined) ?? {}, [...PATH, group]), frames(fields));
  return builtinTopology(document.name, {
    ...Object.fromEntries(counted.map((key) => [key, document[key]])),
    ...fields,
    ...Object.fromEntries(BUILTIN_GROUPS[document.name].map((group) => [group, own(group)])),
    spread: document.spread,
    failoverDelayNs: document.failoverDelay,
  });
}

function explicit(document: ExplicitTopologyDocument): Topology {
  const { hosts, switches, links, defaults = {}, spread, failoverDelay: failoverDelayNs } = document;
  const common = [...DEFAULT_SETTINGS, ...writtenSettings(defaults, [...PATH, 'defaults'])];
  const drafts = links.map((link, index) => {
    const settings = [...common, ...writtenSettings(link, [...PATH, 'links', index])];
    return { a: link.a, b: link.b, name: link.name, ...linkFields(settings) };
  });
  return checkTopology({ hosts, switches, links: drafts, spread, failoverDelayNs });
}
