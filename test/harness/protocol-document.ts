/** Reads docs/PROTOCOL.md: its sections, their byte diagrams and the table of frames. */
import { readFileSync } from 'node:fs';

export interface Section {
  title: string;
  text: string;
}

export interface DiagramField {
  name: string;
  /** Where it starts, in bytes from the start of the frame; null where that varies. */
  offset: number | null;
  bits: number;
  /** It is there as often as a count says: a bracket stands at its row. */
  repeats: boolean;
}

export interface DiagramLine {
  offset: number | null;
  cells: string;
  repeats: boolean;
}

const DIAGRAM_LINE = /^ {3}(?: {4}|[ \d]{2}\d )([|+].{63}[|+])( {2}\))?/;
/** "cookie (20 bytes)": one row for a field of more. */
const WIDE_FIELD = /^(.+) \((\d+) bytes\)$/;

/** Sections by number, `3.2`, each without those below it. */
function readSections(markdown: string): Map<string, Section> {
  const parts = markdown.split(/^##+ §/m).slice(1);
  return new Map(
    parts.map((part) => {
      const [heading, ...lines] = part.split('\n');
      const space = heading.indexOf(' ');
      return [heading.slice(0, space), { title: heading.slice(space + 1), text: lines.join('\n') }];
    }),
  );
}

const sections = readSections(readFileSync(new URL('../../docs/PROTOCOL.md', import.meta.url), 'utf8'));

export function section(number: string): Section {
  const found = sections.get(number);
  if (found === undefined) throw new Error(`docs/PROTOCOL.md has no §${number}`);
  return found;
}

/** Rows of the table in §2.2. `type` is that of src/wire: 256 and more for control frames. */
export function frameTable(): { name: string; type: number; direction: string; section: string }[] {
  const rows = section('2.2').text.matchAll(/^\| (8 \/ )?(\d+) \| ([A-Z_]+) \| ([a-z ]+) \| §([\d.]+) \|$/gm);
  return [...rows].map(([, control, type, name, direction, number]) => {
    return { name, type: Number(type) + (control === undefined ? 0 : 256), direction, section: number };
  });
}

/** Fields in their order. A row that has no number continues at a place that varies. */
export function readDiagram(section: Section): DiagramField[] {
  return diagramLines(section)
    .filter(({ cells }) => cells.startsWith('|'))
    .flatMap(readRow);
}

export function readRow({ cells, offset, repeats }: DiagramLine): DiagramField[] {
  let bit = 0;
  return cells
    .slice(1, -1)
    .split('|')
    .map((cell) => {
      const [, name = cell.trim(), bytes] = WIDE_FIELD.exec(cell.trim()) ?? [];
      const bits = (cell.length + 1) / 2;
      const place = offset === null ? null : offset + Math.floor(bit / 8);
      bit += bits;
      return { name, offset: place, bits: bytes === undefined ? bits : 8 * Number(bytes), repeats };
    });
}

export function diagramLines({ text }: Section): DiagramLine[] {
  return text.split('\n').flatMap((line) => {
    const match = DIAGRAM_LINE.exec(line);
    if (match === null) return [];
    const label = line.slice(0, 7).trim();
    const [, cells, bracket] = match;
    return [{ offset: label === '' ? null : Number(label), cells, repeats: bracket !== undefined }];
  });
}

/** Fields of fixed size between forwarding header and check. */
export function bodyFields(section: Section): DiagramField[] {
  const fields = readDiagram(section);
  return fields.slice(
    0,
    fields.findIndex(({ name, repeats }) => repeats || /^(CRC-32|credit check|payload|zeros)/.test(name)),
  );
}

/** Fields of what is repeated. */
export function repeatedFields(section: Section): DiagramField[] {
  return readDiagram(section).filter(({ repeats }) => repeats);
}
