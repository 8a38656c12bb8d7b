// Tested by test/wire/codec.test.ts and test/wire/protocol-document.test.ts
/** What the descriptors of frames.ts are made of, and how one becomes an encoder, readers and a check. None of it is for hot frames. */
import { assert } from '../base/assert.js';
import { read16, read32, write16, write32 } from './bytes.js';
import { type Encode, type FlowHeader, seal, writeHeader } from './encode.js';
import { CHECK_BYTES, CONTROL_CODES, FrameType, Header } from './layout.js';

interface FieldPlace {
  /** Offset of the byte in which it begins. */
  readonly at: number;
  /** In the diagrams of docs/PROTOCOL.md; without it the words of its key: `sentOffset` is "sent offset" there. */
  readonly name?: string;
  /** On a printed line, in place of its key. */
  readonly label?: string;
}

/** A number. Only those of 8, 16 and 32 bits are read and written here. */
interface NumberField extends FieldPlace {
  readonly bits: number;
  /** Least and most that a correct peer sends. */
  readonly least?: number;
  readonly most?: number;
  /** 0 is valid whatever the least is. */
  readonly orZero?: true;
  /** Written as 0 where the caller has none. */
  readonly optional?: true;
  /** Left out of a printed line where it is 0. */
  readonly hidesZero?: true;
  /** A larger value is written as the largest, not cut to its lower bits. */
  readonly saturates?: true;
  /** As eight hexadecimal digits, or by the name that its table has. */
  readonly prints?: 'hex' | Readonly<Record<string, number>>;
}

/** Bytes that are copied in and out as they are. Shorter ones, or none, are filled up with zeros. */
interface BytesField extends FieldPlace {
  readonly bytes: number;
}

export type Field = NumberField | BytesField;
type Fields = Readonly<Record<string, Field>>;

/** As §2.2 has it. It says which host ids are valid, and whether there is a flow id. PROTOCOL §2.7 */
type Direction =
  | 'sender to receiver'
  | 'receiver to sender'
  | 'both'
  | 'host to host'
  | 'host to switch'
  | 'switch to host'
  | 'any';

/** Everything about a frame but how it is used. */
export interface FrameKind<F extends Fields = Fields> {
  /** In the manner of PROTOCOL. */
  readonly name: string;
  /** The number that `frameType` gives. */
  readonly type: number;
  readonly section: string;
  readonly direction: Direction;
  /** The host has no id in a frame of its own switch, or may have none. */
  readonly mayLackId?: true;
  /**
   * A control frame with random bits in the place of the flow id: of a handshake, which a VERSION in answer repeats, or of an association. PROTOCOL
   * §7.7, §7.8
   */
  readonly hasBitsForId?: true;
  readonly flags?: Readonly<Record<string, number>>;
  /** Without the bytes that are reserved. */
  readonly fields: F;
  /** Of the whole frame, with header and check. */
  readonly minBytes: number;
  readonly maxBytes: number;
  /** Ends with 1 byte of a stream or more. */
  readonly holdsPayload?: true;
  /** What stands before the check as often as the field `count` says. The frame is exactly as long as all of it and `least`. */
  readonly repeats?: {
    readonly count: string;
    readonly bytes: number;
    readonly least: number;
    readonly what: string;
    /** Of the first of them, by their places in the frame. */
    readonly fields?: Fields;
  };
  /** What no single field can say. */
  readonly isConsistent?: (bytes: Uint8Array) => boolean;
}

type MayBeLeftOut = BytesField | { readonly optional: true };

/** What the caller gives to write a frame. */
export type ValuesOf<F extends Fields> = {
  readonly [K in keyof F as F[K] extends MayBeLeftOut ? never : K]: number;
} & {
  readonly [K in keyof F as F[K] extends MayBeLeftOut ? K : never]?: F[K] extends BytesField ? Uint8Array : number;
} & { /** Bits of the kind's flags. */ readonly flags?: number };

/** Of a field that is not known as a type. */
export type AnyReader = (bytes: Uint8Array, into: Uint8Array) => number | Uint8Array;

/** Bytes are copied into an array of the caller, which is returned. */
export type Readers<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends BytesField
    ? (bytes: Uint8Array, into: Uint8Array) => Uint8Array
    : (bytes: Uint8Array) => number;
};

/** A kind whose fields all have fixed places. */
export interface FixedFrame<F extends Fields = Fields> extends FrameKind<F> {
  readonly read: Readers<F>;
  readonly encode: Encode<ValuesOf<F>>;
}

