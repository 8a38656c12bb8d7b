import { readFile } from 'node:fs/promises';
import type { Document, Node, Pair } from 'yaml';
import { failureOf, usageFailure } from './failure.js';
import { suggestion } from './nearest.js';

/** The longest configuration that is read; ours, a thousand times what all options take. */
const MAX_CONFIG_BYTES = 1_048_576;

/** What one key of the file says, as text like on the command line. */
export interface ConfigEntry {
  readonly texts: readonly string[];
  /** Where it stands, for errors: `link-rate (lab.yaml, line 3)`. */
  readonly label: string;
}

export type ConfigEntries = ReadonlyMap<string, ConfigEntry>;

/**
 * Reads options from a YAML file: a mapping whose keys are long option names without the dashes. A value is a scalar, a list for an option that may be
 * repeated, or a mapping for one of NAME=VALUE. Throws a usage Failure that names the file, the line, the key and what is allowed.
 */
export async function readConfigFile(path: string, allowedKeys: readonly string[]): Promise<ConfigEntries> {
  let source: string;
  try {
    source = await readFile(path, 'utf8');
  } catch (error) {
    throw failureOf(error, `config file '${path}'`) ?? error;
  }
  if (source.length > MAX_CONFIG_BYTES) {
    throw usageFailure(`config file '${path}' has ${source.length} bytes: at most ${MAX_CONFIG_BYTES} are allowed`);
  }
  return parseConfig({ path, source, allowedKeys });
}

/** The same for text that is at hand. */
export async function parseConfig(file: {
  path: string;
  source: string;
  allowedKeys: readonly string[];
}): Promise<ConfigEntries> {
  // Loaded here because most starts have no --config, and the parser takes longer to load than the rest of the command line.
  const yaml = await import('yaml');
  const lines = new yaml.LineCounter();
  // The failsafe schema keeps every scalar the text that was written: `5%`, `1e3` and `true` mean what they mean on the command line.
  const document = yaml.parseDocument(file.source, { schema: 'failsafe', lineCounter: lines, prettyErrors: false });
  const reader = new ConfigReader({ yaml, path: file.path, lines });
  return reader.read(document, file.allowedKeys);
}

class ConfigReader {
  private readonly yaml: typeof import('yaml');
  private readonly path: string;
  private readonly lines: { linePos(offset: number): { line: number } };

  constructor(parts: {
    yaml: typeof import('yaml');
    path: string;
    lines: { linePos(offset: number): { line: number } };
  }) {
    this.yaml = parts.yaml;
    this.path = parts.path;
    this.lines = parts.lines;
  }

  read(document: Document.Parsed, allowedKeys: readonly string[]): ConfigEntries {
    const [error] = document.errors;
    if (error !== undefined) throw this.failure(`is not YAML: ${error.message}`, error.pos[0]);
    const root = document.contents;
    const entries = new Map<string, ConfigEntry>();
    if (root === null || (this.yaml.isScalar(root) && root.value === '')) return entries;
    if (!this.yaml.isMap(root)) throw this.failure('has no mapping at its top: write one `option: value` a line', 0);
    for (const pair of root.items) {
      const key = this.keyOf(pair);
      const offset = offsetOf(pair.key as Node);
      if (!allowedKeys.includes(key)) {
        const meant = suggestion(key, allowedKeys);
        throw this.failure(`has the unknown key '${key}'${meant}; allowed: ${allowedKeys.join(', ')}`, offset);
      }
      const label = `${key} (${this.path}, line ${this.lines.linePos(offset).line})`;
      entries.set(key, { texts: this.textsOf(pair.value, offset), label });
    }
    return entries;
  }

  private keyOf(pair: Pair): string {
    if (this.yaml.isScalar(pair.key)) return String(pair.key.value);
    throw this.failure('has a key that is no word: write an option name', offsetOf(pair.key as Node | null));
  }

  private textsOf(value: unknown, offset: number): string[] {
    if (this.yaml.isSeq(value)) return value.items.map((item) => this.scalarOf(item, offset));
    if (!this.yaml.isMap(value)) return [this.scalarOf(value, offset)];
    return value.items.map((pair) => `${this.keyOf(pair)}=${this.scalarOf(pair.value, offset)}`);
  }

  private scalarOf(value: unknown, offset: number): string {
    if (value === null) return '';
    if (this.yaml.isScalar(value)) return String(value.value ?? '');
    throw this.failure('has a value too deep inside: a scalar, a list or a mapping of scalars is allowed', offset);
  }

  private failure(predicate: string, offset: number): Error {
    return usageFailure(`config file '${this.path}', line ${this.lines.linePos(offset).line}, ${predicate}`);
  }
}

function offsetOf(node: Node | null): number {
  return node?.range?.[0] ?? 0;
}
