import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DROP_NAMES } from '../../src/wire/decode.js';
import * as layout from '../../src/wire/layout.js';
import { MAX_RATE_CODE, rateOfCode } from '../../src/wire/rate-code.js';
import { CHUNK, EXPLICIT, HEADER, TYPES } from '../harness/naive-codec.js';
import {
  type DiagramField,
  diagramFaults,
  readCodes,
  readDiagram,
  readFlags,
  readSections,
} from '../harness/protocol-text.js';

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

const { CreditRequest, Credit, Data, Ack, CreditStop, Fin, Reset, Attach, Attached, AttachRefused } = layout;
const { KeepAlive, VersionOffer, WindowAck, CHECK_BYTES } = layout;

/** Fields between header and check, and the check at the end. */
function fixed(bytes: number, offsets: Record<string, number>) {
  return { size: `${bytes} bytes`, offsets: { ...offsets, 'CRC-32': bytes - CHECK_BYTES } };
}

const FRAMES: FrameSection[] = [
  {
    number: '3.1',
    name: 'CREDIT_REQUEST',
    flags: layout.RequestFlag,
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
    flags: { explicitRate: layout.CreditFlag.explicitRate, lowClass: layout.CreditFlag.lowClass },
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
    flags: layout.DataFlag,
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
    flags: layout.AckFlag,
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
  { number: '3.7', name: 'RESET', flags: layout.ResetFlag, ...fixed(Reset.bytes, { code: Reset.code }) },
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
    flags: layout.WindowAckFlag,
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
    flags: { end: layout.DataFlag.end },
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
  expect(bits[0]).toEqual(['credit sequence', 32 - layout.RATE_BITS]);
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
    expect(readCodes(section('2.2'))).toEqual(layout.FrameType);
    expect(rows.map(([, number, name]) => [name, Number(number)])).toEqual(
      Object.entries(TYPES).map(([name, type]) => [name, type.number]),
    );
    expect(titles).toEqual(Object.keys(TYPES));
  });

  it('the codes are those of the layout', () => {
    expect(readCodes(section('3.7'))).toEqual(layout.ResetCode);
    expect(readCodes(section('3.10'))).toEqual(layout.AttachRefusal);
  });

  it('the reasons for a drop come in the order of the decoder', () => {
    const reasons = [...section('2.7').text.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason);
    expect([...new Set(reasons)]).toEqual([...DROP_NAMES.slice(1), 'direction', 'unknownFlow']);
  });

  it.each([
    ['1.1', `UDP payload + ${layout.WIRE_OVERHEAD_BYTES}`],
    ['1.2', `1 to ${layout.MAX_HOST_ID.toLocaleString('en')}`],
    ['2.1', `a host sends ${layout.MAX_HOP_LIMIT};`],
    ['2.1', `${layout.Ecn.capable1} ECT(1), ${layout.Ecn.capable0} ECT(0), ${layout.Ecn.congestionExperienced} CE`],
    ['2.2', `(${layout.VERSION} here)`],
    ['2.6', `0x${layout.CHECK_RESIDUE.toString(16).toUpperCase()}`],
    ['2.7', `fewer than ${Credit.bytes} bytes`],
    ['2.7', `above ${layout.MAX_FRAME_BYTES.toLocaleString('en')}`],
    ['3.2', `bytes 1 to ${Credit.check - 1},`],
    ['3.2', `0 to ${Credit.maxPaddingBytes} bytes of zero`],
    ['3.2', `bytes ${Credit.explicitRate} and ${Credit.explicitRate + 1}`],
    ['3.2', `${layout.NO_HOP} for none`],
    ['9.7', `1 to ${MAX_RATE_CODE.toLocaleString('en')} is ${rateOfCode(128) / 2} * 2^(c / 128) bit/s`],
    ['3.3', `${layout.DEFAULT_FRAME_BYTES} by default, ${layout.MAX_FRAME_BYTES.toLocaleString('en')} at most`],
    ['3.4', `${Ack.maxRanges} times`],
    ['4.4', `${layout.MEAN_CREDIT_WIRE_BYTES} being the mean wire size of a credit`],
  ])('§%s says "%s", as the layout does', (number, words) => {
    expect(section(number).text.replaceAll('\n', ' ')).toContain(words);
  });
});
