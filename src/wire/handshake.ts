/** Frames of associations: temporary codec. */
import type { Crc32 } from '../base/crc32.js';
import { read32, write16, write32 } from './bytes.js';
import { CHECK_BYTES, Ecn, Header, MAX_HOP_LIMIT, VERSION } from './layout.js';

export const CONTROL_CLASS = 8;
export const ControlType = { hello: 1, cookie: 2, welcome: 3, noAssociation: 4, confirm: 9 } as const;
export const Hello = { type: 12, messageBytes: 13, ci: 16, cookie: 24, message: 44, bytes: 56 } as const;
export const Cookie = { ci: 16, cookie: 24, bytes: 48 } as const;
export const Welcome = { messageBytes: 13, ci: 16, cookie: 24, cr: 44, message: 52, bytes: 56 } as const;
export const NoAssociation = { bytes: 20 } as const;
export const Confirm = { bytes: 20 } as const;
interface Bits {
  readonly upper: number;
  readonly lower: number;
}
export interface ControlHeader {
  destination: number;
  source: number;
  flowId: number;
}

export function controlType(bytes: Uint8Array): number {
  return bytes[12];
}
export function readBits(bytes: Uint8Array, at: number): Bits {
  return { upper: read32(bytes, at), lower: read32(bytes, at + 4) };
}
function writeBits(bytes: Uint8Array, at: number, bits: Bits): void {
  write32(bytes, at, bits.upper);
  write32(bytes, at + 4, bits.lower);
}
export function messageOf(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.slice(at, at + bytes[13]);
}
function begin(bytes: Uint8Array, type: number, header: ControlHeader): void {
  bytes[0] = (MAX_HOP_LIMIT << 2) | Ecn.notCapable;
  bytes[1] = (VERSION << 4) | CONTROL_CLASS;
  bytes[2] = 0;
  bytes[3] = 0;
  write16(bytes, Header.destination, header.destination);
  write16(bytes, Header.source, header.source);
  write32(bytes, Header.flowId, header.flowId);
  write32(bytes, 12, 0);
  bytes[12] = type;
}
function finish(bytes: Uint8Array, length: number, check: Crc32 | null): number {
  const at = length - CHECK_BYTES;
  const crc = check === null ? 0 : check(bytes, 1, at);
  bytes[at] = crc;
  bytes[at + 1] = crc >>> 8;
  bytes[at + 2] = crc >>> 16;
  bytes[at + 3] = crc >>> 24;
  return length;
}
export function encodeHello(
  bytes: Uint8Array,
  header: ControlHeader,
  fields: { ci: Bits; cookie: Uint8Array | null; message: Uint8Array },
  check: Crc32 | null,
): number {
  begin(bytes, ControlType.hello, header);
  bytes[13] = fields.message.length;
  writeBits(bytes, 16, fields.ci);
  bytes.fill(0, 24, 44);
  if (fields.cookie !== null) bytes.set(fields.cookie, 24);
  bytes.set(fields.message, 44);
  const length = Math.max(56, 56 + Math.max(fields.message.length, 64));
  bytes.fill(0, 44 + fields.message.length, length);
  return finish(bytes, length, check);
}
export function encodeCookie(
  bytes: Uint8Array,
  header: ControlHeader,
  fields: { ci: Bits; cookie: Uint8Array },
  check: Crc32 | null,
): number {
  begin(bytes, ControlType.cookie, header);
  writeBits(bytes, 16, fields.ci);
  bytes.set(fields.cookie, 24);
  return finish(bytes, 48, check);
}
export function encodeWelcome(
  bytes: Uint8Array,
  header: ControlHeader,
  fields: { ci: Bits; cr: Bits; cookie: Uint8Array; message: Uint8Array },
  check: Crc32 | null,
): number {
  begin(bytes, ControlType.welcome, header);
  bytes[13] = fields.message.length;
  writeBits(bytes, 16, fields.ci);
  bytes.set(fields.cookie, 24);
  writeBits(bytes, 44, fields.cr);
  bytes.set(fields.message, 52);
  return finish(bytes, 56 + fields.message.length, check);
}
export function encodeBare(bytes: Uint8Array, type: number, header: ControlHeader, check: Crc32 | null): number {
  begin(bytes, type, header);
  return finish(bytes, 20, check);
}