type FixedSpec<F extends Fields> = Omit<FrameKind<F>, 'minBytes' | 'maxBytes'> & {
  readonly bytes: number;
  /** Of a frame that is padded. */
  readonly maxBytes?: number;
};

export function fixedFrame<const F extends Fields>({ bytes, maxBytes = bytes, ...spec }: FixedSpec<F>): FixedFrame<F> {
  const kind = { ...spec, minBytes: bytes, maxBytes };
  const readers = Object.entries<Field>(spec.fields).map(([key, field]) => [key, readerOf(field)]);
  return { ...kind, read: Object.fromEntries(readers) as Readers<F>, encode: encoderOf(kind) };
}

/** One of class CONTROL with this type. */
export function controlFrame<const F extends Fields>(spec: FixedSpec<F>): FixedFrame<F> {
  return fixedFrame({ ...spec, type: CONTROL_CODES + spec.type });
}

/** The field's name in the diagrams. */
export function diagramName(key: string, { name }: Field): string {
  return name ?? key.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

export function isBytes(field: Field): field is BytesField {
  return 'bytes' in field;
}

function numberReader({ at, bits }: NumberField): (bytes: Uint8Array) => number {
  if (bits === 32) return (bytes) => read32(bytes, at);
  return bits === 16 ? (bytes) => read16(bytes, at) : (bytes) => bytes[at];
}

function readerOf(field: Field): AnyReader {
  const { at } = field;
  if (isBytes(field)) {
    return (bytes: Uint8Array, into: Uint8Array) => {
      for (let index = 0; index < field.bytes; index++) into[index] = bytes[at + index];
      return into;
    };
  }
  return numberReader(field);
}

type Values = Readonly<Record<string, number | Uint8Array | undefined>>;

function encoderOf<F extends Fields>({ type, minBytes, repeats, fields }: FrameKind<F>): Encode<ValuesOf<F>> {
  const writers = Object.entries<Field>(fields).map(([key, field]) => writerOf(key, field));
  const isControl = type >= CONTROL_CODES;
  const frameClass = isControl ? FrameType.control : type;
  return (bytes, header: FlowHeader, values, check) => {
    const given: Values = values;
    const length = repeats === undefined ? minBytes : repeats.least + repeats.bytes * Number(given[repeats.count]);
    assert(length >= minBytes && length <= bytes.length, 'a frame does not fit its kind or its buffer');
    writeHeader(bytes, header, frameClass, isControl ? type - CONTROL_CODES : (values.flags ?? 0));
    for (let at: number = Header.bytes; at < length - CHECK_BYTES; at++) bytes[at] = 0;
    for (let index = 0; index < writers.length; index++) writers[index](bytes, given);
    return seal(bytes, length - CHECK_BYTES, check);
  };
}

function writerOf(key: string, field: Field): (bytes: Uint8Array, values: Values) => void {
  const { at } = field;
  if (isBytes(field)) {
    return (bytes, values) => {
      const value = (values[key] ?? NO_BYTES) as Uint8Array;
      assert(value.length <= field.bytes, 'more bytes than the field has');
      bytes.set(value, at);
    };
  }
  const { bits, saturates } = field;
  if (saturates === true) return (bytes, values) => write32(bytes, at, Math.min(Number(values[key]), 0xffffffff));
  if (bits === 32) return (bytes, values) => write32(bytes, at, (values[key] ?? 0) as number);
  if (bits === 16) return (bytes, values) => write16(bytes, at, (values[key] ?? 0) as number);
  return (bytes, values) => {
    bytes[at] = values[key] as number;
  };
}

const NO_BYTES = new Uint8Array(0);

/** Whether every field of its own is one that a correct peer sends. PROTOCOL §2.7 `invalid` */
export type FieldCheck = (bytes: Uint8Array) => boolean;

/** Null where every value is valid. */
export function fieldCheckOf({ fields, isConsistent }: FrameKind): FieldCheck | null {
  const bounded = Object.values(fields).filter((field): field is NumberField => 'least' in field || 'most' in field);
  const checks = bounded.map((field): FieldCheck => {
    const { bits, least = 0, most = 2 ** bits - 1, orZero = false } = field;
    const read = numberReader(field);
    return (bytes) => {
      const value = read(bytes);
      return (value >= least && value <= most) || (orZero && value === 0);
    };
  });
  if (isConsistent !== undefined) checks.push(isConsistent);
  return checks.length === 0 ? null : (bytes) => checks.every((check) => check(bytes));
}
