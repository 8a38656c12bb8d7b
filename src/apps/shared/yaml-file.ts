// Tested by test/apps/switch/topology-file.test.ts
import { readFile } from 'node:fs/promises';
import type { Document, Node, Pair } from 'yaml';
import { failureOf, usageFailure } from './failure.js';
import { suggestion } from './nearest.js';

/** The longest file that is read (ours): 10,000 links take less. */
const MAX_FILE_BYTES = 1_048_576;

/** One value of a mapping and where its key stands. */
export interface YamlEntry {
  readonly value: unknown;
  readonly offset: number;
}

/** A file that has been read. */
interface YamlText {
  readonly path: string;
  /** What the file is, in errors: "topology file". */
  readonly kind: string;
  readonly source: string;
}

export type YamlEntries = ReadonlyMap<string, YamlEntry>;

/**
 * A YAML file, and so a JSON file as well, whose scalars are the texts that were written, and which knows the line of everything in it. All methods throw
 * a usage Failure that names the file, the line, the thing and what is allowed.
 */
export class YamlFile {
  readonly path: string;
  private readonly yaml: typeof import('yaml');
  private readonly document: Document.Parsed;
  private readonly lines: { linePos(offset: number): { line: number } };
  private readonly kind: string;

  private constructor({ path, kind, source }: YamlText, yaml: typeof import('yaml')) {
    const lines = new yaml.LineCounter();
    this.path = path;
    this.kind = kind;
    this.yaml = yaml;
    this.lines = lines;
    // The failsafe schema leaves `1e3`, `off` and `5%` the texts that they are.
    this.document = yaml.parseDocument(source, { schema: 'failsafe', lineCounter: lines, prettyErrors: false });
    const [error] = this.document.errors;
    if (error !== undefined) throw this.failure(`is not YAML: ${error.message}`, error.pos[0]);
  }

  static async read(path: string, kind: string): Promise<YamlFile> {
    let source: string;
    try {
      source = await readFile(path, 'utf8');
    } catch (error) {
      throw failureOf(error, `${kind} '${path}'`) ?? error;
    }
    if (source.length > MAX_FILE_BYTES) {
      throw usageFailure(`${kind} '${path}' has ${source.length} bytes: at most ${MAX_FILE_BYTES} are allowed`);
    }
    return YamlFile.parse({ path, kind, source });
  }

  /** The same for text that is at hand. */
  static async parse(text: YamlText): Promise<YamlFile> {
    // Loaded here because most starts have no such file, and the parser takes longer to load than the command.
    return new YamlFile(text, await import('yaml'));
  }

  /** The whole document as plain data: mappings, lists and texts. */
  plain(): unknown {
    try {
      return this.document.toJS();
    } catch (error) {
      // The parser stops at aliases of aliases that would fill the memory.
      throw this.failure(`cannot be read: ${(error as Error).message}`);
    }
  }

  /** Where the value at a path stands, or the nearest thing around it that is written there. */
  offsetAt(path: readonly (string | number)[]): number {
    let node = this.resolved(this.document.contents);
    let offset = 0;
    for (const step of path) {
      if (this.yaml.isMap(node)) {
        const pair = node.items.find(({ key }) => this.yaml.isScalar(key) && String(key.value) === String(step));
        if (pair === undefined) return offset;
        offset = offsetOf(pair.key, offset);
        node = this.resolved(pair.value);
      } else if (this.yaml.isSeq(node)) {
        const item = node.items[Number(step)];
        offset = offsetOf(item, offset);
        node = this.resolved(item);
      } else return offset;
    }
    return offset;
  }

  /** The mapping at the top, with no other keys than these. */
  root(allowed: readonly string[]): YamlEntries {
    return this.entriesOf({ value: this.document.contents, offset: 0 }, 'the file', allowed);
  }

  /** A mapping with no other keys than `allowed`; `what` names it. */
  entriesOf({ value, offset }: YamlEntry, what: string, allowed: readonly string[]): YamlEntries {
    const node = this.resolved(value);
    if (!this.yaml.isMap(node)) {
      throw this.failure(`${what} is no mapping; allowed: any of ${allowed.join(', ')}`, offset);
    }
    const entries = new Map<string, YamlEntry>();
    for (const pair of node.items) {
      const at = offsetOf(pair.key, offset);
      const key = this.keyOf(pair, at);
      if (!allowed.includes(key)) {
        const meant = suggestion(key, allowed);
        throw this.failure(`${what} has the unknown key '${key}'${meant}; allowed: ${allowed.join(', ')}`, at);
      }
      entries.set(key, { value: pair.value, offset: at });
    }
    return entries;
  }

  /** A list; `what` names it. */
  listOf({ value, offset }: YamlEntry, what: string): YamlEntry[] {
    const node = this.resolved(value);
    if (!this.yaml.isSeq(node))
      throw this.failure(`${what} is no list; write one item a line, each after a dash`, offset);
    return node.items.map((item) => ({ value: item, offset: offsetOf(item, offset) }));
  }

  /** A scalar as it was written; a list of scalars with commas between. `what` names it. */
  textOf({ value, offset }: YamlEntry, what: string): string {
    const node = this.resolved(value);
    if (node === null) return '';
    if (this.yaml.isScalar(node)) return String(node.value ?? '');
    if (!this.yaml.isSeq(node)) throw this.failure(`${what} is no single value; allowed: a word or a number`, offset);
    return node.items.map((item) => this.textOf({ value: item, offset }, what)).join(',');
  }

  /** `topology file 'lab.yaml', line 3: link 'l1' ...`; without an offset no line. */
  failure(sentence: string, offset?: number): Error {
    return usageFailure(this.located(sentence, offset));
  }

  /** The same as text: for labels in the errors of others. */
  located(words: string, offset?: number): string {
    return `${this.place(offset)}: ${words}`;
  }

  /** `topology file 'lab.yaml', line 3`. */
  place(offset?: number): string {
    const line = offset === undefined ? '' : `, line ${this.lines.linePos(offset).line}`;
    return `${this.kind} '${this.path}'${line}`;
  }

  private resolved(value: unknown): unknown {
    return this.yaml.isAlias(value) ? (value.resolve(this.document) ?? null) : value;
  }

  private keyOf({ key }: Pair, offset: number): string {
    if (this.yaml.isScalar(key)) return String(key.value);
    throw this.failure('a key is no word; write `name: value`', offset);
  }
}

function offsetOf(node: unknown, fallback: number): number {
  return (node as Node | null)?.range?.[0] ?? fallback;
}
