import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DROP_NAMES } from '../../src/wire/decode.js';
import * as layout from '../../src/wire/layout.js';
import {
  Ack,
  AckFlag,
  Attach,
  Attached,
  AttachRefusal,
  AttachRefused,
  CHECK_BYTES,
  CHECK_RESIDUE,
  Credit,
  CreditFlag,
  CreditRequest,
  CreditStop,
  Data,
  DataFlag,
  DEFAULT_FRAME_BYTES,
  Ecn,
  Fin,
  FrameType,
  KeepAlive,
  MAX_FRAME_BYTES,
  MAX_HOP_LIMIT,
  MAX_HOST_ID,
  MEAN_CREDIT_WIRE_BYTES,
  NO_HOP,
  RATE_BITS,
  RequestFlag,
  Reset,
  ResetCode,
  ResetFlag,
  VersionOffer,
  WIRE_OVERHEAD_BYTES,
  WindowAck,
  WindowAckFlag,
} from '../../src/wire/layout.js';
import { MAX_RATE_CODE, rateOfCode } from '../../src/wire/rate-code.js';
import { CHUNK, EXPLICIT, HEADER, TYPES } from '../harness/naive-codec.js';

// Reads docs/PROTOCOL.md: its sections, their byte diagrams and what their tables and flag lists name.

interface Section {
  title: string;
  text: string;
}

interface DiagramField {
  name: string;
  /** Where it starts, in bytes from the start of the frame; null where that varies. */
  offset: number | null;
  bits: number;
}

/** Bits of a row, two columns each. */
const ROW_BITS = 32;
const DIAGRAM_LINE = /^ {4}(?: {3}|[ \d]\d )([|+].{63}[|+])/;

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

/** Fields in their order. A row that has no number continues at a place that varies. */
function readDiagram(section: Section): DiagramField[] {
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
function diagramFaults(section: Section): string[] {
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

const sections = readSections(readFileSync(new URL('../../docs/PROTOCOL.md', import.meta.url), 'utf8'));

function section(number: string) {
  const found = sections.get(number);
  if (found === undefined) throw new Error(`docs/PROTOCOL.md has no §${number}`);
  return found;
}

interface FrameSection {
  number: string;
  name: string;
  /** The size in the heading, from the table. */
  size: string;
  /** Name in the diagram and offset in the table, for every field that the table places. */
  offsets: Record<string, number>;
  flags?: Record<string, number>;
}

/** Fields between header and check, and the check at the end. */
function fixed(bytes: number, offsets: Record<string, number>) {
  return { size: `${bytes} bytes`, offsets: { ...offsets, 'CRC-32': bytes - CHECK_BYTES } };
}

const FRAMES: FrameSection[] = [
  {
    number: '3.1',
    name: 'CREDIT_REQUEST',
    flags: RequestFlag,
    ...fixed(CreditRequest.bytes, {
      'sent offset': CreditRequest.sentOffset,
      probe: CreditRequest.probe,
      'max frame bytes': CreditRequest.maxFrameBytes,
      'paired flow id': CreditRequest.pairedFlowId,
      backlog: CreditRequest.backlog,
      weight: CreditRequest.weight,
    }),
  },
  {
    number: '3.2',
    name: 'CREDIT',
    size: `${Credit.bytes} to ${Credit.bytes + Credit.maxPaddingBytes} bytes`,
    flags: { explicitRate: CreditFlag.explicitRate, lowClass: CreditFlag.lowClass },
    offsets: {
      'credit sequence': Credit.sequenceAndRate,
      'rate code': Credit.sequenceAndRate + 2,
      'credit check': Credit.check,
      'explicit rate': Credit.explicitRate,
      hop: Credit.explicitRate + 1,
    },
  },
  {
    number: '3.3',
    name: 'DATA',
    size: `${Data.overheadBytes} bytes and payload`,
    flags: DataFlag,
    offsets: {
      'echoed credit sequence': Data.sequenceAndRate,
      'rate code': Data.sequenceAndRate + 2,
      'stream offset': Data.offset,
      unused: Data.unusedAndHop,
      hop: Data.unusedAndHop + 1,
      'payload (1 byte or more)': Data.payload,
    },
  },
  {
    number: '3.4',
    name: 'ACK',
    size: `${Ack.bytes} bytes and ${Ack.rangeBytes} for each range`,
    flags: AckFlag,
    offsets: {
      'cumulative offset': Ack.cumulative,
      probe: Ack.probe,
      'range count': Ack.rangeCount,
      'range start': Ack.ranges,
      'range end': Ack.ranges + Ack.rangeBytes / 2,
    },
  },
  {
    number: '3.5',
    name: 'CREDIT_STOP',
    ...fixed(CreditStop.bytes, {
      'sent offset': CreditStop.sentOffset,
      probe: CreditStop.probe,
      unused: CreditStop.unused,
    }),
  },
  {
    number: '3.6',
    name: 'FIN',
    ...fixed(Fin.bytes, { 'final offset': Fin.finalOffset, probe: Fin.probe, unused: Fin.unused }),
  },
  { number: '3.7', name: 'RESET', flags: ResetFlag, ...fixed(Reset.bytes, { code: Reset.code }) },
  {
    number: '3.8',
    name: 'ATTACH',
    ...fixed(Attach.bytes, { token: Attach.token, 'max frame bytes': Attach.maxFrameBytes }),
  },
  {
    number: '3.9',
    name: 'ATTACHED',
    ...fixed(Attached.bytes, {
      token: Attached.token,
      'rate, in kbit/s': Attached.rateKbps,
      'max frame bytes': Attached.maxFrameBytes,
      'keep-alive time, ms': Attached.keepAliveMs,
    }),
  },
  {
    number: '3.10',
    name: 'ATTACH_REFUSED',
    ...fixed(AttachRefused.bytes, { token: AttachRefused.token, code: AttachRefused.code }),
  },
  { number: '3.11', name: 'KEEP_ALIVE', ...fixed(KeepAlive.bytes, { token: KeepAlive.token }) },
  {
    number: '3.14',
    name: 'WINDOW_ACK',
    size: `${WindowAck.bytes} bytes and ${Ack.rangeBytes} for each range`,
    flags: WindowAckFlag,
    offsets: {
      'cumulative offset': WindowAck.cumulative,
      probe: WindowAck.probe,
      'range count': WindowAck.rangeCount,
      'arrived with': WindowAck.arrivedWith,
      'window end': WindowAck.windowEnd,
      'frame number': WindowAck.frameNumber,
      'remote queuing, us': WindowAck.remoteQueuing,
      'range start': WindowAck.ranges,
      'range end': WindowAck.ranges + Ack.rangeBytes / 2,
    },
  },
  {
    number: '3.15',
    name: 'SPECULATIVE_DATA',
    size: `${Data.overheadBytes} bytes and payload`,
    flags: { end: DataFlag.end },
    offsets: { 'stream offset': Data.offset, 'payload (1 byte or more)': Data.payload },
  },
  {
    number: '3.13',
    name: 'VERSION',
    ...fixed(VersionOffer.bytes, { 'lowest version': VersionOffer.lowest, 'highest version': VersionOffer.highest }),
  },
];

const isPlaced = ({ name, offset }: DiagramField) => offset !== null && !/^(reserved|0 to \d bytes.*)$/.test(name);

function placed(fields: DiagramField[]): Record<string, number | null> {
  return Object.fromEntries(fields.filter(isPlaced).map(({ name, offset }) => [name, offset]));
}

/** Fields of fixed size between forwarding header and check, as the twin lists them. */
function body(fields: DiagramField[]): [string, number][] {
  const end = fields.findIndex(({ name }) => /^(CRC-32|credit check|payload|range start)/.test(name));
  return fields.slice(0, end).map(({ name, bits }) => [name, bits]);
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
      type: Header.versionAndType,
      flags: Header.flags,
      'path id': Header.pathId,
      'destination host': Header.destination,
      'source host': Header.source,
      'flow id': Header.flowId,
    });
    expect(section('2').text).toContain(`these ${Header.bytes} bytes`);
  });

  it('has the bits that the naive twin reads', () => {
    expect(fields.map(({ name, bits }) => [name, bits])).toEqual(HEADER);
  });
});

