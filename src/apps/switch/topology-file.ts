import { integer, text, type ValueKind } from '../../base/value-kind.js';
import { address } from '../../net/address-kind.js';
import { ConfigError } from '../../switch/config-error.js';
import { checkTopology, type Topology } from '../../switch/topology.js';
import type { TrunkAddresses } from '../../udp/switch-driver.js';
import { MAX_HOST_ID } from '../../wire/layout.js';
import { FAILOVER_DELAY, linkFields, SETTING_NAMES, type WrittenSetting } from '../shared/link-settings.js';
import { type YamlEntries, type YamlEntry, YamlFile } from '../shared/yaml-file.js';

/** A topology and what the driver needs to know besides. */
export interface LabTopology {
  /** The built-in's name or the file's path, for people. */
  readonly name: string;
  readonly topology: Topology;
  readonly trunks: readonly TrunkAddresses[];
}

const KIND = 'topology file';
const HOST_ID = integer({ lowest: 1, highest: MAX_HOST_ID });
/** Both ends of a trunk name a port: the other process has to know it. */
const TRUNK_ADDRESS = address({ host: '127.0.0.1' });
const TRUNK_NAME = text('a name, the same at both ends');

interface WantedValue<T> {
  readonly key: string;
  readonly kind: ValueKind<T>;
  /** What the value belongs to, and where that stands. */
  readonly what: string;
  readonly at: YamlEntry;
}

/** Reads the topology that a file describes (deploy/README.md). Throws a usage Failure that names the file, the line, the thing and what is allowed. */
export async function readTopologyFile(path: string): Promise<LabTopology> {
  return new TopologyReader(await YamlFile.read(path, KIND)).read();
}

/** The same for text that is at hand. */
export async function parseTopologyFile(path: string, source: string): Promise<LabTopology> {
  return new TopologyReader(await YamlFile.parse({ path, kind: KIND, source })).read();
}

/** Turns the file, with quantities as people write them, into what `checkTopology` takes, and keeps in mind where each thing stands. */
class TopologyReader {
  private readonly file: YamlFile;
  /** Offsets of things by how `checkTopology` names them: `host 1`, `host id 7`, `node 's1'`, `link 'l1'`. */
  private readonly places = new Map<string, number>();
  private defaults: readonly WrittenSetting[] = [];

  constructor(file: YamlFile) {
    this.file = file;
  }

  read(): LabTopology {
    const root = this.file.root(['hosts', 'switches', 'links', 'trunks', 'defaults', 'spread', 'failoverDelay']);
    const defaults = root.get('defaults');
    if (defaults !== undefined) {
      const what = "the topology's defaults";
      this.defaults = this.settingsOf(this.file.entriesOf(defaults, what, SETTING_NAMES), what);
    }
    const trunks = this.items(root, 'trunks').map((entry, index) => this.readTrunk(entry, index));
    const draft = {
      hosts: this.items(root, 'hosts').map((entry, index) => this.readHost(entry, index)),
      switches: this.items(root, 'switches').map((entry, index) => this.readSwitch(entry, index)),
      links: this.items(root, 'links').map((entry, index) => this.readLink(entry, index)),
      trunks: trunks.map(({ draft: each }) => each),
      spread: this.optionalText(root, 'spread', 'the topology'),
      failoverDelayNs: this.failoverDelay(root),
    };
    const addresses = trunks.map(({ addresses: each }) => each);
    return { name: this.file.path, topology: this.checked(draft), trunks: addresses };
  }

  private checked(draft: object): Topology {
    try {
      return checkTopology(draft);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw this.file.failure(error.message, this.placeOf(error.message));
    }
  }

