import { describe, expect, it } from 'vitest';
import { DROP_NAMES } from '../../src/wire/decode.js';
import { diagramName, type FrameKind, isBytes } from '../../src/wire/frame-kind.js';
import { FRAMES } from '../../src/wire/frames.js';
import * as layout from '../../src/wire/layout.js';
import {
  Ack,
  AttachRefusal,
  CHECK_BYTES,
  CHECK_RESIDUE,
  Credit,
  Credits,
  Data,
  DEFAULT_FRAME_BYTES,
  Ecn,
  EXTENDED,
  FrameType,
  MAX_FRAME_BYTES,
  MAX_HOP_LIMIT,
  MAX_HOST_ID,
  MEAN_CREDIT_WIRE_BYTES,
  NO_HOP,
  RATE_BITS,
  ResetCode,
  WIRE_OVERHEAD_BYTES,
} from '../../src/wire/layout.js';
import { MAX_RATE_CODE, rateOfCode } from '../../src/wire/rate-code.js';
import { CHUNK, EXPLICIT } from '../harness/naive-codec.js';
import {
  type DiagramField,
  type DiagramLine,
  diagramLines,
  frameTable,
  readDiagram,
  readRow,
  repeatedFields,
  type Section,
  section,
} from '../harness/protocol-document.js';

// Holds docs/PROTOCOL.md to src/wire: the diagrams, tables and lists of flags and codes.

/** What a reader would stumble over: rows of the wrong width, crossings that are no corners, rows out of order. */
function diagramFaults(section: Section): string[] {
  const lines = diagramLines(section);
  const offsets = lines.flatMap(({ offset }) => (offset === null ? [] : [offset]));
  const crooked = lines.filter((line, index) => isBorder(line) && !meetsRows(line, lines[index - 1], lines[index + 1]));
  const wide = lines.filter((line) => /^\|/.test(line.cells) && readRow(line).some(({ bits }) => bits % 1 !== 0));
  const rowBytes = lines.filter(({ offset }) => offset !== null).map((line) => sum(readRow(line)) / 8);
  const unordered = offsets.filter((offset, index) => index > 0 && offset !== offsets[index - 1] + rowBytes[index - 1]);
  return [
    ...crooked.map(({ cells }) => `§${section.title}: ${cells} has a + without a |, or a | without a +`),
    ...wide.map(({ cells }) => `§${section.title}: ${cells} has a border between two bits`),
    ...unordered.map((offset) => `§${section.title}: offset ${offset} does not follow the row before`),
  ];
}

