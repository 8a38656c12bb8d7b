// Tested by test/scenario/topology-file.test.ts
import type { Document, Node } from 'yaml';
import { ConfigError, type Path } from '../base/config-error.js';

/** A file that has been read. */
export interface FileText {
  readonly path: string;
  /** What the file is, in errors: "topology file". */
  readonly kind: string;
  readonly source: string;
}

/**
 * The text of a YAML file, and so of a JSON file as well, whose scalars are the texts that were written, and which knows the line of everything in it. All
 * methods throw a ConfigError that names the file and the line.
 */
export class YamlText {
  readonly path: string;
  private readonly yaml: typeof import('yaml');
  private readonly document: Document.Parsed;
  private readonly lines: { linePos(offset: number): { line: number } };
  private readonly kind: string;

  private constructor({ path, kind, source }: FileText, yaml: typeof import('yaml')) {
    const lines = new yaml.LineCounter();
    this.path = path;
    this.kind = kind;
    this.yaml = yaml;
    this.lines = lines;
    // The failsafe schema leaves `1e3`, `off` and `5%` the texts that they are.
    this.document = yaml.parseDocument(source, {
      schema: 'failsafe',
      lineCounter: lines,
      prettyErrors: false,
      // Without its warnings on standard error: what is wrong with a file is one sentence of ours.
      logLevel: 'error',
    });
    const [error] = this.document.errors;
    if (error === undefined) return;
    const { line } = lines.linePos(error.pos[0]);
    throw new ConfigError(`${kind} '${path}', line ${line}: is not YAML: ${error.message}`);
  }

  static async parse(text: FileText): Promise<YamlText> {
    // Loaded here because most starts have no such file, and the parser takes longer to load than the command.
    return new YamlText(text, await import('yaml'));
  }

  /** The whole document as plain data: mappings, lists and texts. */
  plain(): unknown {
    try {
      return this.document.toJS();
    } catch (error) {
      // The parser stops at aliases of aliases that would fill the memory.
      throw new ConfigError(`${this.kind} '${this.path}': cannot be read: ${(error as Error).message}`);
    }
  }

  /** What `make` makes of the plain document; its ConfigErrors get the place of their path. */
  read<T>(make: (document: unknown) => T): T {
    const document = this.plain();
    try {
      return make(document);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ConfigError(`${this.place(error.path)}: ${error.message}`, error.path);
    }
  }

  /** `topology file 'lab.yaml', line 3`. */
  place(path: Path): string {
    return `${this.kind} '${this.path}', line ${this.lineOf(path)}`;
  }

  /** The line of the value at a path, or of the nearest thing around it that is written there. */
  lineOf(path: Path): number {
    let node = this.resolved(this.document.contents);
    let offset = 0;
    for (const step of path) {
      const [at, value] = this.inside(node, step);
      if (at === null) break;
      offset = (at as Node).range?.[0] ?? offset;
      node = this.resolved(value);
    }
    return this.lines.linePos(offset).line;
  }

  /** Where a step from a node leads: what stands there in the file, and the value; nulls for nowhere. */
  private inside(node: unknown, step: string | number): readonly [at: unknown, value: unknown] {
    const { isMap, isScalar, isSeq } = this.yaml;
    if (isSeq(node)) return [node.items[Number(step)] ?? null, node.items[Number(step)]];
    const isStep = (key: unknown): boolean => isScalar(key) && String(key.value) === String(step);
    const pair = isMap(node) ? node.items.find(({ key }) => isStep(key)) : undefined;
    return [pair?.key ?? null, pair?.value];
  }

  private resolved(value: unknown): unknown {
    return this.yaml.isAlias(value) ? (value.resolve(this.document) ?? null) : value;
  }
}
