/** Reads docs/PROTOCOL.md: its sections, their byte diagrams and what their tables and flag lists name. */

export interface Section {
  title: string;
  text: string;
}

export interface DiagramField {
  name: string;
  /** Where it starts, in bytes from the start of the frame; null where that varies. */
  offset: number | null;
  bits: number;
}

/** Bits of a row, two columns each. */
const ROW_BITS = 32;
const DIAGRAM_LINE = /^ {4}(?: {3}|[ \d]\d )([|+].{63}[|+])/;

/** Sections by number, `3.2`, each without those below it. */
export function readSections(markdown: string): Map<string, Section> {
  const parts = markdown.split(/^##+ §/m).slice(1);
  return new Map(
    parts.map((part) => {
      const [heading, ...lines] = part.split('\n');
      const space = heading.indexOf(' ');
      return [heading.slice(0, space), { title: heading.slice(space + 1), text: lines.join('\n') }];
    }),
  );
}

/** Fields in their order. A row that has no number continues at a place that varies. */
export function readDiagram(section: Section): DiagramField[] {
  return diagramLines(section)
    .filter(({ cells }) => cells.startsWith('|'))
    .flatMap(({ offset, cells }) => readRow(cells, offset));
}

function readRow(cells: string, offset: number | null): DiagramField[] {
  let bit = 0;
  return cells
    .slice(1, -1)
    .split('|')
    .map((cell) => {
      const bits = (cell.length + 1) / 2;
      const field = { name: cell.trim(), offset: offset === null ? null : offset + Math.floor(bit / 8), bits };
      bit += bits;
      return field;
    });
}

/** What a reader would stumble over: rows of the wrong width, crossings that are no corners, rows out of order. */
export function diagramFaults(section: Section): string[] {
  const lines = diagramLines(section);
  const offsets = lines.flatMap(({ offset }) => (offset === null ? [] : [offset]));
  const crooked = lines.filter((line, index) => isBorder(line) && !meetsRows(line, lines[index - 1], lines[index + 1]));
  const wide = lines.filter(({ cells }) => /^\|/.test(cells) && readRow(cells, 0).some(({ bits }) => bits % 1 !== 0));
  const unordered = offsets.filter((offset, index) => index > 0 && offset !== offsets[index - 1] + ROW_BITS / 8);
  return [
    ...crooked.map(({ cells }) => `§${section.title}: ${cells} has a + without a |, or a | without a +`),
    ...wide.map(({ cells }) => `§${section.title}: ${cells} has a border between two bits`),
    ...unordered.map((offset) => `§${section.title}: offset ${offset} is not 4 more than the one before`),
  ];
}

interface DiagramLine {
  offset: number | null;
  cells: string;
}

function diagramLines({ text }: Section): DiagramLine[] {
  return text.split('\n').flatMap((line) => {
    const match = DIAGRAM_LINE.exec(line);
    if (match === null) return [];
    const label = line.slice(0, 6).trim();
    return [{ offset: label === '' ? null : Number(label), cells: match[1] }];
  });
}

/** A border across the whole width; one across a part of it belongs to a field of several rows. */
function isBorder({ cells }: DiagramLine): boolean {
  return /^\+[-+]+\+$/.test(cells);
}

function meetsRows(border: DiagramLine, above: DiagramLine | undefined, below: DiagramLine | undefined): boolean {
  const corner = (column: number) =>
    above?.cells[column] === '|' || below?.cells[column] === '|' || column === 0 || column === border.cells.length - 1;
  return [...border.cells].every((mark, column) => (mark === '+') === corner(column));
}

/** `0x01 OPEN` and the like, as the names of src/wire: `{ open: 1 }`. */
export function readFlags({ text }: Section): Record<string, number> {
  return Object.fromEntries(
    [...text.matchAll(/(0x[0-9A-F]{2}) ([A-Z_]+)/g)].map(([, bits, name]) => [camelCase(name), Number(bits)]),
  );
}

/** Rows `| 3 | ABORTED |` or a list `1 ID_IN_USE, 2 UNKNOWN_ID`, as the names of src/wire. */
export function readCodes({ text }: Section): Record<string, number> {
  const rows = [...text.matchAll(/^\| (\d+) \| ([A-Z_]+) \|/gm)];
  const listed = [...text.matchAll(/\b(\d+) ([A-Z][A-Z_]+)\b/g)];
  return Object.fromEntries([...rows, ...listed].map(([, code, name]) => [camelCase(name), Number(code)]));
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
