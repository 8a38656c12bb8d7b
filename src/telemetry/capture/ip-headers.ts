// Tested by test/telemetry/capture/capture.test.ts
/** IP and UDP headers in front of captured frames. Where a frame has none of its own, they are made up from its host ids. */
import { write16, write32 } from '../../wire/bytes.js';

/** UDP port of both ends of made-up headers: the switch's usual one, so that a dissector finds the frames. */
const MADE_UP_PORT = 28_500;

const IPV4_HEADERS_BYTES = 28;
const IPV6_HEADERS_BYTES = 48;
const UDP_BYTES = 8;
const UDP = 17;
const HOP_LIMIT = 64;

/** Both ends of a datagram. Addresses have 4 or 16 bytes, both the same. */
export interface Ends {
  readonly source: Uint8Array;
  readonly destination: Uint8Array;
  readonly sourcePort: number;
  readonly destinationPort: number;
}

export function headerBytes({ source }: Ends): number {
  return source.length === 4 ? IPV4_HEADERS_BYTES : IPV6_HEADERS_BYTES;
}

/** The ends of a frame between hosts: 10.0.0.0 with the id in the last two bytes. `into` has addresses of 4 bytes. */
export function endsOfHosts(source: number, destination: number, into: Ends): Ends {
  write32(into.source, 0, 0x0a000000 | source);
  write32(into.destination, 0, 0x0a000000 | destination);
  return into;
}

export function newMadeUpEnds(): Ends {
  const ends = { source: new Uint8Array(4), destination: new Uint8Array(4) };
  return { ...ends, sourcePort: MADE_UP_PORT, destinationPort: MADE_UP_PORT };
}

/** `127.0.0.1` or `::1%lo` as bytes; null for what is neither. */
export function addressBytes(text: string): Uint8Array | null {
  return text.includes(':') ? ipv6Bytes(text.split('%')[0]) : ipv4Bytes(text);
}

function ipv4Bytes(text: string): Uint8Array | null {
  const parts = text.split('.').map(Number);
  return parts.length === 4 && parts.every((part) => part >= 0 && part <= 255) ? Uint8Array.from(parts) : null;
}

function ipv6Bytes(text: string): Uint8Array | null {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  if (dotted !== null) {
    const [a, b, c, d] = ipv4Bytes(dotted[2]) ?? [0, 0, 0, 0];
    return ipv6Bytes(`${dotted[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`);
  }
  const [front, back = ''] = text.split('::').map((half) => half);
  const words = (half: string): number[] =>
    half === '' ? [] : half.split(':').map((word) => Number.parseInt(word, 16));
  const bytes = new Uint8Array(16);
  words(front).forEach((word, index) => {
    write16(bytes, 2 * index, word);
  });
  const last = text.includes('::') ? words(back) : [];
  last.forEach((word, index) => {
    write16(bytes, 16 - 2 * (last.length - index), word);
  });
  return bytes;
}

/** Writes both headers for a UDP payload of so many bytes; returns where that begins. */
export function writeHeaders(
  bytes: Uint8Array,
  at: number,
  ends: Ends,
  about: { payload: number; ecn: number },
): number {
  const udpAt = ends.source.length === 4 ? writeIpv4(bytes, at, ends, about) : writeIpv6(bytes, at, ends, about);
  write16(bytes, udpAt, ends.sourcePort);
  write16(bytes, udpAt + 2, ends.destinationPort);
  write16(bytes, udpAt + 4, UDP_BYTES + about.payload);
  // No checksum (RFC 768): the frame has its own.
  write16(bytes, udpAt + 6, 0);
  return udpAt + UDP_BYTES;
}

function writeIpv4(bytes: Uint8Array, at: number, ends: Ends, about: { payload: number; ecn: number }): number {
  bytes[at] = 0x45;
  bytes[at + 1] = about.ecn;
  write16(bytes, at + 2, Math.min(IPV4_HEADERS_BYTES + about.payload, 0xffff));
  write16(bytes, at + 4, 0);
  // Do not fragment.
  write16(bytes, at + 6, 0x4000);
  bytes[at + 8] = HOP_LIMIT;
  bytes[at + 9] = UDP;
  write16(bytes, at + 10, 0);
  bytes.set(ends.source, at + 12);
  bytes.set(ends.destination, at + 16);
  let sum = 0;
  for (let word = at; word < at + 20; word += 2) sum += (bytes[word] << 8) | bytes[word + 1];
  sum = (sum & 0xffff) + (sum >>> 16);
  write16(bytes, at + 10, ~(sum + (sum >>> 16)) & 0xffff);
  return at + 20;
}

function writeIpv6(bytes: Uint8Array, at: number, ends: Ends, about: { payload: number; ecn: number }): number {
  write32(bytes, at, 0x60000000 | (about.ecn << 20));
  write16(bytes, at + 4, UDP_BYTES + about.payload);
  bytes[at + 6] = UDP;
  bytes[at + 7] = HOP_LIMIT;
  bytes.set(ends.source, at + 8);
  bytes.set(ends.destination, at + 24);
  return at + 40;
}
