import { listNames, misfit, type Path } from '../base/config-error.js';
import type { Fault } from '../sim/scenario.js';
import { NO_IMPAIRMENT } from '../switch/impairment.js';
import { type LinkFields, linkChanges } from '../switch/link-settings.js';
import type { Topology, TopologyLink } from '../switch/topology.js';
import type { FaultDocument } from './fault-shape.js';
import type { HostList } from './host-list.js';
import type { LinkNames } from './link-names.js';
import { linkFields } from './link-text.js';
import { suggestion } from './nearest.js';

/** What faults are resolved with. */
export interface FaultContext {
  readonly topology: Topology;
  readonly links: LinkNames;
  readonly hosts: HostList;
}

type Entry<K extends FaultDocument['kind']> = Extract<FaultDocument, { kind: K }>;

/** The faults that a document asks for, ordered by time; those of one time in the order of the document. Throws a ConfigError. */
export function faultsOf(entries: readonly FaultDocument[], context: FaultContext): Fault[] {
  const faults = entries.flatMap((entry, index) => new FaultReader(['faults', index], context).read(entry));
  return faults.sort((one, other) => one.atNs - other.atNs);
}

class FaultReader {
  private readonly path: Path;
  private readonly context: FaultContext;

  constructor(path: Path, context: FaultContext) {
    this.path = path;
    this.context = context;
  }

  read(entry: FaultDocument): Fault[] {
    switch (entry.kind) {
      case 'link':
        return this.links(entry);
      case 'restart':
        return this.restarts(entry);
      case 'crash':
        return this.hosts(entry.crash, 'crash').map((host) => {
          return { kind: 'hostCrash', atNs: entry.at, host, forNs: entry.for ?? Number.POSITIVE_INFINITY };
        });
      case 'reader':
        return this.hosts(entry.reader, 'reader').flatMap((host) => readerFaults(entry, host));
      case 'clock':
        return this.hosts(entry.clock, 'clock').map((host) => {
          return { kind: 'clock', atNs: entry.at, host, driftPpm: entry.drift };
        });
    }
  }

  private links(entry: Entry<'link'>): Fault[] {
    return entry.link.flatMap((name) => {
      const link = this.context.links.find(name, [...this.path, 'link']);
      const fields = this.changes(entry, link);
      const change = linkFault(entry.at, name, fields);
      return entry.for === undefined ? [change] : [change, linkFault(entry.at + entry.for, name, before(fields, link))];
    });
  }

  private changes(entry: Entry<'link'>, link: TopologyLink): LinkFields {
    if (entry.up !== undefined && 'down' in entry) {
      throw misfit([...this.path, 'up'], 'stands beside down; allowed: one of them');
    }
    const settings = linkFields(entry, link.port.maxFrameBytes);
    const fields = {
      ...(entry.clear === true && NO_IMPAIRMENT),
      ...(entry.up !== undefined && { down: !entry.up }),
      ...settings,
    };
    if (Object.keys(fields).length > 0) return fields;
    throw misfit(this.path, 'changes nothing; allowed: settings of links, up, down, clear');
  }

  private restarts({ at: atNs, restart, for: forNs = 0 }: Entry<'restart'>): Fault[] {
    const names = this.context.topology.switches.map(({ name }) => name);
    return restart.map((name) => {
      if (names.includes(name)) return { kind: 'switchRestart', atNs, switch: name, forNs };
      const allowed = `${suggestion(name, names)}; allowed: ${listNames(names)}`;
      throw misfit([...this.path, 'restart'], `is '${name}', and there is no such switch${allowed}`);
    });
  }

  private hosts(words: readonly string[], key: string): number[] {
    return this.context.hosts.find(words, [...this.path, key]);
  }
}

function readerFaults({ at: atNs, rate: rateBps, for: forNs }: Entry<'reader'>, host: number): Fault[] {
  const slow: Fault = { kind: 'reader', atNs, host, rateBps };
  if (forNs === undefined) return [slow];
  return [slow, { kind: 'reader', atNs: atNs + forNs, host, rateBps: Number.POSITIVE_INFINITY }];
}

function linkFault(atNs: number, link: string, fields: LinkFields): Fault {
  return { kind: 'link', atNs, link, ...linkChanges(fields, `link '${link}'`) };
}

/** What the topology says of the same fields. */
function before(fields: LinkFields, { port, impairment }: TopologyLink): LinkFields {
  const whole: LinkFields = { ...port, ...NO_IMPAIRMENT, ...impairment };
  return Object.fromEntries(Object.keys(fields).map((field) => [field, whole[field as keyof LinkFields]]));
}
