// Tested by test/telemetry/capture/capture.test.ts
/** IP and UDP headers in front of captured frames. Where a frame has none of its own, they are made up from its host ids. */
import { read16, read32, write16, write32 } from '../../wire/bytes.js';

/** UDP port of both ends of made-up headers: the switch's usual one, so that a dissector finds the frames. */
const MADE_UP_PORT = 28_500;

const IPV4_HEADERS_BYTES = 28;
const IPV6_HEADERS_BYTES = 48;
const UDP_BYTES = 8;
const UDP = 17;
const HOP_LIMIT = 64;
const HOP_LIMIT_AND_UDP = (HOP_LIMIT << 8) | UDP;
const DO_NOT_FRAGMENT = 0x4000;

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

/** What headers say of the datagram: bytes of its payload on the wire, and its ECN field. */
export interface UdpPayload {
  readonly payload: number;
  readonly ecn: number;
}

/** Writes both headers; returns where the payload begins. */
export function writeHeaders(view: DataView, at: number, ends: Ends, about: UdpPayload): number {
  const udpAt = ends.source.length === 4 ? writeIpv4(view, at, ends, about) : writeIpv6(view, at, ends, about);
  view.setUint16(udpAt, ends.sourcePort);
  view.setUint16(udpAt + 2, ends.destinationPort);
  // No checksum (RFC 768): the frame has its own.
  view.setUint32(udpAt + 4, (UDP_BYTES + about.payload) << 16);
  return udpAt + UDP_BYTES;
}

function writeIpv4(view: DataView, at: number, { source, destination }: Ends, about: UdpPayload): number {
  const length = Math.min(IPV4_HEADERS_BYTES + about.payload, 0xffff);
  const from = read32(source, 0);
  const to = read32(destination, 0);
  const begin = 0x4500 | about.ecn;
  view.setUint32(at, (begin << 16) | length);
  view.setUint32(at + 4, DO_NOT_FRAGMENT);
  // RFC 791: the sum of all words of 16 bits but its own.
  let sum = begin + length + DO_NOT_FRAGMENT + HOP_LIMIT_AND_UDP;
  sum += (from >>> 16) + (from & 0xffff) + (to >>> 16) + (to & 0xffff);
  sum = (sum & 0xffff) + (sum >>> 16);
  view.setUint32(at + 8, (HOP_LIMIT_AND_UDP << 16) | (~(sum + (sum >>> 16)) & 0xffff));
  view.setUint32(at + 12, from);
  view.setUint32(at + 16, to);
  return at + 20;
}

function writeIpv6(view: DataView, at: number, { source, destination }: Ends, about: UdpPayload): number {
  view.setUint32(at, 0x60000000 | (about.ecn << 20));
  view.setUint16(at + 4, UDP_BYTES + about.payload);
  view.setUint16(at + 6, (UDP << 8) | HOP_LIMIT);
  for (let word = 0; word < 16; word += 4) {
    view.setUint32(at + 8 + word, read32(source, word));
    view.setUint32(at + 24 + word, read32(destination, word));
  }
  return at + 40;
}

/** What the headers of a captured packet say. */
export interface ReadHeaders {
  readonly ends: Ends;
  /** Where the datagram begins, and what it has on the wire. */
  readonly at: number;
  readonly length: number;
}

/** Null for what has no headers of IP without options and UDP, as captures of ours do. */
export function readHeaders(packet: Uint8Array): ReadHeaders | null {
  const version = packet.length > 0 ? packet[0] >>> 4 : 0;
  const [at, bytes] = version === 4 ? [12, 4] : [8, 16];
  const udpAt = at + 2 * bytes;
  const isUdp = version === 4 ? packet[0] === 0x45 && packet[9] === UDP : version === 6 && packet[6] === UDP;
  if (!isUdp || packet.length < udpAt + UDP_BYTES) return null;
  const ends = {
    source: packet.subarray(at, at + bytes),
    destination: packet.subarray(at + bytes, udpAt),
    sourcePort: read16(packet, udpAt),
    destinationPort: read16(packet, udpAt + 2),
  };
  return { ends, at: udpAt + UDP_BYTES, length: read16(packet, udpAt + 4) - UDP_BYTES };
}