describe.each(FRAMES)('$name in PROTOCOL §$number', ({ number, name, size, offsets, flags = {} }) => {
  const fields = readDiagram(section(number));

  it('states its size in the heading', () => {
    expect(section(number).title).toBe(`${name} (${size})`);
  });

  it('is drawn without a fault, from byte 12', () => {
    expect(diagramFaults(section(number))).toEqual([]);
    expect(fields[0].offset).toBe(layout.Header.bytes);
  });

  it('has its fields where the layout has them', () => {
    expect(placed(fields)).toEqual(offsets);
  });

  it('has the bits that the naive twin reads', () => {
    expect(body(fields)).toEqual(TYPES[name].body);
  });

  it('has the flags that the layout has', () => {
    expect(readFlags(section(number))).toEqual(flags);
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
    const entry = fields.slice(4, 9).map(({ name, bits }) => [name, bits]);
    expect(entry).toEqual(CHUNK);
    expect(CHUNK.reduce((sum, [, bits]) => sum + bits, 0)).toBe(8 * Chunks.chunkBytes);
  });
});

describe('what PROTOCOL says in words and tables', () => {
  it('DETACH has the size and the fields of KEEP_ALIVE', () => {
    expect(section('3.12').title).toBe(`DETACH (${KeepAlive.bytes} bytes)`);
    expect(section('3.12').text).toContain('The same fields as KEEP_ALIVE');
    expect(TYPES.DETACH.body).toEqual(TYPES.KEEP_ALIVE.body);
  });

  it('the types are those of the layout and of the naive twin, each with its section', () => {
    const rows = [...section('2.2').text.matchAll(/^\| (\d+) \| ([A-Z_]+) \|.*§([\d.]+) \|$/gm)];
    const titles = rows.map(([, , , number]) => section(number).title.split(' ')[0]);
    expect(readCodes(section('2.2'))).toEqual(FrameType);
    expect(rows.map(([, number, name]) => [name, Number(number)])).toEqual(
      Object.entries(TYPES).map(([name, type]) => [name, type.number]),
    );
    expect(titles).toEqual(Object.keys(TYPES));
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
    ['4.4', `${MEAN_CREDIT_WIRE_BYTES} being the mean wire size of a credit`],
  ])('§%s says "%s", as the layout does', (number, words) => {
    expect(section(number).text.replaceAll('\n', ' ')).toContain(words);
  });
});