function sum(fields: DiagramField[]): number {
  return fields.reduce((bits, field) => bits + field.bits, 0);
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
function readFlags({ text }: Section): Record<string, number> {
  return Object.fromEntries(
    [...text.matchAll(/(0x[0-9A-F]{2}) ([A-Z_]+)/g)].map(([, bits, name]) => [camelCase(name), Number(bits)]),
  );
}

/** Rows `| 3 | ABORTED |` or a list `1 ID_IN_USE, 2 UNKNOWN_ID`, as the names of src/wire. */
function readCodes({ text }: Section): Record<string, number> {
  const rows = [...text.matchAll(/^\| (\d+) \| ([A-Z_]+) \|/gm)];
  const listed = [...text.matchAll(/\b(\d+) ([A-Z][A-Z_]+)\b/g)];
  return Object.fromEntries([...rows, ...listed].map(([, code, name]) => [camelCase(name), Number(code)]));
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const isPlaced = ({ name, offset }: DiagramField) => offset !== null && !/^(reserved|0 to \d bytes.*)$/.test(name);

function placed(fields: DiagramField[]): Record<string, number | null> {
  return Object.fromEntries(fields.filter(isPlaced).map(({ name, offset }) => [name, offset]));
}

describe('the forwarding header of PROTOCOL §2', () => {
  const fields = readDiagram(section('2'));

  it('is drawn without a fault', () => {
    expect(diagramFaults(section('2'))).toEqual([]);
  });

  it('has its fields where the layout has them', () => {
    const { Header } = layout;
    expect(placed(fields)).toEqual({
      'hop limit': Header.hopLimitAndEcn,
      ECN: Header.hopLimitAndEcn,
      version: Header.versionAndType,
      class: Header.versionAndType,
      flags: Header.flags,
      'path id': Header.pathId,
      'destination host': Header.destination,
      'source host': Header.source,
      'flow id': Header.flowId,
    });
    expect(section('2').text).toContain(`these ${Header.bytes} bytes`);
  });
});

/** As the headings of §3 have it. */
function sizeOf({ minBytes, maxBytes, repeats, holdsPayload }: FrameKind): string {
  const count = (bytes: number) => bytes.toLocaleString('en');
  if (holdsPayload === true) return `${minBytes - 1} bytes and payload`;
  if (repeats !== undefined && repeats.least > 0)
    return `${minBytes} bytes and ${repeats.bytes} for each ${repeats.what}`;
  return minBytes === maxBytes ? `${minBytes} bytes` : `${minBytes} to ${count(maxBytes)} bytes`;
}

/** The descriptor's fields by their names in the diagram. */
function described({ fields }: Pick<FrameKind, 'fields'>): Record<string, { offset: number; bits: number }> {
  const named = Object.entries(fields).map(([key, field]) => {
    return [diagramName(key, field), { offset: field.at, bits: isBytes(field) ? 8 * field.bytes : field.bits }];
  });
  return Object.fromEntries(named);
}

/** Fields of the diagram that a descriptor has. */
function drawn(fields: DiagramField[]): Record<string, { offset: number | null; bits: number }> {
  const own = fields.filter(({ name }) => !/^(reserved|zeros|\.\.\.|CRC-32|payload|0 to \d bytes)/.test(name));
  return Object.fromEntries(own.map(({ name, offset, bits }) => [name, { offset, bits }]));
}

describe.each(FRAMES)('$name in PROTOCOL §$section', (kind) => {
  const text = section(kind.section);
  const fields = readDiagram(text);
  const places = new Map(fields.map(({ name, offset }) => [name, offset]));

  it('states its size in the heading', () => {
    expect(text.title).toBe(`${kind.name} (${sizeOf(kind)})`);
  });

  it('is drawn without a fault, from byte 12', () => {
    expect(diagramFaults(text)).toEqual([]);
    expect(fields[0].offset).toBe(layout.Header.bytes);
  });

  it('has the fields of its descriptor, where and as wide as it has them', () => {
    expect(drawn(fields.filter(({ repeats }) => !repeats))).toEqual(described(kind));
  });

  it('ends where its descriptor says', () => {
    if (kind.minBytes === kind.maxBytes) expect(places.get('CRC-32')).toBe(kind.minBytes - CHECK_BYTES);
    if (kind.holdsPayload === true) expect(places.get('payload (1 byte or more)')).toBe(Data.payload);
    if (kind.repeats === undefined || kind.repeats.least === 0) return;
    const { least, bytes } = kind.repeats;
    expect(repeatedFields(text)[0].offset).toBe(least - CHECK_BYTES);
    expect(sum(repeatedFields(text))).toBe(8 * bytes);
  });

  it('repeats what its descriptor repeats', () => {
    const { least = 0, bytes = 0, fields: own } = kind.repeats ?? {};
    const at = least - CHECK_BYTES;
    const ranges = { 'range start': { offset: at, bits: 32 }, 'range end': { offset: at + bytes / 2, bits: 32 } };
    const wanted = own === undefined ? (least > 0 ? ranges : {}) : described({ fields: own });
    expect(drawn(repeatedFields(text))).toEqual(wanted);
  });

  it('has the flags that the descriptor has', () => {
    expect(readFlags(text)).toEqual(kind.flags ?? {});
  });
});

it('a CREDIT with EXPLICIT_RATE has the bits in PROTOCOL §3.2 that the naive twin reads, and those of the layout', () => {
  const bits = readDiagram(section('3.2')).map((field): [string, number] => [field.name, field.bits]);
  expect(bits.slice(3, 5)).toEqual(EXPLICIT);
  expect(bits[0]).toEqual(['credit sequence', 32 - RATE_BITS]);
  expect(EXPLICIT.reduce((sum, [, width]) => sum + width, 0)).toBe(8 * Credit.explicitBytes);
});

describe('a filled frame in PROTOCOL §3.16', () => {
  const fields = readDiagram(section('3.16'));
  const { Chunks } = layout;

  it('is drawn without a fault, with its fields where the layout has them', () => {
    expect(diagramFaults(section('3.16'))).toEqual([]);
    expect(placed(fields)).toEqual({
      unused: Data.unusedAndHop,
      hop: Data.unusedAndHop + 1,
      'chunk count': Chunks.chunkCount,
      'flow id': Chunks.chunks + Chunks.flowId,
      'stream offset': Chunks.chunks + Chunks.offset,
      'payload bytes': Chunks.chunks + Chunks.payloadBytes,
      flags: Chunks.chunks + Chunks.flags,
    });
    expect(section('3.16').text).toContain(`${Chunks.maxChunks} times`);
  });

  it('has the entries that the naive twin reads', () => {
    const entry = repeatedFields(section('3.16')).map(({ name, bits }) => [name, bits]);
    expect(entry).toEqual(CHUNK);
    expect(CHUNK.reduce((sum, [, bits]) => sum + bits, 0)).toBe(8 * Chunks.chunkBytes);
  });
});

describe('what PROTOCOL says in words and tables', () => {
  it('the frames are those of the descriptors, in their order, each with its section', () => {
    const rows = FRAMES.map(({ name, type, direction, section: number }) => {
      return { name, type, direction, section: number };
    });
    expect(frameTable()).toEqual(rows);
    expect(section('2.2').text).toContain(`except ${FrameType.control}, CONTROL`);
    expect(section('2.3').text).toContain(`(0x${EXTENDED.toString(16)})`);
  });

  it('the codes are those of the layout', () => {
    expect(readCodes(section('3.7'))).toEqual(ResetCode);
    expect(readCodes(section('3.10'))).toEqual(AttachRefusal);
  });

  it('the reasons for a drop come in the order of the decoder', () => {
    const reasons = [...section('2.7').text.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason);
    expect([...new Set(reasons)]).toEqual([...DROP_NAMES.slice(1), 'direction', 'unknownFlow']);
  });

  it.each([
    ['1.1', `UDP payload + ${WIRE_OVERHEAD_BYTES}`],
    ['1.2', `1 to ${MAX_HOST_ID.toLocaleString('en')}`],
    ['2.1', `a host sends ${MAX_HOP_LIMIT};`],
    ['2.1', `${Ecn.capable1} ECT(1), ${Ecn.capable0} ECT(0), ${Ecn.congestionExperienced} CE`],
    ['2.2', `(${layout.VERSION} here)`],
    ['2.6', `0x${CHECK_RESIDUE.toString(16).toUpperCase()}`],
    ['2.7', `fewer than ${Credit.bytes} bytes`],
    ['2.7', `above ${MAX_FRAME_BYTES.toLocaleString('en')}`],
    ['3.2', `bytes 1 to ${Credit.check - 1},`],
    ['3.2', `0 to ${Credit.maxPaddingBytes} bytes of zero`],
    ['3.2', `bytes ${Credit.explicitRate} and ${Credit.explicitRate + 1}`],
    ['3.2', `${NO_HOP} for none`],
    ['9.7', `1 to ${MAX_RATE_CODE.toLocaleString('en')} is ${rateOfCode(128) / 2} * 2^(c / 128) bit/s`],
    ['3.3', `${DEFAULT_FRAME_BYTES} by default, ${MAX_FRAME_BYTES.toLocaleString('en')} at most`],
    ['3.4', `${Ack.maxRanges} times`],
    ['3.28', `${Credits.maxEntries} times`],
    ['3.28', `All entries together have ${Credits.maxCredits} credits at most.`],
    ['2.7', `a count of 0, or more than ${Credits.maxCredits} credits`],
    ['4.4', `${MEAN_CREDIT_WIRE_BYTES} being the mean wire size of a credit`],
  ])('§%s says "%s", as the layout does', (number, words) => {
    expect(section(number).text.replaceAll('\n', ' ')).toContain(words);
  });
});
