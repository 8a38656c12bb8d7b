import { type ConfigError, listNames, misfit, type Path } from '../base/config-error.js';
import type { Topology, TopologyLink } from '../switch/topology.js';
import { suggestion } from './nearest.js';

/** The names that a topology's links go by: the link's own, for both directions, and `from->to` of each. */
export class LinkNames {
  private readonly links: ReadonlyMap<string, TopologyLink>;
  private readonly directions: ReadonlyMap<string, TopologyLink>;

  constructor({ links }: Topology) {
    this.links = new Map(links.map((link) => [link.name, link]));
    this.directions = directionsOf(links);
  }

  /** Throws a ConfigError unless each is the name of one direction. */
  checkDirections(names: readonly string[], path: Path): void {
    names.forEach((name, index) => {
      if (!this.directions.has(name)) throw unknown(name, [...path, index], [...this.directions.keys()]);
    });
  }

  /** The link that a name, its own or that of a direction, belongs to. Throws a ConfigError. */
  find(name: string, path: Path): TopologyLink {
    const link = this.links.get(name) ?? this.directions.get(name);
    if (link !== undefined) return link;
    throw unknown(name, path, [...this.links.keys(), ...this.directions.keys()]);
  }
}

/** The names of all directions, in the order of the links. */
export function directionNames({ links }: Topology): string[] {
  return [...directionsOf(links).keys()];
}

/** Both directions of each link of which one is named. */
export function bothDirections({ links }: Topology, names: readonly string[]): string[] {
  const directions = directionsOf(links);
  const wanted = new Set(names.map((name) => directions.get(name)));
  return [...directions].filter(([, link]) => wanted.has(link)).map(([name]) => name);
}

function unknown(name: string, path: Path, names: readonly string[]): ConfigError {
  return misfit(
    path,
    `is '${name}', and there is no such link${suggestion(name, names)}; allowed: ${listNames(names)}`,
  );
}

/** As the fabric names them: of parallel links the later ones have the link's own name besides. */
function directionsOf(links: readonly TopologyLink[]): ReadonlyMap<string, TopologyLink> {
  const directions = new Map<string, TopologyLink>();
  for (const link of links) {
    for (const name of [`${link.a}->${link.b}`, `${link.b}->${link.a}`]) {
      directions.set(directions.has(name) ? `${name}#${link.name}` : name, link);
    }
  }
  return directions;
}