  /** Where the thing stands that an error speaks of; of several the first that it names. */
  private placeOf(sentence: string): number | undefined {
    const named = sentence.matchAll(/\b(host id|host|switch|link) (\d+)\b|(?:\b(link|trunk) )?('[^']*')/g);
    for (const [, kind, number, linkKind, name] of named) {
      const place = number !== undefined ? `${kind} ${number}` : `${linkKind === undefined ? 'node' : 'link'} ${name}`;
      const offset = this.places.get(place);
      if (offset !== undefined) return offset;
    }
    return undefined;
  }

  private items(root: YamlEntries, key: string): YamlEntry[] {
    const entry = root.get(key);
    return entry === undefined ? [] : this.file.listOf(entry, `${key} of the topology`);
  }

  private readHost(entry: YamlEntry, index: number): object {
    const what = `host ${index + 1}`;
    const fields = this.file.entriesOf(entry, what, ['id', 'name']);
    const id = this.value(fields, { key: 'id', kind: HOST_ID, what, at: entry });
    const name = this.optionalText(fields, 'name', what);
    this.remember(entry, [what, `host id ${id}`, `node '${name ?? `h${id}`}'`]);
    return { id, name };
  }

  private readSwitch(entry: YamlEntry, index: number): object {
    const what = `switch ${index + 1}`;
    const name = this.optionalText(this.file.entriesOf(entry, what, ['name']), 'name', what);
    this.remember(entry, [what, `node '${name}'`]);
    return { name };
  }

  private readLink(entry: YamlEntry, index: number): object {
    const numbered = `link ${index + 1}`;
    const fields = this.file.entriesOf(entry, numbered, ['name', 'a', 'b', ...SETTING_NAMES]);
    const name = this.optionalText(fields, 'name', numbered) ?? `l${index + 1}`;
    const what = `link '${name}'`;
    this.remember(entry, [numbered, what]);
    const a = this.optionalText(fields, 'a', what);
    const b = this.optionalText(fields, 'b', what);
    return { name, a, b, ...linkFields([...this.defaults, ...this.settingsOf(fields, what)]) };
  }

  private readTrunk(entry: YamlEntry, index: number): { draft: object; addresses: TrunkAddresses } {
    const numbered = `trunk ${index + 1}`;
    const fields = this.file.entriesOf(entry, numbered, ['name', 'switch', 'listen', 'to', 'hosts', ...SETTING_NAMES]);
    const name = this.value(fields, { key: 'name', kind: TRUNK_NAME, what: numbered, at: entry });
    const what = `trunk '${name}'`;
    this.remember(entry, [`link '${name}'`]);
    const bind = this.value(fields, { key: 'listen', kind: TRUNK_ADDRESS, what, at: entry });
    const remote = this.value(fields, { key: 'to', kind: TRUNK_ADDRESS, what, at: entry });
    const behind = fields.get('hosts');
    const draft = {
      name,
      switch: this.optionalText(fields, 'switch', what),
      address: TRUNK_ADDRESS.format(remote),
      hosts: behind === undefined ? [] : this.hostIds(behind, what),
      ...linkFields([...this.defaults, ...this.settingsOf(fields, what)]),
    };
    return { draft, addresses: { name, bind, remote } };
  }

  private hostIds(entry: YamlEntry, what: string): number[] {
    const items = this.file.listOf(entry, `hosts of ${what}`);
    return items.map((item) => this.parse(item, HOST_ID, `a host id of ${what}`));
  }

  private settingsOf(fields: YamlEntries, what: string): WrittenSetting[] {
    const given = SETTING_NAMES.filter((name) => fields.has(name));
    return given.map((name) => {
      const entry = fields.get(name) as YamlEntry;
      const words = `${name} of ${what}`;
      return { name, text: this.file.textOf(entry, words), label: this.file.located(words, entry.offset) };
    });
  }

  /** The value of a key that has to be there. */
  private value<T>(fields: YamlEntries, { key, kind, what, at }: WantedValue<T>): T {
    const entry = fields.get(key);
    if (entry !== undefined) return this.parse(entry, kind, `${key} of ${what}`);
    throw this.file.failure(`${what} has no ${key}; allowed: ${kind.allowed}`, at.offset);
  }

  private parse<T>(entry: YamlEntry, kind: ValueKind<T>, words: string): T {
    const written = this.file.textOf(entry, words);
    const value = kind.parse(written);
    if (value !== undefined) return value;
    throw this.file.failure(`${words} is '${written}'; allowed: ${kind.allowed}`, entry.offset);
  }

  private failoverDelay(root: YamlEntries): number | undefined {
    const entry = root.get('failoverDelay');
    return entry === undefined ? undefined : this.parse(entry, FAILOVER_DELAY, 'failoverDelay of the topology');
  }

  private optionalText(fields: YamlEntries, key: string, what: string): string | undefined {
    const entry = fields.get(key);
    return entry === undefined ? undefined : this.file.textOf(entry, `${key} of ${what}`);
  }

  private remember({ offset }: YamlEntry, names: readonly string[]): void {
    for (const name of names) this.places.set(name, offset);
  }
}
