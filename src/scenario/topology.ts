import { ConfigError, misfit, type Path } from '../base/config-error.js';
import { builtinCounts, builtinGroups, builtinTopology } from '../switch/builtin-topologies.js';
import { checkTopology, type Topology } from '../switch/topology.js';
import { type LinkTexts, linkFields } from './link-text.js';
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
const DEFAULT_SETTINGS: LinkTexts = { rate: '10gbit', delay: '4us' };

/** The topology that a document asks for. Throws a ConfigError. */
export function topologyOf(document: TopologyDocument): Topology {
  try {
    return isExplicit(document) ? explicit(document) : builtin(document);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw misfit(PATH, `cannot be built: ${error.message}`, [...PATH, ...error.path]);
  }
}

function isExplicit(document: TopologyDocument): document is ExplicitTopologyDocument {
  return document.name === EXPLICIT;
}

function builtin(document: BuiltinTopologyDocument): Topology {
  const { name, spread, failoverDelay: failoverDelayNs } = document;
  const fields = linkFields({ ...DEFAULT_SETTINGS, ...document });
  // Sizes in frames depend on the frame size, which the settings of all links may give.
  const own = (group: string) => linkFields(document[group] ?? {}, fields.maxFrameBytes);
  return builtinTopology(name, {
    ...Object.fromEntries(builtinCounts(name).map((count) => [count.name, document[count.name]])),
    ...fields,
    ...Object.fromEntries(builtinGroups(name).map((group) => [group, own(group)])),
    spread,
    failoverDelayNs,
  });
}

function explicit(document: ExplicitTopologyDocument): Topology {
  const { hosts, switches, defaults, spread, failoverDelay: failoverDelayNs } = document;
  const common = { ...DEFAULT_SETTINGS, ...defaults };
  const links = document.links.map((link) => {
    return { a: link.a, b: link.b, name: link.name, ...linkFields({ ...common, ...link }) };
  });
  return checkTopology({ hosts, switches, links, spread, failoverDelayNs });
}
