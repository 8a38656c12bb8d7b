import { basename, dirname, extname, resolve } from 'node:path';
import { ConfigError, type Path } from '../base/config-error.js';
import type { Scenario, SizeDistribution } from '../sim/scenario.js';
import { parseSizeDistribution } from '../sim/traffic/size-distribution.js';
import { type Override, override, overrideOf, parseOverride } from './overrides.js';
import { parseScenario } from './parse-scenario.js';
import { readText, YamlFile } from './yaml-file.js';

const KIND = 'scenario file';

/** What is changed of a file before it is read as a scenario. */
export interface ScenarioChanges {
  /** `topology.pairs=64`, as `--set` takes them; later ones win. */
  readonly sets?: readonly string[];
  /** In place of the scenario's own. */
  readonly seed?: number;
}

/** The scenario that a YAML or JSON file describes. Throws a ConfigError that names the file, the line, the field and what is allowed. */
export async function readScenarioFile(path: string, changes: ScenarioChanges = {}): Promise<Scenario> {
  return (await ScenarioFile.read(path)).scenario(changes);
}

/** A file that has been read, for one scenario or many that differ by what is set. */
export class ScenarioFile {
  readonly path: string;
  private readonly yaml: YamlFile;
  private readonly tables = new Map<string, Promise<SizeDistribution>>();

  private constructor(yaml: YamlFile) {
    this.path = yaml.path;
    this.yaml = yaml;
  }

  static async read(path: string): Promise<ScenarioFile> {
    return new ScenarioFile(await YamlFile.read(path, KIND));
  }

  /** The same for text that is at hand. */
  static async parse(path: string, source: string): Promise<ScenarioFile> {
    return new ScenarioFile(await YamlFile.parse({ path, kind: KIND, source }));
  }

  async scenario({ sets = [], seed }: ScenarioChanges = {}): Promise<Scenario> {
    const overrides = await Promise.all(sets.map((text) => parseOverride(text, '--set')));
    const document = override(this.yaml.plain(), overrides);
    const scenario = parseScenario(document, {
      name: basename(this.path, extname(this.path)),
      locate: (path) => this.locate(path, overrides),
      tables: await this.tablesOf(document, overrides),
    });
    return seed === undefined ? scenario : { ...scenario, seed };
  }

  private locate(path: Path, overrides: readonly Override[]): string {
    const found = overrideOf(path, overrides);
    return found?.label ?? this.yaml.place(path);
  }

  /** The tables that flows name with `file`. What is no text or list is left to be found by the parser. */
  private async tablesOf(document: unknown, overrides: readonly Override[]): Promise<Map<string, SizeDistribution>> {
    const flows = (document as { flows?: unknown } | null)?.flows;
    const entries = Array.isArray(flows) ? flows : [];
    const tables = new Map<string, SizeDistribution>();
    for (const [index, entry] of entries.entries()) {
      const file = (entry as { file?: unknown } | null)?.file;
      if (typeof file !== 'string' || file === '') continue;
      const where = this.locate(['flows', index, 'file'], overrides);
      tables.set(file, await this.table(file, where));
    }
    return tables;
  }

  private table(file: string, where: string): Promise<SizeDistribution> {
    const known = this.tables.get(file) ?? readTable(resolve(dirname(this.path), file), where);
    this.tables.set(file, known);
    return known;
  }
}

async function readTable(path: string, where: string): Promise<SizeDistribution> {
  const source = await readText(path, `${where}: size table '${path}'`);
  try {
    return parseSizeDistribution(basename(path, extname(path)), source);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(`${where}: ${error.message}`) : error;
  }
}
