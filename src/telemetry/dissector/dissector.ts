/** A dissector of Wireshark, in Lua, made from the descriptors of frames. docs/CAPTURES.md */
import { diagramName, type Field, type FrameKind, isBytes } from '../../wire/frame-kind.js';
import { FRAMES } from '../../wire/frames.js';
import { CreditFlag, VERSION } from '../../wire/layout.js';
import { FRAMES_LUA } from './frames-lua.js';
import { LINKS_LUA } from './links-lua.js';
import { SUPPORT_LUA } from './support-lua.js';

/** UDP ports that the dissector takes without looking at what is in a datagram. */
export interface DissectorOptions {
  readonly port: number;
}

/** A field as the dissector has it: where it begins and ends in bits, and its name for filters. */
export interface DissectedField {
  readonly abbreviation: string;
  readonly name: string;
  readonly firstBit: number;
  readonly bits: number;
  readonly isBytes: boolean;
}

/** `streamOffset` is `xpass.stream_offset`. */
export function abbreviation(key: string): string {
  return `xpass.${key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

/** The fields of a kind, in their order. One that is shorter than its bytes begins where the one before it ends. */
function dissectedFields(fields: FrameKind['fields']): DissectedField[] {
  let endBit = 0;
  return Object.entries<Field>(fields).map(([key, field]) => {
    const bits = isBytes(field) ? field.bytes * 8 : field.bits;
    const firstBit = Math.max(field.at * 8, Math.min(endBit, field.at * 8 + 7));
    endBit = firstBit + bits;
    return { abbreviation: abbreviation(key), name: diagramName(key, field), firstBit, bits, isBytes: isBytes(field) };
  });
}

/** The whole program. */
export function dissectorLua({ port }: DissectorOptions): string {
  return [
    '-- Wireshark dissector of xpass, made by `xpass dissector`; docs/CAPTURES.md says how to use it.',
    `local VERSION, PORT = ${VERSION}, ${port}`,
    `local CREDIT_HOP_MASK = ${CreditFlag.hopMask}`,
    'local KINDS = {',
    ...FRAMES.map(kindLua),
    '}',
    SUPPORT_LUA,
    LINKS_LUA,
    FRAMES_LUA,
  ].join('\n');
}

function kindLua(kind: FrameKind): string {
  const { name, type, minBytes, maxBytes, holdsPayload = false, repeats } = kind;
  const parts = [
    `name = "${name}"`,
    `min = ${minBytes}`,
    `max = ${maxBytes}`,
    `payload = ${holdsPayload}`,
    `ranges = ${repeats?.what === 'range' ? repeats.least - 4 : 'nil'}`,
    `flags = ${flagsLua(kind.flags ?? {})}`,
    `entry_bytes = ${repeats?.bytes ?? 0}`,
    `entry = ${repeats?.fields === undefined ? 'nil' : fieldsLua(repeats.fields)}`,
    `fields = ${fieldsLua(kind.fields)}`,
  ];
  return `  [${type}] = { ${parts.join(', ')} },`;
}

function fieldsLua(fields: FrameKind['fields']): string {
  const described = Object.values(fields);
  return `{ ${dissectedFields(fields)
    .map((field, index) => fieldLua(field, described[index]))
    .join(', ')} }`;
}

function flagsLua(flags: Readonly<Record<string, number>>): string {
  const entries = Object.entries(flags).map(([name, mask]) => `{ "${abbreviation(name).slice(6)}", ${mask} }`);
  return `{ ${entries.join(', ')} }`;
}

function fieldLua(field: DissectedField, described: Field): string {
  const { abbreviation: name, firstBit, bits } = field;
  const parts = [`abbr = "${name}"`, `name = "${field.name}"`, `first = ${firstBit}`, `bits = ${bits}`];
  if (isBytes(described)) return `{ ${[...parts, 'bytes = true'].join(', ')} }`;
  const { least, most, orZero, prints } = described;
  if (least !== undefined) parts.push(`least = ${least}`);
  if (most !== undefined) parts.push(`most = ${most}`);
  if (orZero === true) parts.push('or_zero = true');
  if (prints === 'hex') parts.push('hex = true');
  else if (prints !== undefined) {
    const values = Object.entries(prints).map(([word, value]) => `[${value}] = "${word}"`);
    parts.push(`values = { ${values.join(', ')} }`);
  }
  return `{ ${parts.join(', ')} }`;
}
