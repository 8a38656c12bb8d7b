// Tested by test/scenario/scenario-file.test.ts
import type { Path } from '../base/config-error.js';
import type { Scenario, SizeDistribution } from '../sim/scenario.js';
import { type Override, override, overrideOf, parseOverride } from './overrides.js';
import { parseScenario } from './parse-scenario.js';
import { YamlText } from './yaml-text.js';

/** What is changed of a file before it is read as a scenario. */
export interface ScenarioChanges {
  /** `topology.pairs=64`, as `--set` takes them; later ones win. */
  readonly sets?: readonly string[];
  /** In place of the scenario's own. */
  readonly seed?: number;
}

/** Reads the table of sizes that a scenario names as a file; `where` begins the sentence about what is wrong with it. */
export type TableReader = (file: string, where: string) => Promise<SizeDistribution>;

export interface ScenarioSource {
  /** Of the file: names it in errors. */
  readonly path: string;
  /** Of a scenario that gives none itself. */
  readonly name: string;
  readonly source: string;
}

const KIND = 'scenario file';

/** The text of a scenario file, for one scenario or many that differ by what is set. Tables of sizes come from the reader. */
export class ScenarioText {
  readonly path: string;
  private readonly name: string;
  private readonly yaml: YamlText;
  private readonly readTable: TableReader;
  private readonly tables = new Map<string, Promise<SizeDistribution>>();

  private constructor(yaml: YamlText, name: string, readTable: TableReader) {
    this.path = yaml.path;
    this.name = name;
    this.yaml = yaml;
    this.readTable = readTable;
  }

  /** Throws a ConfigError that names the file and the line where it is no YAML. */
  static async parse({ path, name, source }: ScenarioSource, readTable: TableReader): Promise<ScenarioText> {
    return new ScenarioText(await YamlText.parse({ path, kind: KIND, source }), name, readTable);
  }

  /** Throws a ConfigError that names the file, the line, the field and what is allowed. */
  async scenario({ sets = [], seed }: ScenarioChanges = {}): Promise<Scenario> {
    const overrides = await Promise.all(sets.map((text) => parseOverride(text, '--set')));
    const document = override(this.yaml.plain(), overrides);
    const scenario = parseScenario(document, {
      name: this.name,
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
    const known = this.tables.get(file) ?? this.readTable(file, where);
    this.tables.set(file, known);
    return known;
  }
}
